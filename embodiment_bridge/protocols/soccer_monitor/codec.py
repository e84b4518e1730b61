# SPDX-License-Identifier: Apache-2.0
"""Codec of a soccer server's monitor port.

Frames to events, trainer commands to frames; it refuses what a server would ignore without a word.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.soccer.codec import FrameCodec
from embodiment_bridge.protocols.soccer.command_writer import WORD, number_text
from embodiment_bridge.protocols.soccer.command_writer import whole_text as _whole
from embodiment_bridge.protocols.soccer_monitor import commands as c
from embodiment_bridge.protocols.soccer_monitor.commands import Command
from embodiment_bridge.protocols.soccer_monitor.message_parts import Event
from embodiment_bridge.wire.codec import Unknown, excerpt
from embodiment_bridge.wire.sexpr import SexprError, parse

# Writes trainer commands as the servers read them, and refuses what they would ignore without a word.

MAX_NUMBER: Final = 1e6  # m, m/s, s: no simulation survives more
MAX_PLAYER: Final = 99
MAX_SCORE: Final = 10000
MAX_WORD: Final = 100  # characters
TEAMS: Final = ("Left", "Right")  # case counts


def write(command: c.Command | Unknown, kinds: Sequence[type], *, rsmp: bool) -> bytes:
    """Return the payload of a frame for ``command``, which must be one of ``kinds``, or an ``Unknown`` as it came.

    rsmp: the server is rcssservermj, which takes the names of teams and poses in space.

    Raises:
        CommandError: it cannot be sent; the text names the field, its value and the choices.
    """
    if isinstance(command, Unknown):
        return _raw(command.raw)
    if isinstance(command, c.Frame):
        return b"".join(_each(command, kinds, rsmp=rsmp))
    if type(command) not in _WRITERS:
        raise CommandError(unknown("command", type(command).__name__, (kind.__name__ for kind in kinds)))
    if isinstance(command, c.Agent) and not rsmp:
        _team("Agent.team", command.team)
        if command.move3d is not None:
            raise CommandError(
                "Agent.move3d: this server ignores it; it takes move, which turns about z alone"
            )
    word, rest = _WRITERS[type(command)]
    inside = rest(command)
    text = f"({word} {inside})" if inside else f"({word})"
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


def _values(command: c.Agent | c.Ball) -> str:
    """The lists of the values that are given, at least one."""
    kind, rows = type(command).__name__, _VALUES[type(command)]
    text = ""
    for name, count in rows.items():
        value = getattr(command, name)
        if value is not None:
            write = (
                _numbers(f"{kind}.{name}", value, count) if count > 1 else _number(f"{kind}.{name}", value)
            )
            text += f"({name} {write})"
    if not text:
        *names, last = rows
        raise CommandError(f"{kind}: none of {', '.join(names)} and {last} is given")
    return text


def _agent(command: c.Agent) -> str:
    number = _whole("Agent.number", command.number, 0, MAX_PLAYER)
    return f"(unum {number})(team {_word('Agent.team', command.team)}){_values(command)}"


def _some_player(command: c.Select | c.Kill | c.Repos) -> str:
    kind, number, team = type(command).__name__, command.number, command.team
    if number is None and team is None:
        return ""
    if number == c.NOBODY and isinstance(command, c.Select):
        if team is not None:
            raise CommandError(f"Select.team is {team!r}; number {c.NOBODY} selects nobody, of no team")
        return f"(unum {c.NOBODY})"
    if number is None or team is None:
        lacks = "number" if number is None else "team"
        raise CommandError(f"{kind}.{lacks} is None; give both number and team, or neither")
    return f"(unum {_whole(f'{kind}.number', number, 0, MAX_PLAYER)})(team {_team(f'{kind}.team', team)})"


def _team(field: str, value: object, choices: Sequence[str] = TEAMS) -> str:
    if not isinstance(value, str) or value not in choices:
        raise CommandError(f"{field} is {value!r}; it must be {' or '.join(choices)}")
    return value


def _word(field: str, value: object) -> str:
    if isinstance(value, str) and len(value) <= MAX_WORD and WORD.fullmatch(value):
        return value
    raise CommandError(
        f"{field} is {value!r}; it must be 1 to {MAX_WORD} printable ASCII characters, no blanks or parentheses"
    )


def _number(field: str, value: object, low: float = -MAX_NUMBER, high: float = MAX_NUMBER) -> str:
    return number_text(field, value, low, high)


def _numbers(field: str, values: object, count: int) -> str:
    if not isinstance(values, tuple | list) or len(values) != count:
        raise CommandError(f"{field} is {values!r}; it must be {count} numbers")
    return " ".join(_number(f"{field}[{index}]", value) for index, value in enumerate(values))


def _raw(raw: bytes) -> bytes:
    """Return what was received, for sending it again, unless the server could take it for a command."""
    try:
        nodes = parse(raw)
    except (SexprError, TypeError, AttributeError) as error:
        raise CommandError(f"Unknown.raw: {error}") from None
    if not nodes or any(
        isinstance(node, list) and isinstance(node[0], str) and node[0] in _NAMES for node in nodes if node
    ):
        raise CommandError(f"Unknown.raw: the server may take {excerpt(raw)!r} for a command")
    return bytes(raw)


_VALUES: Final[dict[type, dict[str, int]]] = {
    c.Agent: {"pos": 3, "move": 4, "battery": 1, "temperature": 1, "move3d": 7},
    c.Ball: {"pos": 3, "vel": 3},
}
"""What may be set of a thing, and how many numbers that are; at least one has to be."""
_WRITERS: Final[dict[type, tuple[str, Callable[[Any], str]]]] = {
    c.Agent: ("agent", _agent),
    c.Ball: ("ball", _values),
    c.DropBall: ("dropBall", lambda _: ""),
    c.KickOff: ("kickOff", lambda k: _team("KickOff.team", k.team, (*TEAMS, "None"))),
    c.PlayMode: ("playMode", lambda k: _word("PlayMode.name", k.name)),
    c.Select: ("select", _some_player),
    c.Kill: ("kill", _some_player),
    c.Repos: ("repos", _some_player),
    c.Time: ("time", lambda k: _number("Time.time_s", k.time_s, 0.0)),
    c.Score: (
        "score",
        lambda k: (
            f"(left {_whole('Score.left', k.left, 0, MAX_SCORE)})(right {_whole('Score.right', k.right, 0, MAX_SCORE)})"
        ),
    ),
    c.RequestFullState: ("reqfullstate", lambda _: ""),
    c.KillSim: ("killsim", lambda _: ""),
    c.GetAck: ("getAck", lambda k: _word("GetAck.cookie", k.cookie)),
}
"""The word of each command, and what makes the rest of its list."""
_NAMES: Final = ("init", *(word for word, _ in _WRITERS.values()))


class MonitorCodec(FrameCodec[Event, Command | Unknown]):
    """Decodes what a monitor receives and encodes what a trainer sends, for one connection; the server answers nothing.

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
        super().__init__(read_frame, partial(write, kinds=commands, rsmp=rsmp), max_frame)
