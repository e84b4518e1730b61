# SPDX-License-Identifier: Apache-2.0
"""Codec of rcssserver3d's agent port for one connection, and its commands in the units of the wire.

Bytes to events, commands to bytes; it refuses commands that the server would drop without a word.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, get_args

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.simspark.events import Percept
from embodiment_bridge.protocols.simspark.percept_reader import Dialect, PerceptReader
from embodiment_bridge.protocols.simspark.robots import EFFECTORS, ROBOTS, UNIVERSAL_EFFECTOR, Robot
from embodiment_bridge.protocols.soccer import command_writer
from embodiment_bridge.protocols.soccer.codec import AgentCodec, robot_named
from embodiment_bridge.protocols.soccer.command_writer import (
    WORD,
    Write,
    Written,
    number_text,
    whole_text,
    writers,
)
from embodiment_bridge.wire.codec import Malformed, Unknown
from embodiment_bridge.wire.framing import DEFAULT_MAX_FRAME

MAX_SAY: Final = 20  # characters; the server drops longer messages silently


@dataclass(frozen=True, slots=True)
class Scene:
    """``(scene rsg/agent/nao/nao_hetero.rsg 3)``: which robot to be; the first frame of a connection.

    A file that is not there is not answered at all.
    """

    file: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Init:
    """``(init (unum 1)(teamname alpha))``: into which team; lost before the first percept.

    number 0 is the next free one. A refusal is that no number and side come back.
    """

    number: int
    team: str


@dataclass(frozen=True, slots=True)
class Hinge:
    """``(lae3 1.2)``: turn one joint at this speed until the next command for it."""

    name: str
    speed_rad_s: float


@dataclass(frozen=True, slots=True)
class Universal:
    """``(lae1_2 1.2 -0.5)``: turn a joint of two axes, of old soccerbots."""

    name: str
    first_rad_s: float
    second_rad_s: float


@dataclass(frozen=True, slots=True)
class Beam:
    """``(beam x y rot)``: be somewhere else in the own half; before kick-off and after a goal only.

    Seen from the own side, for both teams: x < 0 is the own half, angle 0 looks at the opponents' goal.
    """

    x: float  # m
    y: float  # m
    theta_deg: float


@dataclass(frozen=True, slots=True)
class Say(Written):
    """``(say hello)``: 1 to 20 characters from ``!`` to ``~`` without parentheses."""

    message: str

    @override
    def text(self) -> str:
        message = self.message
        if not isinstance(message, str):
            raise CommandError(f"Say.message: {message!r} is no text")
        if not 1 <= len(message) <= MAX_SAY:
            raise CommandError(
                f"Say.message: text {message[:40]!r} has {len(message)} characters; the server carries 1 to {MAX_SAY}"
            )
        if not WORD.fullmatch(message):
            bad = next(c for c in message if not WORD.fullmatch(c))
            raise CommandError(
                f"Say.message: text {message!r} has the character {bad!r}; "
                "the server carries '!' to '~' without ( and )"
            )
        return f"(say {message})"


@dataclass(frozen=True, slots=True)
class Pass:
    """``(pass)``: ask for the play mode in which opponents must keep away, from 0.7.2 on."""


@dataclass(frozen=True, slots=True)
class Syn:
    """``(syn)``: no action, but a server in sync mode goes on."""


Action: TypeAlias = Hinge | Universal | Beam | Say | Pass | Syn | Init
ACTIONS: Final[tuple[type[Action], ...]] = get_args(Action)
HEADS: Final[Mapping[type, str]] = {Beam: "beam", Say: "say", Pass: "pass", Syn: "syn"}
"""Actions that are the same for every robot, each with its first word: they are ``Written`` or of numbers alone."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Several actions in one wire frame: one frame per percept."""

    actions: tuple[Action, ...]


COMMANDS: Final = (Scene, *ACTIONS, Frame)


Command: TypeAlias = Scene | Frame | Action | Unknown

MAX_PLAYER: Final = 11
MAX_NUMBER: Final = 1e6
_UNIVERSAL = re.compile(UNIVERSAL_EFFECTOR)
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
_TYPED_HEADS: Final = (b"(scene", b"(init", *(f"({word}".encode() for word in HEADS.values()))


class CommandWriter(command_writer.CommandWriter):
    """Writes the commands of one connection; ``robot`` says which hinges there are, None allows those of all."""

    frame, actions, named = Frame, ACTIONS, (Hinge, Universal)
    empty = "an empty frame says nothing"

    def __init__(self, robot: Robot | None = None) -> None:
        self._robot = robot
        self._effectors = frozenset(robot.effectors) if robot else EFFECTORS
        own: dict[type, Write] = {Scene: _scene, Init: _init, Hinge: self._hinge, Universal: _universal}
        super().__init__({**writers(HEADS, _number), **own})

    def _hinge(self, command: Hinge) -> str:
        name = command.name
        if not isinstance(name, str) or name not in self._effectors:
            kind = f"hinge of robot {self._robot.name}" if self._robot else "hinge"
            raise CommandError(f"Hinge.name: {unknown(kind, str(name)[:80], self._effectors)}")
        return f"({name} {_number('Hinge.speed_rad_s', command.speed_rad_s)})"

    @override
    def harmless(self, raw: bytes) -> bytes:
        names = raw.replace(b"(", b" ").split()
        heads = {name.decode("utf-8", "replace").strip("()") for name in names}
        if any(head in raw for head in _TYPED_HEADS) or heads & self._effectors:
            raise CommandError(f"Unknown.raw: the server may take {raw[:80]!r} for a command")
        return raw


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
    number, team = whole_text("Init.number", command.number, 0, MAX_PLAYER), command.team
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


__all__ = ["Codec", "Command", "CommandError", "Event"]

Event: TypeAlias = Percept | Unknown | Malformed


class Codec(AgentCodec[Event, Command]):
    """Decodes what an agent receives and encodes what it sends."""

    def __init__(
        self, robot: Robot | str | None = None, dialect: str | None = None, max_frame: int = DEFAULT_MAX_FRAME
    ) -> None:
        """Start a connection.

        Args:
            robot: whose hinges may be commanded; None for those of all.
            dialect: ``0.7``, ``0.6`` or ``spl``; None finds it from the stream.
            max_frame: longest frame accepted, bytes.

        Raises:
            ConfigError: there is no such robot or dialect.
        """
        if isinstance(robot, str):
            robot = robot_named(robot, ROBOTS)
        found = Dialect(dialect)
        super().__init__(found, PerceptReader(found).read, CommandWriter(robot).payload, max_frame)
