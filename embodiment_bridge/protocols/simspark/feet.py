# SPDX-License-Identifier: Apache-2.0
"""Where a Nao's feet touch the ground, by its URDF. No ROS."""

import math
from collections.abc import Iterable, Sequence
from typing import Final

from embodiment_bridge.core.rotation import Vector, rotate
from embodiment_bridge.protocols.simspark.convert import forward_left_up
from embodiment_bridge.protocols.simspark.events import Force
from embodiment_bridge.scene.camera import BASE_LINK, Pose
from embodiment_bridge.urdf import Robot, link_pose

SENSORS: Final = {"rf": "r_sole", "lf": "l_sole", "rf1": "r_toe", "lf1": "l_toe"}  # links by perceptor


class Feet:
    """The feet of a robot description; a foot whose link it lacks, or that hangs on nothing, tells nothing.

    joints: names in the order in which positions will come.
    """

    def __init__(self, robot: Robot, joints: Sequence[str]) -> None:
        self._robot = robot
        self._joints = tuple(joints)
        has_base = BASE_LINK in robot.links
        self._links = {name: link for name, link in SENSORS.items() if has_base and link in robot.links}

    def contacts(self, forces: Iterable[Force], positions: Sequence[float]) -> list[tuple[Vector, Vector]]:
        """Points at which the ground pushes (m), and how it pushes (N), in base_link.

        Args:
            forces: of one percept.
            positions: rad per joint.
        """
        angles = dict(zip(self._joints, positions, strict=True))
        found = []
        for force in forces:
            link = self._links.get(force.name)
            if link is None or not math.isfinite(sum(force.point_m) + sum(force.force_n)):
                continue
            foot = link_pose(self._robot, angles, link, BASE_LINK)
            if foot is not None:
                at = Pose(foot.xyz, foot.quaternion).place(forward_left_up(*force.point_m))
                found.append((at, rotate(foot.quaternion, forward_left_up(*force.force_n))))
        return found
