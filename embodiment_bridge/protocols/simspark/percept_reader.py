# SPDX-License-Identifier: Apache-2.0
"""Reads a percept of rcssserver3d in any of its dialects.

With regular expressions where it has the usual shape, else list by list.

A pattern reads the frames that the server really sends, several times faster and with the same result.
"""

import re
from typing import Any, Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.simspark import events
from embodiment_bridge.protocols.soccer import percepts
from embodiment_bridge.protocols.soccer.list_fields import (
    INTEGER,
    NUMBER,
    BadListError,
    Fields,
    atom,
    number,
    quote,
)
from embodiment_bridge.protocols.soccer.percepts import as_list, good_ones, point
from embodiment_bridge.wire.sexpr import ATOM, Node

# The forms of rcssserver3d's percepts, and how to tell them apart: all are read, they differ in single lists.

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


# Reads a percept of the shape that the server sends with a few regular expressions, so as to be fast.
#
# The result is that of ``PerceptParts``, or None when a frame has another shape, however slightly.
#
# A percept takes 55 us so, 300 us list by list. Two teams of eleven in one process get 1100 percepts a
# second: that is 6 % of a core or 33 %.

_Ends: TypeAlias = tuple[str, str, str, str, str, str]

_POL = rf"\(pol {NUMBER} {NUMBER} {NUMBER}\)"
_POINT = rf"\({ATOM} {_POL}\) ?"
_AGENT = rf"\(P \(team {ATOM}\) \(id {INTEGER}\) (?:{_POINT})*\) ?"
_LINE = rf"\(L {_POL} {_POL}\) ?"
_HINGE = rf"\(HJ \(n {ATOM}\) \(ax {NUMBER}\)\)"
_FORCE = rf"\(FRP \(n {ATOM}\) \(c {NUMBER} {NUMBER} {NUMBER}\) \(f {NUMBER} {NUMBER} {NUMBER}\)\)"
_HEARD = rf"\(hear {ATOM} {NUMBER} {ATOM} {ATOM}\)"

_each_point = re.compile(rf"\(({ATOM}) \(pol ({NUMBER}) ({NUMBER}) ({NUMBER})\)\)").findall
_each_agent = re.compile(rf"\(P \(team ({ATOM})\) \(id ({INTEGER})\) ((?:{_POINT})*)\)").findall
_each_line = re.compile(
    rf"\(L \(pol ({NUMBER}) ({NUMBER}) ({NUMBER})\) \(pol ({NUMBER}) ({NUMBER}) ({NUMBER})\)\)"
).findall
_each_hinge = re.compile(rf"\(HJ \(n ({ATOM})\) \(ax ({NUMBER})\)\)").findall
_each_force = re.compile(
    rf"\(FRP \(n ({ATOM})\) \(c ({NUMBER}) ({NUMBER}) ({NUMBER})\) \(f ({NUMBER}) ({NUMBER}) ({NUMBER})\)\)"
).findall
_each_heard = re.compile(rf"\(hear ({ATOM}) ({NUMBER}) ({ATOM}) ({ATOM})\)").findall

_head = re.compile(
    rf"\(time \(now ({NUMBER})\)\)"
    rf"\(GS (?:\(unum ({INTEGER})\) \(team ({ATOM})\) )?\(sl ({INTEGER})\) \(sr ({INTEGER})\) "
    rf"\(t ({NUMBER})\) \(pm ({ATOM})\)\)"
    rf"((?:{_HEARD})*)"
    rf"\(GYR \(n ({ATOM})\) \(rt ({NUMBER}) ({NUMBER}) ({NUMBER})\)\)"
    rf"\(ACC \(n ({ATOM})\) \(a ({NUMBER}) ({NUMBER}) ({NUMBER})\)\)"
    rf"((?:{_HINGE})*)"
).match
_see = re.compile(rf"\(See ((?:{_POINT})*)((?:{_AGENT})*)((?:{_LINE})*)\)").match
_limbs = re.compile(rf"(?:{_HINGE}|{_FORCE})*").fullmatch


