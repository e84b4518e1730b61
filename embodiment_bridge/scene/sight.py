# SPDX-License-Identifier: Apache-2.0
"""The content of one picture, in m and rad, in the frame of the camera (x forward, y left, z up)."""

import math
from typing import NamedTuple

from embodiment_bridge.core.rotation import Vector


class Point(NamedTuple):
    """One thing seen as a point: distance m, azimuth rad positive left, elevation rad positive up, position m."""

    name: str
    distance: float
    azimuth: float
    elevation: float
    position: Vector


class Agent(NamedTuple):
    """One robot, seen by its parts; ``team`` is empty and ``number`` -1 where they are unknown."""

    team: str
    number: int
    parts: tuple[Point, ...]


class Sight(NamedTuple):
    """One picture; all tuples are empty when it shows nothing. lines: of the floor, from point to point (m)."""

    points: tuple[Point, ...]
    agents: tuple[Agent, ...]
    lines: tuple[tuple[Vector, Vector], ...] = ()


def point(name: str, distance: float, azimuth: float, elevation: float) -> Point | None:
    """A detection from its polar coordinates (m, rad); None when they are not finite."""
    if not math.isfinite(distance + azimuth + elevation):
        return None
    ahead = distance * math.cos(elevation)
    position = (ahead * math.cos(azimuth), ahead * math.sin(azimuth), distance * math.sin(elevation))
    return Point(name, distance, azimuth, elevation, position)
