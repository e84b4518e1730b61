# SPDX-License-Identifier: Apache-2.0
"""Reads a percept list by list, in any order and with blanks anywhere: this is what the format is.

``percept_patterns.py`` reads the frames that the server really sends, several times faster and with the same result.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from embodiment_bridge.protocols.simspark import events
from embodiment_bridge.protocols.simspark.dialects import CURRENT, OLD, SPL, Dialect
from embodiment_bridge.protocols.soccer.list_fields import (
    BadListError,
    Fields,
    UnknownListError,
    atom,
    number,
    quote,
)
from embodiment_bridge.protocols.soccer.percept_items import (
    accelerometer,
    as_list,
    good_ones,
    gyro,
    point,
    touch,
)
from embodiment_bridge.wire.sexpr import Node

_OWN_VALUES: Final = {"mypos": "my_position_m", "ballpos": "ball_position_m", "myorien": "my_orientation_deg"}


class PerceptParts:
    """A percept while it is being put together from its lists."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._fields: dict[str, Any] = {}  # of Percept; tuples grow
        self._joints: list[tuple[str, float]] = []

    def percept(self, offset: int) -> events.Percept | None:
        """The percept of the lists so far, or None when there were none."""
        if self._joints:
            names, positions = zip(*self._joints, strict=True)
            self._fields["joints"] = events.Joints(names, positions)
        return events.Percept(offset, **self._fields) if self._fields else None

    def read(self, message: list[Node]) -> None:
        """Take in a message of one list.

        Raises:
            BadListError: the list, or something in it, is wrong.
            UnknownListError: the list, or something in it, is not known.
        """
        (items,) = (as_list(item) for item in message)
        if not items:
            raise BadListError("empty list")
        reader = _READERS.get(items[0]) if isinstance(items[0], str) else None
        if reader is None:
            raise UnknownListError
        reader(self, items)

    def _once(self, name: str, value: object) -> None:
        if name in self._fields:
            raise BadListError("twice in one percept")
        self._fields[name] = value

    def _add(self, name: str, value: object) -> None:
        self._fields[name] = (*self._fields.get(name, ()), value)

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

    def _gyro(self, items: list[Node]) -> None:
        gyro(items, partial(self._add, "gyros"))

    def _accelerometer(self, items: list[Node]) -> None:
        accelerometer(items, partial(self._add, "accelerometers"))

    def _touch(self, items: list[Node]) -> None:
        touch(items, partial(self._add, "touches"))

    def _joint(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        self._joints.append((fields.text("n"), fields.number("ax")))
        fields.end()

    def _universal_joint(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        joint = events.UniversalJoint(fields.text("n"), fields.number("ax1"), fields.number("ax2"))
        self._add("universal_joints", joint)
        fields.end()

    def _force(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        force = events.Force(fields.text("n"), tuple(fields.numbers("c", 3)), tuple(fields.numbers("f", 3)))
        self._add("forces", force)
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

    def _agent_state(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        pan, tilt = fields.numbers("pan_tilt", 2) if "pan_tilt" in fields else (None, None)
        battery = fields.number("battery") if "battery" in fields else None
        temperature = fields.number("temp") if "temp" in fields else None
        self._once("agent_state", events.AgentState(battery, temperature, pan, tilt))
        fields.end()

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


_READERS: Final[dict[str, Callable[[PerceptParts, list[Node]], None]]] = {
    "time": PerceptParts._time,
    "GS": PerceptParts._game_state,
    "GYR": PerceptParts._gyro,
    "ACC": PerceptParts._accelerometer,
    "HJ": PerceptParts._joint,
    "UJ": PerceptParts._universal_joint,
    "FRP": PerceptParts._force,
    "TCH": PerceptParts._touch,
    "hear": PerceptParts._heard,
    "AgentState": PerceptParts._agent_state,
    "See": PerceptParts._vision,
}


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
