# SPDX-License-Identifier: Apache-2.0
"""What the camera and the torso's sensors say, in SI units: the two ends of the chain from camera to ``map``."""

import math
from collections.abc import Iterable
from itertools import islice
from typing import Final

from embodiment_bridge.protocols.rcsssmj.events import Percept, PointDetection, Vision
from embodiment_bridge.scene.camera import Pose
from embodiment_bridge.scene.sight import Agent, Point, Sight, point
from embodiment_bridge.units import RAD_PER_DEG

# A picture of two full teams has 31 points and 22 robots with 3 parts each. A server that sends more, does so
# to do harm: what is beyond these limits is left out.
MAX_POINTS: Final = 200
MAX_AGENTS: Final = 64
MAX_PARTS: Final = 16

HALF_DIGIT: Final = 0.0005  # rcssservermj 0.2.1 cuts quaternions after three digits, towards zero


def sight(vision: Vision) -> Sight:
    """A picture in metres and radians; detections that are not finite are left out."""
    agents = islice(vision.agents, MAX_AGENTS)
    return Sight(
        _points(vision.points, MAX_POINTS),
        tuple(Agent(agent.team, agent.number, _points(agent.body, MAX_PARTS)) for agent in agents),
    )


def _points(detections: Iterable[PointDetection], limit: int) -> tuple[Point, ...]:
    found = (
        point(seen.name, seen.distance_m, seen.azimuth_deg * RAD_PER_DEG, seen.elevation_deg * RAD_PER_DEG)
        for seen in islice(detections, limit)
    )
    return tuple(one for one in found if one is not None)


def base_pose(percept: Percept) -> Pose | None:
    """The torso in ``map``; None where the percept does not say it in finite numbers.

    Each number of the quaternion is taken for the middle of what the server may have cut: at 50 m that halves how
    far landmarks appear from where they are, to 6 cm at most.
    """
    if not percept.positions or not percept.orientations:
        return None
    place, turn = percept.positions[0], percept.orientations[0]
    x, y, z, w = (value + math.copysign(HALF_DIGIT, value) for value in (turn.x, turn.y, turn.z, turn.w))
    length = math.hypot(x, y, z, w)
    if not math.isfinite(length + place.x_m + place.y_m + place.z_m):
        return None
    return Pose((place.x_m, place.y_m, place.z_m), (x / length, y / length, z / length, w / length))
