# SPDX-License-Identifier: Apache-2.0
"""Describes the lists of rcssserver3d's percepts as rows, and reads them in any of its dialects."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import repeat
from types import MappingProxyType
from typing import Any, Final, Never

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.simspark import events
from embodiment_bridge.protocols.simspark.events import LineDetection, Percept
from embodiment_bridge.protocols.soccer import codec
from embodiment_bridge.protocols.soccer.codec import PerceptFields
from embodiment_bridge.protocols.soccer.list_fields import (
    NUMBER,
    TEXT,
    WHOLE,
    BadListError,
    Fields,
    quote,
)
from embodiment_bridge.protocols.soccer.percepts import (
    ACCELEROMETER,
    AGENT,
    BALL,
    GYRO,
    NAME,
    PLAYER,
    POINT,
    TOUCH,
    PointDetection,
)
from embodiment_bridge.protocols.soccer.wire_table import DIRECTION, Form, Read, Row, Value
from embodiment_bridge.wire.sexpr import Node

LINE_NAME: Final = "L"
NO_TEAM: Final = "-"
NAMES: Final = frozenset({"F1L", "F1R", "F2L", "F2R", "G1L", "G1R", "G2L", "G2R", BALL, PLAYER})


def _game(number: Any, side: Any, left: Any, right: Any, time: float, mode: str) -> events.GameState:
    return events.GameState(time, mode, left, right, number, side)


def _vision(points: Any, agents: Any, lines: Any, *own: Any) -> events.Vision:
    place, heading, ball = own[:3], own[3], own[4:]
    return events.Vision(
        points, agents, lines, None if place[0] is None else place, heading, None if ball[0] is None else ball
    )


class LineRow(Row):
    """``(L [(n name)] (pol ...) (pol ...))``; its ends have the name."""

    @override
    def read(self, items: list[Node]) -> Read:
        label, ends = LINE_NAME, items[1:]
        if len(ends) == 3:
            label = Fields(ends[:1]).text("n")
            ends = ends[1:]
        if len(ends) != 2:
            raise BadListError(f"{quote(items)} has not two ends")
        (start, _), (end, _) = (POINT.read([label, one]) for one in ends)
        return LineDetection(start, end), None


def _lines(*columns: Iterable[float]) -> tuple[LineDetection, ...]:
    starts, ends = (map(PointDetection, repeat(LINE_NAME), *columns[half : half + 3]) for half in (0, 3))
    return tuple(map(LineDetection, starts, ends))


def _force(name: str, x: float, y: float, z: float, fx: float, fy: float, fz: float) -> events.Force:
    return events.Force(name, (x, y, z), (fx, fy, fz))


TIME: Final = Row("time", lambda now: now, Value(NUMBER, "now", optional=True), field="time_s")
GAME: Final = Row(
    "GS",
    _game,
    Value(WHOLE, "unum", optional=True),
    Value(TEXT, "team", optional=True),
    Value(WHOLE, "sl", optional=True, usual=True),
    Value(WHOLE, "sr", optional=True, usual=True),
    Value(NUMBER, "t"),
    Value(TEXT, "pm"),
    field="game_state",
)
HEARD: Final = Row(
    "hear", events.Heard, Value(TEXT), Value(NUMBER), Value(DIRECTION), Value(TEXT), field="heard", many=True
)
JOINT: Final = Row(
    "HJ",
    lambda *values: values,
    NAME,
    Value(NUMBER, "ax"),
    field="joints",
    many=True,
    joined=lambda *columns: events.Joints(*map(tuple, columns)),
)
UNIVERSAL: Final = Row(
    "UJ",
    events.UniversalJoint,
    NAME,
    Value(NUMBER, "ax1"),
    Value(NUMBER, "ax2"),
    field="universal_joints",
    many=True,
)
FORCE: Final = Row(
    "FRP",
    _force,
    NAME,
    Value(NUMBER, "c", 3),
    Value(NUMBER, "f", 3),
    field="forces",
    many=True,
)
STATE: Final = Row(
    "AgentState",
    events.AgentState,
    Value(NUMBER, "battery", optional=True),
    Value(NUMBER, "temp", optional=True),
    Value(NUMBER, "pan_tilt", 2, optional=True),
    field="agent_state",
)
LINE: Final = LineRow("L", LineDetection, Value(NUMBER, "pol", 3), Value(NUMBER, "pol", 3), joined=_lines)
SEE: Final = Row(
    "See",
    _vision,
    POINT,
    AGENT,
    LINE,
    Value(NUMBER, "mypos", 3, optional=True),
    Value(NUMBER, "myorien", optional=True),
    Value(NUMBER, "ballpos", 3, optional=True),
    field="vision",
)
ROWS: Final = (TIME, GAME, HEARD, GYRO, ACCELEROMETER, JOINT, UNIVERSAL, FORCE, TOUCH, STATE, SEE)
FEET: Final = ((JOINT, "*"), (FORCE, "*"))  # the force of a foot comes behind one of its joints
USUAL: Final = Form(
    TIME, GAME, (HEARD, "*"), GYRO, ACCELEROMETER, (JOINT, "*"), (SEE, "?"), *FEET, *FEET, *FEET, *FEET, (JOINT, "*")
)  # fmt: skip

CURRENT: Final = "0.7"  # (hear team time direction message), scores in GS
OLD: Final = "0.6"  # (hear time direction message), no scores: servers from before 2014
SPL: Final = "spl"  # the fork of the Standard Platform League: names in lines, three decimals
DIALECTS: Final = (CURRENT, OLD, SPL)


class Dialect:
    """The form in use on one connection: as told, or else found from what the server sends.

    When it was told, lists of another form are malformed.
    """

    def __init__(self, name: str | None = None) -> None:
        """Expect ``name``; None finds it from the stream, beginning with that of 0.7.

        Raises:
            ConfigError: there is no such dialect.
        """
        if name is not None and name not in DIALECTS:
            raise ConfigError(unknown("dialect", name, DIALECTS))
        self.name = name or CURRENT
        self._told = name is not None

    def show(self, *possible: str) -> None:
        """Take in that a list was of a form that only these dialects have.

        Raises:
            BadListError: another one was told.
        """
        if self.name in possible:
            return
        if self._told:
            raise BadListError(f"of dialect {' or '.join(possible)}, not {self.name}")
        self.name = possible[0]


class PerceptReader(codec.PerceptReader[Percept, Never]):
    """Reads the frames of one connection, and finds its dialect."""

    form = USUAL
    rows = MappingProxyType({row.word: row for row in ROWS})

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    @override
    def percept(self, offset: int, fields: PerceptFields) -> Percept:
        return Percept(offset, **fields)

    @property
    @override
    def names(self) -> Collection[str]:
        return NAMES

    @override
    def quick(self, text: str) -> PerceptFields | None:
        fields = self.form.read(text)
        return None if fields and "heard" in fields and self._dialect.name == OLD else fields

    @override
    def take(self, word: str, items: list[Node], fields: PerceptFields) -> None:
        if word == "hear" and len(items) == 4:
            self._dialect.show(OLD)
            value, problem = HEARD.read([word, NO_TEAM, *items[1:]])
            self.put(HEARD, replace(value, team=None), problem, fields)
            return
        if word == "hear" and len(items) == 5:
            self._dialect.show(CURRENT, SPL)
        super().take(word, items, fields)

    @override
    def put(self, row: Row, value: Any, problem: ValueError | None, fields: PerceptFields) -> None:
        if row is GAME and not problem and value.score_left is None and value.score_right is None:
            self._dialect.show(OLD)
        elif row is SEE and any(line.start.name != LINE_NAME for line in value.lines):
            try:
                self._dialect.show(SPL)
            except BadListError as error:
                problem = problem or error
                value = replace(value, lines=tuple(x for x in value.lines if x.start.name == LINE_NAME))
        super().put(row, value, problem, fields)
