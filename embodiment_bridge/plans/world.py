# SPDX-License-Identifier: Apache-2.0
"""What the actions of a plan need to know of the world: where the body is, and where things are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import atan2, hypot

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.core.units import wrap_angle


@dataclass(frozen=True, slots=True)
class Place:
    """Where the body is in ``map``: m, and rad about z from x."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True, slots=True)
class World:
    """A moment of the world. ``pose`` is None where nobody knows it; ``entities``: middle of each thing by id."""

    pose: Place | None = None
    entities: Mapping[str, Vector] = field(default_factory=dict)


def distance(place: Place, target: Vector) -> float:
    """Over the floor, in m."""
    return hypot(target[0] - place.x, target[1] - place.y)


def bearing(place: Place, target: Vector) -> float:
    """From the heading to the target, in rad, positive to the left."""
    return wrap_angle(atan2(target[1] - place.y, target[0] - place.x) - place.yaw)
