# SPDX-License-Identifier: Apache-2.0
"""Codec of a soccer server's monitor port.

Frames to events, trainer commands to frames; it refuses what a server would ignore without a word.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from typing import Any, Final

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.soccer.command_writer import number_text
from embodiment_bridge.protocols.soccer_monitor import commands as c
from embodiment_bridge.protocols.soccer_monitor.commands import Command
from embodiment_bridge.protocols.soccer_monitor.message_parts import Event
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown, excerpt
from embodiment_bridge.wire.framing import Framer, frame
from embodiment_bridge.wire.sexpr import SexprError, parse

# Writes trainer commands as the servers read them, and refuses what they would ignore without a word.

MAX_NUMBER: Final = 1e6  # m, m/s, s: no simulation survives more
MAX_PLAYER: Final = 99
MAX_SCORE: Final = 10000
MAX_WORD: Final = 100  # characters
TEAMS: Final = ("Left", "Right")  # case counts
_IS_WORD: Final = re.compile(r"[!-'*-~]+").fullmatch  # printable ASCII without blanks and parentheses
NOBODY: Final = -1  # the number that deselects all


def write(command: c.Command | Unknown, kinds: Sequence[type], *, rsmp: bool) -> bytes:
    """What goes into a frame for ``command``, which must be one of ``kinds``, or an ``Unknown`` as it came.

    rsmp: the server is rcssservermj, which takes the names of teams and poses in space.

    Raises:
        CommandError: it cannot be sent; the text names the field, its value and the choices.
    """
    if isinstance(command, Unknown):
        return _raw(command.raw)
    if isinstance(command, c.Frame):
        return b"".join(_each(command, kinds, rsmp=rsmp))
    writer = _WRITERS.get(type(command))
    if writer is None:
        raise CommandError(unknown("command", type(command).__name__, (kind.__name__ for kind in kinds)))
    if isinstance(command, c.Agent) and not rsmp:
        _team("Agent.team", command.team)
        if command.move3d is not None:
            raise CommandError(
                "Agent.move3d: this server ignores it; it takes move, which turns about z alone"
            )
    text = writer(command)
    if type(command) not in kinds:
        raise CommandError(f"{type(command).__name__}: this server ignores {text}")
    return text.encode()


def _each(frame: c.Frame, kinds: Sequence[type], *, rsmp: bool) -> Iterator[bytes]:
    if not isinstance(frame.commands, tuple | list) or not frame.commands:
        raise CommandError(f"Frame.commands is {frame.commands!r}; it must be one or more commands")
    for index, command in enumerate(frame.commands):
        try:
            if isinstance(command, c.Frame | Unknown):
                raise CommandError(f"a {type(command).__name__} cannot be in a Frame")
            yield write(command, kinds, rsmp=rsmp)
        except CommandError as error:
            raise CommandError(f"Frame.commands[{index}]: {error}") from None


def _agent(command: c.Agent) -> str:
    number = _integer("Agent.number", command.number, 0, MAX_PLAYER)
    head = text = f"(agent (unum {number})(team {_word('Agent.team', command.team)})"
    if command.pos is not None:
        text += f"(pos {_numbers('Agent.pos', command.pos, 3)})"
    if command.move is not None:
        text += f"(move {_numbers('Agent.move', command.move, 4)})"
    if command.battery is not None:
        text += f"(battery {_number('Agent.battery', command.battery)})"
    if command.temperature is not None:
        text += f"(temperature {_number('Agent.temperature', command.temperature)})"
    if command.move3d is not None:
        text += f"(move3d {_numbers('Agent.move3d', command.move3d, 7)})"
    if text == head:
        raise CommandError("Agent: none of pos, move, move3d, battery and temperature is given")
    return text + ")"


def _ball(command: c.Ball) -> str:
    text = ""
    if command.pos is not None:
        text += f"(pos {_numbers('Ball.pos', command.pos, 3)})"
    if command.vel is not None:
        text += f"(vel {_numbers('Ball.vel', command.vel, 3)})"
    if not text:
        raise CommandError("Ball: neither pos nor vel is given")
    return f"(ball {text})"


def _some_player(command: c.Select | c.Kill | c.Repos) -> str:
    kind = type(command).__name__
    name, number, team = kind.lower(), command.number, command.team
    if number is None and team is None:
        return f"({name})"
    if number == NOBODY and isinstance(command, c.Select):
        if team is not None:
            raise CommandError(f"Select.team is {team!r}; number {NOBODY} selects nobody, of no team")
        return f"(select (unum {NOBODY}))"
    if number is None or team is None:
        lacks = "number" if number is None else "team"
        raise CommandError(f"{kind}.{lacks} is None; give both number and team, or neither")
    return f"({name} {_who(kind, number, team)})"


def _who(kind: str, number: object, team: object) -> str:
    return f"(unum {_integer(f'{kind}.number', number, 0, MAX_PLAYER)})(team {_team(f'{kind}.team', team)})"


def _team(field: str, value: object, choices: Sequence[str] = TEAMS) -> str:
    if not isinstance(value, str) or value not in choices:
        raise CommandError(f"{field} is {value!r}; it must be {' or '.join(choices)}")
    return value


def _word(field: str, value: object) -> str:
    if isinstance(value, str) and len(value) <= MAX_WORD and _IS_WORD(value):
        return value
    raise CommandError(
        f"{field} is {value!r}; it must be 1 to {MAX_WORD} printable ASCII characters, no blanks or parentheses"
    )


def _integer(field: str, value: object, low: int, high: int) -> str:
    if not isinstance(value, Integral) or isinstance(value, bool) or not low <= int(value) <= high:
        raise CommandError(f"{field} is {value!r}; it must be a whole number from {low} to {high}")
    return str(int(value))


def _number(field: str, value: object, low: float = -MAX_NUMBER, high: float = MAX_NUMBER) -> str:
    return number_text(field, value, low, high)


def _numbers(field: str, values: object, count: int) -> str:
    if not isinstance(values, tuple | list) or len(values) != count:
        raise CommandError(f"{field} is {values!r}; it must be {count} numbers")
    return " ".join(_number(f"{field}[{index}]", value) for index, value in enumerate(values))


def _raw(raw: bytes) -> bytes:
    """What was received, for sending it again, unless the server could take it for a command."""
    try:
        nodes = parse(raw)
    except (SexprError, TypeError, AttributeError) as error:
        raise CommandError(f"Unknown.raw: {error}") from None
    if not nodes or any(node[0] in _NAMES for node in nodes if isinstance(node, list) and node):
        raise CommandError(f"Unknown.raw: the server may take {excerpt(raw)!r} for a command")
    return bytes(raw)


_WRITERS: Final[dict[type, Callable[[Any], str]]] = {
    c.Agent: _agent,
    c.Ball: _ball,
    c.DropBall: lambda _: "(dropBall)",
    c.KickOff: lambda k: f"(kickOff {_team('KickOff.team', k.team, (*TEAMS, 'None'))})",
    c.PlayMode: lambda k: f"(playMode {_word('PlayMode.name', k.name)})",
    c.Select: _some_player,
    c.Kill: _some_player,
    c.Repos: _some_player,
    c.Time: lambda k: f"(time {_number('Time.time_s', k.time_s, 0.0)})",
    c.Score: lambda k: (
        f"(score (left {_integer('Score.left', k.left, 0, MAX_SCORE)})"
        f"(right {_integer('Score.right', k.right, 0, MAX_SCORE)}))"
    ),
    c.RequestFullState: lambda _: "(reqfullstate)",
    c.KillSim: lambda _: "(killsim)",
    c.GetAck: lambda k: f"(getAck {_word('GetAck.cookie', k.cookie)})",
}
_NAMES: Final = (
    "agent",
    "ball",
    "dropBall",
    "kickOff",
    "playMode",
    "select",
    "kill",
    "repos",
    "time",
    "score",
    "reqfullstate",
    "killsim",
    "getAck",
    "init",
)


class MonitorCodec(codec.Codec[Event, Command | Unknown]):
    """Decodes what a monitor receives and encodes what a trainer sends, for one connection.

    Args:
        read_frame: the events of a frame, by its offset and payload.
        commands: those that the server obeys; others are refused.
        max_frame: bytes.
        rsmp: the server is rcssservermj, which takes the names of teams and poses in space.
    """

    def __init__(
        self,
        read_frame: Callable[[int, bytes], list[Event]],
        commands: Sequence[type],
        max_frame: int,
        *,
        rsmp: bool = False,
    ) -> None:
        self._read_frame = read_frame
        self._commands = commands
        self._rsmp = rsmp
        self._framer = Framer(max_frame)

    @override
    def feed(self, data: bytes) -> list[Event]:
        events: list[Event] = []
        for found in self._framer.feed(data):
            if isinstance(found, Malformed):
                events.append(found)
            else:
                events += self._read_frame(found.offset, found.payload)
        return events

    @override
    def close(self) -> list[Truncated]:
        return self._framer.close()

    @override
    def encode(self, command: Command | Unknown) -> bytes:
        """One frame for one command; the server answers none.

        Raises:
            CommandError: the command cannot be sent; the text names the field, its value and the choices.
        """
        return frame(write(command, self._commands, rsmp=self._rsmp))
