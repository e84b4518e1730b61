# SPDX-License-Identifier: Apache-2.0
"""A T1 of the real server that has fallen gets up by itself when told to, and does what it is told afterwards."""

import json

import pytest
from builtin_interfaces.msg import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ANKLES = ["Left_Ankle_Pitch", "Right_Ankle_Pitch"]
HIPS = ["Left_Hip_Pitch", "Right_Hip_Pitch"]
TOPPLES = {"front": (ANKLES, -0.85), "back": (HIPS, 0.6)}  # joints and the angle (rad) at which nobody stands
PLAN = {"type": "sequence", "behaviors": [{"type": "body", "action": "STEP_FORWARD"}]}


@pytest.mark.parametrize("side", sorted(TOPPLES))
def test_gets_up_and_walks_on(server, robots, side: str) -> None:
    robot = robots(server)
    robot.join()
    topple(robot, *TOPPLES[side])
    robot.until(lambda: robot.watcher.posture == "fallen")
    robot.until(lambda: robot.watcher.z < 0.25)
    got_up = robot.skill("get_up")
    assert got_up.status == got_up.SUCCEEDED, got_up.reason
    assert robot.watcher.z > 0.6
    assert robot.run(json.dumps(PLAN)).outcome == "SUCCEEDED"
    robot.until(lambda: robot.watcher.posture == "standing")


def topple(robot, joints: list[str], angle: float) -> None:
    """Turn two joints so far that the robot falls."""
    publisher = robot.watcher.create_publisher(JointTrajectory, "joint_trajectory", 10)
    robot.until(lambda: publisher.get_subscription_count() > 0)
    point = JointTrajectoryPoint(positions=[angle, angle], time_from_start=Duration(nanosec=400_000_000))
    publisher.publish(JointTrajectory(joint_names=joints, points=[point]))
