# SPDX-License-Identifier: Apache-2.0
"""An ant on the real server: it joins, senses, walks, says what it cannot do, and the server survives it."""

import math
from pathlib import Path

import pytest
from sensor_msgs.msg import Imu, JointState

from embodiment_bridge.nodes.base.qos import profile

ROOT = Path(__file__).parents[2]
SELF_TEST = ROOT / "test/data/bml/11_self_test_all_actions.json"
ANT = {
    "robot": "ant",
    "body_file": str(ROOT / "config/bodies/ant.yaml"),
    "robot_description_file": str(ROOT / "urdf/ant.urdf"),
}
STANDING = 0.43  # m; a standing ant's torso is 0.47 m high, its resting one 0.36 m


@pytest.fixture
def robot(server, robots):
    robot = robots(server, **ANT)
    robot.join()
    robot.skill("reset", slot=3.0)  # the server places it in the ground, from where it is thrown 1.5 m high
    robot.watcher.mark()
    return robot


def test_it_senses_itself(robot) -> None:
    seen = {}
    for kind, topic in ((JointState, "joint_states"), (Imu, "imu")):
        robot.watcher.create_subscription(
            kind, topic, lambda message, topic=topic: seen.update({topic: message}), profile("sensor")
        )
    robot.until(lambda: len(seen) == 2)
    joints, imu = seen["joint_states"], seen["imu"]
    angles = dict(zip(joints.name, joints.position, strict=True))
    assert set(angles) == {f"{joint}_{leg}" for joint in ("hip", "ankle") for leg in (1, 2, 3, 4)}
    assert angles["ankle_1"] == pytest.approx(0.75, abs=0.05)
    assert angles["ankle_2"] == pytest.approx(-0.75, abs=0.05)
    assert imu.linear_acceleration.z == pytest.approx(9.81, abs=0.5)
    assert robot.watcher.z > STANDING


def test_all_actions_leave_it_standing_and_the_server_running(server, robot) -> None:
    result = robot.run(SELF_TEST.read_text())
    assert (result.outcome, result.reason) == ("SUCCEEDED", "")
    assert robot.watcher.z > STANDING
    robot.until(lambda: robot.watcher.posture == "standing")
    assert server.process.poll() is None


def test_steps_and_turns_have_their_direction(robot) -> None:
    watcher = robot.watcher
    for name, forward, turned in (
        ("step_forward", 0.1, 0.0),
        ("step_backward", -0.1, 0.0),
        ("turn_left", 0.0, math.radians(15)),
        ("turn_right", 0.0, -math.radians(15)),
    ):
        watcher.mark()
        x, y, yaw = watcher.x, watcher.y, watcher.yaw
        result = robot.skill(name)
        assert (result.status, result.reason) == (result.SUCCEEDED, ""), name
        ahead = math.cos(yaw) * (watcher.x - x) + math.sin(yaw) * (watcher.y - y)
        assert ahead == pytest.approx(forward, abs=0.08), name
        assert watcher.turned == pytest.approx(turned, abs=0.1), name


def test_it_says_what_it_lacks(robot) -> None:
    for name in ("head_shake", "hand_pitch"):
        result = robot.skill(name, slot=0.2)
        assert result.status == result.SKIPPED, name
        assert "lacks the channel" in result.reason
    result = robot.skill("walk", distance=1.0)
    assert result.status == result.FAILED
    assert "distance" in result.reason