class PerceptPatterns:
    """Reads the percepts of one connection."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def learn(self, percept: events.Percept) -> None:
        """Nothing is learned: the shape is the same for all robots."""

    def read(self, offset: int, text: str) -> events.Percept | None:
        """The percept in ``text``, or None when it is not of the usual shape."""
        if self._dialect.name == OLD:  # what it has been told or has found is checked list by list
            return None
        head = _head(text)
        if not head:
            return None
        end = head.end()
        see = _see(text, end) if text.startswith("(See", end) else None
        limbs = text[see.end() if see else end :]
        if not _limbs(limbs):
            return None
        try:
            return _percept(offset, head, see, limbs)
        except ValueError:  # a number is not what it looks like; which one, the slow reader says
            return None


def _percept(
    offset: int, head: re.Match[str], see: re.Match[str] | None, limbs: str
) -> events.Percept | None:
    now, player, side, left, right, play_time, mode, heard, *sensors = head.groups()
    hinges = _each_hinge(sensors[8] + limbs)
    forces = _each_force(limbs) if "(FRP" in limbs else ()
    if not hinges:
        return None
    names, angles = zip(*hinges, strict=True)
    x, y, z = map(float, sensors[1:4])
    ax, ay, az = map(float, sensors[5:8])
    return events.Percept(
        offset,
        float(now),
        events.GameState(
            float(play_time), mode, int(left), int(right), None if player is None else int(player), side
        ),
        (events.Gyro(sensors[0], x, y, z),),
        (events.Accelerometer(sensors[4], ax, ay, az),),
        events.Joints(names, tuple(map(float, angles))),
        (),
        tuple(_force(*force) for force in forces),
        (),
        tuple(_heard(*one) for one in _each_heard(heard)) if heard else (),
        None,
        None if see is None else _vision(*see.groups()),
    )


def _force(name: str, *values: str) -> events.Force:
    numbers = tuple(map(float, values))
    return events.Force(name, numbers[:3], numbers[3:])


def _heard(team: str, time: str, direction: str, message: str) -> events.Heard:
    return events.Heard(team, float(time), None if direction == "self" else number(direction), message)


def _vision(points: str, agents: str, lines: str) -> events.Vision:
    return events.Vision(
        _points(points),
        tuple(
            events.AgentDetection(team, int(player), _points(body))
            for team, player, body in _each_agent(agents)
        ),
        tuple(_line(ends) for ends in _each_line(lines)),
    )


def _points(text: str) -> tuple[events.PointDetection, ...]:
    return tuple(
        events.PointDetection(name, float(distance), float(azimuth), float(elevation))
        for name, distance, azimuth, elevation in _each_point(text)
    )


LINE: Final = "L"


def _line(ends: _Ends) -> events.LineDetection:
    a, b, c, d, e, f = map(float, ends)
    return events.LineDetection(events.PointDetection(LINE, a, b, c), events.PointDetection(LINE, d, e, f))


_OWN_VALUES: Final = {"mypos": "my_position_m", "ballpos": "ball_position_m", "myorien": "my_orientation_deg"}


class PerceptParts(percepts.PerceptParts[events.Percept]):
    """A percept while it is being put together from its lists."""

    def __init__(self, dialect: Dialect) -> None:
        others = {
            "time": self._time,
            "GS": self._game_state,
            "HJ": self._joint,
            "hear": self._heard,
            "See": self._vision,
        }
        super().__init__(events.Percept, events.ONE, events.MANY, others)
        self._dialect = dialect
        self._joints: list[tuple[str, float]] = []

    @override
    def percept(self, offset: int) -> events.Percept | None:
        if self._joints:
            self._fields["joints"] = events.Joints(*zip(*self._joints, strict=True))
        return super().percept(offset)

    def _time(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        if "now" in fields:
            self._once("time_s", fields.number("now"))
        fields.end()

    def _game_state(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        whole = {name: fields.integer(name) if name in fields else None for name in ("sl", "sr", "unum")}
        side = fields.text("team") if "team" in fields else None
        state = events.GameState(
            fields.number("t"), fields.text("pm"), whole["sl"], whole["sr"], whole["unum"], side
        )
        if whole["sl"] is None and whole["sr"] is None:
            self._dialect.show(OLD)
        self._once("game_state", state)
        fields.end()

    def _joint(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        self._joints.append((fields.text("n"), fields.number("ax")))
        fields.end()

    def _heard(self, items: list[Node]) -> None:
        words = [atom(item) for item in items[1:]]
        if len(words) == 4:
            self._dialect.show(CURRENT, SPL)
            team: str | None = words.pop(0)
        elif len(words) == 3:
            self._dialect.show(OLD)
            team = None
        else:
            raise BadListError("not of the form [team] time direction message")
        time, direction, message = words
        where = None if direction == "self" else number(direction)
        self._add("heard", events.Heard(team, number(time), where, message))

    def _vision(self, items: list[Node]) -> None:
        found, problem = good_ones(items[1:], self._seen)
        values = {name: value for one in found if isinstance(one, dict) for name, value in one.items()}
        self._once(
            "vision",
            events.Vision(
                tuple(one for one in found if isinstance(one, events.PointDetection)),
                tuple(one for one in found if isinstance(one, events.AgentDetection)),
                tuple(one for one in found if isinstance(one, events.LineDetection)),
                **values,
            ),
        )
        if problem:
            raise problem

    def _seen(self, item: list[Node]) -> Any:
        """Read ``(B (pol ...))``, ``(P ...)``, ``(L ...)``, ``(mypos ...)`` and the like."""
        name = item[0] if item and isinstance(item[0], str) else ""
        if name in _OWN_VALUES:
            return {_OWN_VALUES[name]: _own_value(name, [number(value) for value in item[1:]])}
        if name == "P" and len(item) != 2:
            return _agent(item)
        if name == "L" and len(item) != 2:
            return self._line(item)
        return _point(item)

    def _line(self, item: list[Node]) -> events.LineDetection:
        """Read ``(L [(n name)] (pol ...) (pol ...))``."""
        label, ends = "", item[1:]
        if len(ends) == 3:
            self._dialect.show(SPL)
            fields = Fields(ends[:1])
            label = fields.text("n")
            fields.end()
            ends = ends[1:]
        if len(ends) != 2:
            raise BadListError(f"{quote(item)} has not two ends")
        start, end = (_point([label or "L", one]) for one in ends)
        return events.LineDetection(start, end)


def _own_value(name: str, values: list[float]) -> float | tuple[float, ...]:
    count = 1 if name == "myorien" else 3
    if len(values) != count:
        raise BadListError(f"{name} has {len(values)} values instead of {count}")
    return values[0] if count == 1 else tuple(values)


def _agent(item: list[Node]) -> events.AgentDetection:
    """Read ``(P (team T) (id 1) (head (pol ...)) ...)``; the number is left out until it is known."""
    parts: list[Node] = [one for one in item[1:] if _is_marker(one)]
    fields = Fields([one for one in item[1:] if not _is_marker(one)])
    agent = events.AgentDetection(
        fields.text("team") if "team" in fields else "",
        fields.integer("id") if "id" in fields else -1,
        tuple(_point(as_list(part)) for part in parts),
    )
    fields.end()
    return agent


def _is_marker(item: Node) -> bool:
    return isinstance(item, list) and len(item) == 2 and isinstance(item[1], list)


def _point(item: list[Node]) -> events.PointDetection:
    read = point(item)
    return events.PointDetection(read.name, read.first, read.second, read.third)
