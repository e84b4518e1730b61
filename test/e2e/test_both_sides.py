# SPDX-License-Identifier: Apache-2.0
"""The same document, beams and goals for a left and a right player on the real server: one brain plays both halves."""

import math

import pytest
from embodiment_bridge.srv import Beam
from geometry_msgs.msg import PoseStamped
from rclpy.qos import DurabilityPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

DOCUMENT = """{"type": "sequence", "behaviors": [
  {"type": "body", "action": "STEP_FORWARD", "repeat": 3}, {"type": "body", "action": "TURN_LEFT"}]}"""
START = (-4.0, 2.0, math.radians(30.0))
GOAL = (-3.0, 1.5)
QUIET = {"publish_clock": False, "use_sim_time": False}


@pytest.fixture
def pair(server, robots):
    """A player of each team, with poses in the frame ``team``."""
    found = []
    for number, team in enumerate(("blue", "red")):
        robot = robots(
            server, team=team, frame_prefix=f"{team}/", team_frame=True, **(QUIET if number else {})
        )
        robot.until(lambda robot=robot: robot.watcher.link == "ready")
        found.append(robot)
    for robot in found:
        robot.join()
    return found


def play(robot, team):
    """What the robot does of the same orders, as its own poses tell."""
    watcher = robot.watcher
    x, y, theta = START
    assert robot.call(Beam, "beam", x=x, y=y, theta=theta).success
    robot.until(lambda: math.dist((watcher.x, watcher.y), (x, y)) < 0.1)
    begun = (watcher.x, watcher.y, watcher.yaw)
    robot.skill("stand", slot=1.0)
    assert robot.run(DOCUMENT).outcome == "SUCCEEDED"
    done = (watcher.x, watcher.y, watcher.yaw)
    goal = PoseStamped()
    goal.header.frame_id = f"{team}/team"
    goal.pose.position.x, goal.pose.position.y = GOAL
    robot.publish(PoseStamped, "goal_pose", goal)
    robot.until(lambda: math.dist((watcher.x, watcher.y), GOAL) < 0.3)
    return (*begun, *done)


def test_same_document_left_and_right(pair) -> None:
    fixed = {}
    pair[0].watcher.create_subscription(
        TFMessage,
        "/tf_static",
        lambda m: fixed.update({(t.header.frame_id, t.child_frame_id): t.transform for t in m.transforms}),
        QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL),  # a message of each player
    )
    left, right = (play(robot, team) for robot, team in zip(pair, ("blue", "red"), strict=True))
    assert left[:3] == pytest.approx(START, abs=0.1)
    assert right == pytest.approx(left, abs=0.25)
    wanted = {
        ("map", "red/map"),
        ("red/map", "red/team"),
        ("blue/map", "blue/team"),
        ("red/team", "red/odom"),
    }
    pair[0].until(lambda: wanted <= fixed.keys())
    assert fixed["blue/map", "blue/team"].rotation.w == pytest.approx(1.0)
    assert abs(fixed["red/map", "red/team"].rotation.z) == pytest.approx(1.0)
