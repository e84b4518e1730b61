# SPDX-License-Identifier: Apache-2.0
"""A T1 of the real server falls in the middle of a plan: the run ends, says why and where, and the status shows it."""

import json

from builtin_interfaces.msg import Duration
from embodiment_bridge.msg import NodeEvent
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

ANKLES = ["Left_Ankle_Pitch", "Right_Ankle_Pitch"]
LEAN = -0.85  # rad: further forward than the feet are long
PLAN = {
    "type": "sequence",
    "behaviors": [
        {"type": "body", "action": "HEAD_SHAKE", "duration": 8},
        {"type": "body", "action": "STEP_FORWARD"},
        {"type": "body", "action": "EYE_RED"},
    ],
}


def test_fall_ends_the_plan_at_the_action_that_needs_the_legs(server, robots) -> None:
    robot = robots(server)
    robot.join()
    robot.begin(json.dumps(PLAN))
    events = robot.collect(NodeEvent, "behavior_tree/events", "events")
    robot.until(lambda: bool(robot.feedback))
    lean_over(robot)
    robot.until(lambda: robot.watcher.posture == "fallen")
    assert robot.bml.result is None
    robot.until(lambda: robot.bml.result is not None)
    result = robot.bml.result
    assert result.outcome == "FAILED"
    assert "fallen" in result.reason
    assert result.pointer == "/behaviors/1"
    assert robot.watcher.posture == "fallen"
    falls = [event for event in events if event.event == "fallen"]
    assert [(event.pointer, event.type) for event in falls] == [("/behaviors/0", "body")]
    assert falls[0].message.startswith("fallen")
    shake = robot.skill("head_shake")
    assert shake.status == shake.SUCCEEDED


def lean_over(robot) -> None:
    """Turn both ankles so far that nobody stands."""
    publisher = robot.watcher.create_publisher(JointTrajectory, "joint_trajectory", 10)
    robot.until(lambda: publisher.get_subscription_count() > 0)
    point = JointTrajectoryPoint(positions=[LEAN, LEAN], time_from_start=Duration(nanosec=400_000_000))
    publisher.publish(JointTrajectory(joint_names=ANKLES, points=[point]))
