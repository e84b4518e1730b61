# SPDX-License-Identifier: Apache-2.0
"""Writes commands as rcssserver3d reads them, and refuses what it would drop without a word."""

import re
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, Final, TypeAlias

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.simspark.commands import (
    ACTIONS,
    HEADS,
    WORD,
    Action,
    Frame,
    Hinge,
    Init,
    Scene,
    Universal,
)
from embodiment_bridge.protocols.simspark.robots import EFFECTORS, UNIVERSAL_EFFECTOR, Robot
from embodiment_bridge.protocols.soccer.number_text import number_text
from embodiment_bridge.protocols.soccer.plain_commands import writers
from embodiment_bridge.wire.events import Unknown

Command: TypeAlias = Scene | Frame | Action | Unknown

MAX_PLAYER: Final = 11
MAX_NUMBER: Final = 1e6
_UNIVERSAL = re.compile(UNIVERSAL_EFFECTOR)
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
_TYPED_HEADS: Final = (b"(scene", b"(init", *(f"({word}".encode() for word in HEADS.values()))


class CommandWriter:
    """Writes the commands of one connection; ``robot`` says which hinges there are, None allows those of all."""

    def __init__(self, robot: Robot | None = None) -> None:
        self._robot = robot
        self._effectors = frozenset(robot.effectors) if robot else EFFECTORS
        self._writers: dict[type, Callable[[Any], str]] = {
            **writers(HEADS, _number),
            Scene: _scene,
            Init: _init,
            Hinge: self._hinge,
            Universal: _universal,
            Frame: self._frame,
        }

    def payload(self, command: Command) -> bytes:
        """What goes into a frame for ``command``.

        Raises:
            CommandError: it cannot be sent; the text names the field, its value and the choices.
        """
        if isinstance(command, Unknown):
            return self._harmless(command.raw)
        writer = self._writers.get(type(command))
        if writer is None:
            raise CommandError(unknown("command", type(command).__name__, _names(self._writers)))
        return writer(command).encode()

    def _frame(self, command: Frame) -> str:
        if not isinstance(command.actions, tuple | list):
            raise CommandError(f"Frame.actions is {command.actions!r}; it must be a tuple of actions")
        written: dict[str, str] = {}
        for index, action in enumerate(command.actions):
            try:
                if type(action) not in ACTIONS:
                    raise CommandError(unknown("action", type(action).__name__, _names(ACTIONS)))
                text = self._writers[type(action)](action)
                key = action.name if isinstance(action, Hinge | Universal) else type(action).__name__
                if key in written:
                    raise CommandError(f"a second {key}; the server would obey only one of them")
            except CommandError as error:
                raise CommandError(f"Frame.actions[{index}]: {error}") from None
            written[key] = text
        if not written:
            raise CommandError("Frame.actions is empty, and an empty frame says nothing")
        return "".join(written.values())

    def _hinge(self, command: Hinge) -> str:
        name = command.name
        if not isinstance(name, str) or name not in self._effectors:
            kind = f"hinge of robot {self._robot.name}" if self._robot else "hinge"
            raise CommandError(f"Hinge.name: {unknown(kind, str(name)[:80], self._effectors)}")
        return f"({name} {_number('Hinge.speed_rad_s', command.speed_rad_s)})"

    def _harmless(self, raw: bytes) -> bytes:
        """``raw`` itself, for sending again what was received, unless the server could take it for a command."""
        names = raw.replace(b"(", b" ").split()
        heads = {name.decode("utf-8", "replace").strip("()") for name in names}
        if any(head in raw for head in _TYPED_HEADS) or heads & self._effectors:
            raise CommandError(f"Unknown.raw: the server may take {raw[:80]!r} for a command")
        return raw


def _names(kinds: Iterable[type]) -> list[str]:
    return [kind.__name__ for kind in kinds]


def _scene(command: Scene) -> str:
    file, arguments = command.file, command.arguments
    if not isinstance(file, str) or not _FILE.fullmatch(file) or ".." in file:
        raise CommandError(
            f"Scene.file is {file!r}; it must be a path of the server's, without blanks and '..'"
        )
    if not isinstance(arguments, tuple | list) or not all(
        isinstance(one, str) and WORD.fullmatch(one) for one in arguments
    ):
        raise CommandError(
            f"Scene.arguments is {arguments!r}; they must be words without blanks and parentheses"
        )
    return f"(scene {' '.join((file, *arguments))})"


def _init(command: Init) -> str:
    number, team = command.number, command.team
    if not isinstance(number, Integral) or isinstance(number, bool) or not 0 <= number <= MAX_PLAYER:
        raise CommandError(f"Init.number is {number!r}; it must be a whole number from 0 to {MAX_PLAYER}")
    if not isinstance(team, str) or not WORD.fullmatch(team):
        raise CommandError(f"Init.team is {team!r}; it must be a word without blanks and parentheses")
    return f"(init (unum {number})(teamname {team}))"


def _universal(command: Universal) -> str:
    name = command.name
    if not isinstance(name, str) or not _UNIVERSAL.fullmatch(name):
        raise CommandError(f"Universal.name is {str(name)[:80]!r}; it must be like lae1_2")
    first = _number("Universal.first_rad_s", command.first_rad_s)
    return f"({name} {first} {_number('Universal.second_rad_s', command.second_rad_s)})"


def _number(field: str, value: object) -> str:
    return number_text(field, value, -MAX_NUMBER, MAX_NUMBER, digits=6)
