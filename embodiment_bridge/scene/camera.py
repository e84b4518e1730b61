# SPDX-License-Identifier: Apache-2.0
"""The pose of a camera: forward kinematics from the base of the body, whose pose in ``map`` is known."""

from collections.abc import Sequence
from typing import NamedTuple

from embodiment_bridge.core.rotation import IDENTITY, Quaternion, Vector, multiply, rotate
from embodiment_bridge.urdf import Robot, chain, link_pose

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
"""Of the body in its own frame."""


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
