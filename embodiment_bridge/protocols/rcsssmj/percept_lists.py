# SPDX-License-Identifier: Apache-2.0
"""Reads the lists of a percept that are not of named values alone (``events.py`` has the others).

``percept_patterns.py`` reads the frames that the server really sends, several times faster and with the same
result.
"""

import base64

from typing_extensions import override

from embodiment_bridge.protocols.rcsssmj import events
from embodiment_bridge.protocols.rcsssmj.dialects import Dialect
from embodiment_bridge.protocols.soccer import percept_lists
from embodiment_bridge.protocols.soccer.list_fields import BadListError, Fields, atom, number, quote
from embodiment_bridge.protocols.soccer.percept_items import Agent, Polar, good_ones, seen
from embodiment_bridge.wire.sexpr import Node


class PerceptParts(percept_lists.PerceptParts[events.Percept]):
    """A percept while it is being put together from its lists."""

    def __init__(self, dialect: Dialect) -> None:
        others = {
            "time": self._time,
            "HJ": self._joint,
            "JS": self._joint_set,
            "MIC": self._microphone,
            "See": self._vision,
        }
        super().__init__(events.Percept, events.ONE, events.MANY, others)
        self._dialect = dialect
        self._joints: list[tuple[str, float, float]] = []

    @override
    def percept(self, offset: int) -> events.Percept | None:
        if self._joints:
            self._fields["joints"] = events.Joints(*zip(*self._joints, strict=True))
        return super().percept(offset)

    def _time(self, items: list[Node]) -> None:
        """Whatever the server calls its clock; 0.2.1 calls it ``now``, which counts where there are others too."""
        fields = Fields(items[1:])
        name = "now" if "now" in fields else next(iter(fields), "now")
        self._once("time_s", fields.number(name))
        fields.end()

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
