# SPDX-License-Identifier: Apache-2.0
"""The world for the actions of a plan: the poses of the body and of entities."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import atan2, hypot

from embodiment_bridge.core.rotation import Vector, wrap_angle


@dataclass(frozen=True, slots=True)
class Place:
    """Pose of the body in ``map``: position in m, heading in rad about z from the x axis, height z of the base in m."""

    x: float
    y: float
    yaw: float
    z: float = 0.0


@dataclass(frozen=True, slots=True)
class World:
    """State of the world at one moment.

    pose: None if unknown. entities: centre of each entity by id, m. owners: who holds an entity, by its id; those that
    are held only. time_s: on the clock of the plan.
    """

    pose: Place | None = None
    entities: Mapping[str, Vector] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)
    time_s: float = 0.0


def distance(place: Place, target: Vector) -> float:
    """Distance over the floor, m."""
    return hypot(target[0] - place.x, target[1] - place.y)


def bearing(place: Place, target: Vector) -> float:
    """Angle from the heading to the target, rad, positive to the left."""
    return wrap_angle(atan2(target[1] - place.y, target[0] - place.x) - place.yaw)
