# SPDX-License-Identifier: Apache-2.0
"""Writes the actions of a soccer agent as both simulators take them."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields
from math import inf, nan
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Protocol, TypeAlias, TypeVar

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.soccer.percepts import Named
from embodiment_bridge.wire.codec import Unknown

WORD: Final = re.compile(r"[!-'*-~]+")  # printable ASCII without blanks and parentheses

# Actions that depend on nothing but themselves: how they are written.

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


def writers(heads: Mapping[type, str], number: Callable[[str, object], str]) -> dict[type, Write]:
    """Return a writer of each action; ``heads`` are the first words of their lists."""
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


def number_text(field: str, value: object, low: float, high: float, digits: int = 7) -> str:
    """The text of a number.

    Raises:
        CommandError: it is not from ``low`` to ``high``, which nan is not; the text names the field.
    """
    try:
        number = float(value) if isinstance(value, Real) else nan
    except OverflowError:
        number = inf
    if low <= number <= high:
        return f"{number:.{digits}g}"
    raise CommandError(f"{field} is {value!r}; it must be a number from {low:g} to {high:g}")


def whole_text(field: str, value: object, low: int, high: int) -> str:
    """The text of a whole number.

    Raises:
        CommandError: it is none from ``low`` to ``high``; the text names the field.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or not low <= int(value) <= high:
        raise CommandError(f"{field} is {value!r}; it must be a whole number from {low} to {high}")
    return str(int(value))


class Frame(Protocol):
    """Several actions in one frame."""

    @property
    def actions(self) -> object:
        """A tuple of actions."""
        ...


class CommandWriter(ABC):
    """Writes the commands of one connection; ``writers``: of each class of commands but the frame."""

    frame: ClassVar[type[Frame]]
    """The class of frames."""
    actions: ClassVar[Collection[type]]
    """The classes that a frame may hold, one of each."""
    named: ClassVar[tuple[type[Named], ...]]
    """Those of which a frame may hold several with different names."""
    empty: ClassVar[str]
    """Why a frame must not be empty."""

    def __init__(self, writers: Mapping[type, Write]) -> None:
        self._writers: dict[type, Write] = {**writers, self.frame: self._frame}

    def payload(self, command: object) -> bytes:
        """The payload of the frame for ``command``.

        Raises:
            CommandError: it cannot be sent; the text names the field, its value and the choices.
        """
        if isinstance(command, Unknown):
            return self.harmless(command.raw)
        writer = self._writers.get(type(command))
        if writer is None:
            raise CommandError(unknown("command", type(command).__name__, _names(self._writers)))
        return writer(command).encode()

    @abstractmethod
    def harmless(self, raw: bytes) -> bytes:
        """``raw`` itself, for sending again what was received, unless the server could take it for a command."""

    def _frame(self, command: Frame) -> str:
        if not isinstance(command.actions, tuple | list):
            raise CommandError(f"Frame.actions is {command.actions!r}; it must be a tuple of actions")
        written: dict[str, str] = {}
        for index, action in enumerate(command.actions):
            try:
                if type(action) not in self.actions:
                    raise CommandError(unknown("action", type(action).__name__, _names(self.actions)))
                text = self._writers[type(action)](action)
                key = action.name if isinstance(action, self.named) else type(action).__name__
                if key in written:
                    raise CommandError(f"a second {key}; the server would obey only one of them")
            except CommandError as error:
                raise CommandError(f"Frame.actions[{index}]: {error}") from None
            written[key] = text
        if not written:
            raise CommandError(f"Frame.actions is empty, and {self.empty}")
        return "".join(written.values())


def _names(kinds: Iterable[type]) -> list[str]:
    return [kind.__name__ for kind in kinds]
