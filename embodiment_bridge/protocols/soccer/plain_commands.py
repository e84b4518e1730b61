# SPDX-License-Identifier: Apache-2.0
"""Actions that depend on nothing but themselves: how they are made of messages, and how they are written."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any, Protocol, TypeAlias, TypeVar

from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols.spec import Input, ProtocolSpec

Command = TypeVar("Command")
Write: TypeAlias = Callable[[Any], str]


class Written(ABC):
    """An action that is more than numbers, and writes itself."""

    __slots__ = ()

    @abstractmethod
    def text(self) -> str:
        """The list on the wire.

        Raises:
            CommandError: it cannot be sent; the text names the field, its value and the choices.
        """


class Message(Protocol):
    """A message or a request of a service, as ROS generates it."""

    def get_fields_and_field_types(self) -> Mapping[str, str]:
        """Types by the names of the fields, in their order."""
        ...


def writers(heads: Mapping[type, str], number: Callable[[str, object], str]) -> dict[type, Write]:
    """What writes each of the actions, which are given with the first words of their lists."""
    return {
        kind: kind.text if issubclass(kind, Written) else _plain_writer(kind, word, number)
        for kind, word in heads.items()
    }


def _plain_writer(kind: type, word: str, number: Callable[[str, object], str]) -> Write:
    """Writes a class of commands as ``(word number ...)``; ``number(name, value)`` writes a field or refuses it."""
    names = [(field.name, f"{kind.__name__}.{field.name}") for field in fields(kind)]

    def write(command: Any) -> str:
        return f"({' '.join([word, *[number(shown, getattr(command, name)) for name, shown in names]])})"

    return write


def makers(spec: ProtocolSpec, kinds: Iterable[type[Command]]) -> dict[str, Callable[[Message], Command]]:
    """What makes the command of each topic and service of ``spec`` that says so (``Input.command``)."""
    by_name: dict[str, type[Command]] = {kind.__name__: kind for kind in kinds}
    items: tuple[Input, ...] = (*spec.inputs, *spec.services)
    return {
        item.name: resolve(item.command) if ":" in item.command else partial(_made_of, by_name[item.command])
        for item in items
        if item.command
    }


def _made_of(kind: type[Command], message: Message) -> Command:
    """The command of the values of a message as they are."""
    return kind(*(getattr(message, name) for name in message.get_fields_and_field_types()))
