# SPDX-License-Identifier: Apache-2.0
"""A T1 of the real server does every action, kicks, falls, says where and why, and gets up again."""

import json
from pathlib import Path

import pytest
from builtin_interfaces.msg import Duration
from embodiment_bridge.msg import EntityArray, NodeEvent
from embodiment_bridge.srv import Beam
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

SELF_TEST = Path(__file__).parents[1] / "data/bml/11_self_test_all_actions.json"
UPRIGHT = 0.6  # m


def test_all_actions_leave_the_robot_upright(server, robots) -> None:
    robot = robots(server)
    robot.join()
    result = robot.run(SELF_TEST.read_text())
    assert (result.outcome, result.reason) == ("SUCCEEDED", "")
    assert robot.watcher.z > UPRIGHT
    robot.until(lambda: robot.watcher.posture == "standing")
    skipped = [w for f in robot.feedback for w in f.warnings if "SKIPPED" in w]
    assert all("lacks the channel" in line for line in skipped)


BEFORE_THE_BALL = (-0.45, 0.08, 0.0)  # m, m, rad: the ball lies in the middle of the field, at kick-off


def test_ball_rolls_and_the_robot_stands(server, robots) -> None:
    robot = robots(server)
    seen = robot.collect(EntityArray, "entities", "sensor")
    robot.join()
    x, y, theta = BEFORE_THE_BALL
    assert robot.call(Beam, "beam", x=x, y=y, theta=theta).success
    robot.until(lambda: abs(robot.watcher.x - x) < 0.1 and bool(balls_in(seen)))
    robot.skill("stand", slot=1.0)
    before = balls_in(seen)[-1]
    kicked = robot.skill("kick")
    assert kicked.status == kicked.SUCCEEDED, kicked.reason
    robot.skill("stand", slot=1.5)
    assert max(balls_in(seen)) > before + 0.4
    robot.until(lambda: robot.watcher.posture == "standing")


def balls_in(seen: list[EntityArray]) -> list[float]:
    """How far ahead (m, x in map) the balls are that were seen."""
    return [entity.pose.position.x for one in seen for entity in one.entities if entity.kind == "ball"]


INTERRUPTED = {
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
    robot.begin(json.dumps(INTERRUPTED))
    events = robot.collect(NodeEvent, "behavior_tree/events", "events")
    robot.until(lambda: bool(robot.feedback))
    topple(robot, *TOPPLES["front"])
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
    point = JointTrajectoryPoint(positions=[angle, angle], time_from_start=Duration(nanosec=400_000_000))
    robot.publish(JointTrajectory, "joint_trajectory", JointTrajectory(joint_names=joints, points=[point]))
