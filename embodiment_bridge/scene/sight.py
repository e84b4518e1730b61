# SPDX-License-Identifier: Apache-2.0
"""A camera of a body: its pose in ``map``, its field of view, and the content of one picture (m and rad.

X forward, y left, z up).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, atan2, hypot, inf, radians
from typing import NamedTuple

from embodiment_bridge.core.rotation import IDENTITY, Quaternion, Vector, inverse, multiply, rotate
from embodiment_bridge.urdf import Robot, chain, link_pose

# The pose of a camera: forward kinematics from the base of the body, whose pose in ``map`` is known.

CAMERA_LINK = "camera_link"
BASE_LINK = "base_link"


class Pose(NamedTuple):
    """A frame in another one: position m, unit quaternion (x, y, z, w)."""

    position: Vector
    quaternion: Quaternion

    def place(self, point: Vector) -> Vector:
        """A point of this frame in the other frame, m."""
        x, y, z = rotate(self.quaternion, point)
        return self.position[0] + x, self.position[1] + y, self.position[2] + z


BODY = Pose((0.0, 0.0, 0.0), IDENTITY)
"""The identity pose, of the body in its own frame."""


class Camera:
    """The camera of a robot description.

    Args:
        robot: the description; it has the links ``base_link`` and ``camera_link``.
        joints: names, in the order of the positions.

    Raises:
        ConfigError: one of the links is missing, or the camera is not connected to the base.
    """

    def __init__(self, robot: Robot, joints: Sequence[str]) -> None:
        chain(robot, BASE_LINK, CAMERA_LINK)
        self._robot = robot
        self._joints = tuple(joints)

    def pose(self, base: Pose, positions: Sequence[float]) -> Pose | None:
        """The pose of the camera in ``map``; None when a joint that carries it has no finite position.

        Args:
            base: of base_link in ``map``.
            positions: rad (m for prismatic joints) per joint.
        """
        angles = dict(zip(self._joints, positions, strict=True))
        link = link_pose(self._robot, angles, CAMERA_LINK, BASE_LINK)
        if link is None:
            return None
        return Pose(base.place(link.xyz), multiply(base.quaternion, link.quaternion))


# The field of view of a camera, and which places are in the picture: m in ``map``, rad from the optical axis.

# a head turns this far while a picture is on its way, so the rim of a picture proves nothing
EDGE = radians(8.0)
SLACK = 0.15  # m by which the remembered place of a thing may be wrong
NEAREST = 0.3  # m; a nearer thing may be in no picture at all


@dataclass(frozen=True, slots=True)
class FieldOfView:
    """A camera's field of view: whole angles across and up in rad (at most 2 pi and pi), and its reach in m."""

    across: float
    up: float
    reach: float = inf

    def shows(self, eye: Pose, place: Vector) -> bool:
        """Whether a point in ``map`` is in the picture of the camera at ``eye``. Nothing hides anything."""
        away, side, high = _direction(eye, place)
        return away <= self.reach and side <= 0.5 * self.across and high <= 0.5 * self.up

    def surely_shows(self, eye: Pose, place: Vector) -> bool:
        """Whether a thing that is still at ``place`` would be in the picture, also with a slightly wrong place."""
        away, side, high = _direction(eye, place)
        if not NEAREST < away <= self.reach:
            return False
        margin = EDGE + asin(min(SLACK / away, 1.0))
        return side <= 0.5 * self.across - margin and high <= 0.5 * self.up - margin


# of the robots of rcssservermj 0.2.1 and rcssserver3d 0.7.3
SOCCER = FieldOfView(radians(120.0), radians(120.0))


def _direction(eye: Pose, place: Vector) -> Vector:
    """Distance m, and the angles to the side and up or down from the optical axis, both 0 or more."""
    offset = place[0] - eye.position[0], place[1] - eye.position[1], place[2] - eye.position[2]
    ahead, left, up = rotate(inverse(eye.quaternion), offset)
    return hypot(*offset), abs(atan2(left, ahead)), abs(atan2(up, hypot(ahead, left)))


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
