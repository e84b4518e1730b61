# SPDX-License-Identifier: Apache-2.0
"""From degrees to radians, for all soccer simulators: what a camera sees, how fast a robot turns."""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.core.units import RAD_PER_DEG
from embodiment_bridge.protocols.soccer.events import AgentDetection, Gyro, PointDetection
from embodiment_bridge.scene.sight import Agent, Point, Sight, point

# A picture of two full teams has 31 points and 22 robots with 5 parts each. A server that sends more, does so
# to do harm: what is beyond these limits is left out.
MAX_POINTS: Final = 200
MAX_AGENTS: Final = 64
MAX_PARTS: Final = 16
MAX_LINES: Final = 200


def sight(
    points: Iterable[PointDetection],
    agents: Iterable[AgentDetection],
    lines: Iterable[tuple[PointDetection, PointDetection]] = (),
) -> Sight:
    """A picture in metres and radians; detections that are not finite are left out."""
    ends = (_points(line, 2) for line in islice(lines, MAX_LINES))
    return Sight(
        _points(points, MAX_POINTS),
        tuple(
            Agent(agent.team, agent.number, _points(agent.body, MAX_PARTS))
            for agent in islice(agents, MAX_AGENTS)
        ),
        tuple((line[0].position, line[1].position) for line in ends if len(line) == 2),
    )


def _points(detections: Iterable[PointDetection], limit: int) -> tuple[Point, ...]:
    found = (
        point(seen.name, seen.distance_m, seen.azimuth_deg * RAD_PER_DEG, seen.elevation_deg * RAD_PER_DEG)
        for seen in islice(detections, limit)
    )
    return tuple(one for one in found if one is not None)


def rates(gyro: Gyro) -> Vector:
    """rad/s about the axes of the sensor."""
    return gyro.x_deg_s * RAD_PER_DEG, gyro.y_deg_s * RAD_PER_DEG, gyro.z_deg_s * RAD_PER_DEG
