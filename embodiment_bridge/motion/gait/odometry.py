# SPDX-License-Identifier: Apache-2.0
"""Where the hips are: as sensed, or else by what was commanded since."""

from math import cos, sin

from embodiment_bridge.motion.gait.walk import Pace
from embodiment_bridge.motion.gait.walk_program import Pose
from embodiment_bridge.motion.joints.sensing import Sensed


def follow(pose: Pose, sensed: Sensed, yaw: float, pace: Pace, dt: float) -> None:
    """Move ``pose`` on by ``dt`` s; ``yaw`` (rad) is that of the hips while it is sensed."""
    if sensed.base_fresh:
        pose.x, pose.y, pose.yaw = sensed.x, sensed.y, yaw
        return
    forward, turn = pace.velocity
    pose.yaw += turn * dt
    pose.x += forward * cos(pose.yaw) * dt
    pose.y += forward * sin(pose.yaw) * dt
