# SPDX-License-Identifier: Apache-2.0
"""Reads a percept list by list, in any order and with blanks anywhere: this is what the format is.

``percept_patterns.py`` reads the frames that the server really sends, several times faster and with the same
result.
"""

import base64
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from embodiment_bridge.protocols.rcsssmj import events
from embodiment_bridge.protocols.rcsssmj.dialects import Dialect
from embodiment_bridge.protocols.soccer.list_fields import (
    BadListError,
    Fields,
    UnknownListError,
    atom,
    number,
    quote,
)
from embodiment_bridge.protocols.soccer.percept_items import (
    Agent,
    Polar,
    accelerometer,
    as_list,
    good_ones,
    gyro,
    seen,
    touch,
)
from embodiment_bridge.wire.sexpr import Node


class PerceptParts:
    """A percept while it is being put together from its lists."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._fields: dict[str, Any] = {}  # of Percept; tuples grow
        self._joints: list[tuple[str, float, float]] = []

    def percept(self, offset: int) -> events.Percept | None:
        """The percept of the lists so far, or None when there were none."""
        if self._joints:
            names, positions, velocities = zip(*self._joints, strict=True)
            self._fields["joints"] = events.Joints(names, positions, velocities)
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
        """Whatever the server calls its clock; 0.2.1 calls it ``now``, which counts where there are others too."""
        fields = Fields(items[1:])
        name = "now" if "now" in fields else next(iter(fields), "now")
        self._once("time_s", fields.number(name))
        fields.end()

    def _game_state(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        state = events.GameState(
            play_time_s=fields.number("t"),
            play_mode=fields.text("pm"),
            team_left=fields.text("tl") if "tl" in fields else None,
            team_right=fields.text("tr") if "tr" in fields else None,
            score_left=fields.integer("sl"),
            score_right=fields.integer("sr"),
        )
        self._once("game_state", state)
        fields.end()

    def _orientation(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        self._add("orientations", events.Orientation(fields.text("n"), *fields.numbers("q", 4)))
        fields.end()

    def _position(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        key = "p" if "p" in fields else "pos"
        self._add("positions", events.Position(fields.text("n"), *fields.numbers(key, 3)))
        fields.end()

    def _gyro(self, items: list[Node]) -> None:
        gyro(items, partial(self._add, "gyros"))

    def _accelerometer(self, items: list[Node]) -> None:
        accelerometer(items, partial(self._add, "accelerometers"))

    def _joint(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        self._joints.append((fields.text("n"), fields.number("ax"), fields.number("vx")))
        fields.end()

    def _joint_set(self, items: list[Node]) -> None:
        fields = Fields(items[1:])
        names = fields.texts("names")
        if not names:
            raise BadListError("names is empty")
        positions = fields.numbers("axs", len(names))
        velocities = fields.numbers("vxs", len(names))
        self._joints += zip(names, positions, velocities, strict=True)
        fields.end()

    def _touch(self, items: list[Node]) -> None:
        touch(items, partial(self._add, "touches"))

    def _microphone(self, items: list[Node]) -> None:
        if len(items) < 2:
            raise BadListError("no name")
        name = atom(items[1])
        heard, problem = good_ones(items[2:], _heard)
        self._add("microphones", events.Microphone(name, tuple(heard)))
        if problem:
            raise problem

    def _vision(self, items: list[Node]) -> None:
        found, problem = good_ones(items[1:], seen)
        points = [item for item in found if isinstance(item, Polar)]
        agents = [item for item in found if isinstance(item, Agent)]
        polars = [*points, *(marker for agent in agents for marker in agent.body)]
        self._dialect.look_at([polar.first for polar in polars], [polar.third for polar in polars])
        detected = self._dialect.detection
        vision = events.Vision(
            tuple(detected(*point) for point in points),
            tuple(
                events.AgentDetection(team, number, tuple(detected(*marker) for marker in body))
                for team, number, body in agents
            ),
        )
        self._once("vision", vision)
        if problem:
            raise problem


_READERS: Final[dict[str, Callable[[PerceptParts, list[Node]], None]]] = {
    "time": PerceptParts._time,
    "GS": PerceptParts._game_state,
    "quat": PerceptParts._orientation,
    "pos": PerceptParts._position,
    "GYR": PerceptParts._gyro,
    "ACC": PerceptParts._accelerometer,
    "HJ": PerceptParts._joint,
    "JS": PerceptParts._joint_set,
    "TCH": PerceptParts._touch,
    "MIC": PerceptParts._microphone,
    "See": PerceptParts._vision,
}


def _heard(item: list[Node]) -> events.Heard:
    """Read ``(-2 aGVsbG8=)``."""
    if len(item) != 2:
        raise BadListError(f"{quote(item)} is no (azimuth message)")
    azimuth, text = number(item[0]), atom(item[1])
    try:
        message = base64.b64decode(text, validate=True)
    except ValueError:
        raise BadListError(f"{quote(text)} is not base64") from None
    return events.Heard(azimuth, message)
