# SPDX-License-Identifier: Apache-2.0
"""The pose of the hips: as sensed, or else from the commands since."""

from math import cos, sin

from embodiment_bridge.motion.gait.walk import Pace
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.walking.walk_program import Pose


def follow(pose: Pose, sensed: Sensed, yaw: float, pace: Pace, dt: float) -> None:
    """Update ``pose`` by ``dt`` s; ``yaw`` (rad): of the hips, used while the base is sensed."""
    pose.reckoned = not sensed.base_fresh
    if sensed.base_fresh:
        pose.x, pose.y, pose.yaw = sensed.x, sensed.y, yaw
        return
    forward, left, turn = pace.velocity
    move(pose, forward, left, turn, dt)


def move(pose: Pose, forward: float, left: float, turn: float, dt: float) -> None:
    """Move ``pose`` at ``forward`` and ``left`` m/s and ``turn`` rad/s for ``dt`` s."""
    pose.yaw += turn * dt
    c, s = cos(pose.yaw), sin(pose.yaw)
    pose.x += (forward * c - left * s) * dt
    pose.y += (forward * s + left * c) * dt
