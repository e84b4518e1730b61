# SPDX-License-Identifier: Apache-2.0
"""Reads the lists of a percept that are not of named values alone (``events.py`` has the others).

``percept_patterns.py`` reads the frames that the server really sends, several times faster and with the same result.
"""

from typing import Any, Final

from typing_extensions import override

from embodiment_bridge.protocols.simspark import events
from embodiment_bridge.protocols.simspark.dialects import CURRENT, OLD, SPL, Dialect
from embodiment_bridge.protocols.soccer import percept_lists
from embodiment_bridge.protocols.soccer.list_fields import BadListError, Fields, atom, number, quote
from embodiment_bridge.protocols.soccer.percept_items import as_list, good_ones, point
from embodiment_bridge.wire.sexpr import Node

_OWN_VALUES: Final = {"mypos": "my_position_m", "ballpos": "ball_position_m", "myorien": "my_orientation_deg"}


class PerceptParts(percept_lists.PerceptParts[events.Percept]):
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
