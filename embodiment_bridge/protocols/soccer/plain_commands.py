# SPDX-License-Identifier: Apache-2.0
"""Commands that need no code: numbers on the wire, made of the values of a message."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, Protocol, TypeAlias, TypeVar

from embodiment_bridge.protocols.spec import Input, ProtocolSpec

Command = TypeVar("Command")
Maker: TypeAlias = Callable[..., Command]


class Message(Protocol):
    """A message or a request of a service, as ROS generates it."""

    def get_fields_and_field_types(self) -> Mapping[str, str]:
        """Types by the names of the fields, in their order."""
        ...


def plain_writer(kind: type, word: str, number: Callable[[str, object], str]) -> Callable[[Any], str]:
    """Writes a class of commands as ``(word number ...)``; ``number(name, value)`` writes a field or refuses it."""
    names = [(field.name, f"{kind.__name__}.{field.name}") for field in fields(kind)]

    def write(command: Any) -> str:
        return f"({' '.join([word, *[number(shown, getattr(command, name)) for name, shown in names]])})"

    return write


def plain_inputs(spec: ProtocolSpec, kinds: Iterable[type[Command]]) -> dict[str, Maker[Command]]:
    """What makes the command of each topic and service of ``spec`` that names one of ``kinds``."""
    by_name: dict[str, type[Command]] = {kind.__name__: kind for kind in kinds}
    items: tuple[Input, ...] = (*spec.inputs, *spec.services)
    return {item.name: by_name[item.command] for item in items if item.command}


def made_of(message: Message, maker: Maker[Command]) -> Command:
    """The command of the values of a message."""
    return maker(*(getattr(message, name) for name in message.get_fields_and_field_types()))
