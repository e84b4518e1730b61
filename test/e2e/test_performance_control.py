# SPDX-License-Identifier: Apache-2.0
"""Pausing, stepping and queueing documents, on a T1 of the real server."""

import json
from pathlib import Path
from typing import Any

import pytest
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from embodiment_bridge.nodes.tree.bml_client import BmlClient

ROOT = Path(__file__).parents[2]
SHAKES = json.dumps({"type": "body", "action": "HEAD_SHAKE", "duration": 1.5, "repeat": 3})
# s of simulated time: a simulator as fast as it can goes 20 ms on while a message takes 1 ms. Pauses here are 4 s.
LATE = 1.5


class Controls:
    """Calls the tree's services."""

    def __init__(self, robot: Any) -> None:
        self.robot = robot
        self.node: Node = robot.watcher

    def call(self, name: str) -> Trigger.Response:
        return self.robot.call(Trigger, f"behavior_tree/{name}")

    def wait_for_state(self, state: str) -> None:
        self.robot.until(lambda: bool(self.robot.feedback) and self.robot.feedback[-1].state == state)

    def wait_percepts(self, number: int) -> None:
        before = self.robot.watcher.percepts
        self.robot.until(lambda: self.robot.watcher.percepts > before + number)


@pytest.fixture
def controls(server, robots):
    robot = robots(server)
    robot.join()
    return Controls(robot)


def test_pause_freezes_the_clock_and_resume_goes_on_exactly(controls) -> None:
    robot = controls.robot
    robot.begin(SHAKES)
    controls.wait_for_state("RUNNING")
    controls.wait_percepts(40)
    assert controls.call("pause").success
    controls.wait_for_state("PAUSED")
    elapsed = robot.feedback[-1].elapsed
    controls.wait_percepts(200)
    assert robot.feedback[-1].elapsed == elapsed
    assert controls.call("resume").success
    robot.until(lambda: robot.bml.result is not None)
    assert robot.bml.result.outcome == "SUCCEEDED"
    assert robot.bml.result.elapsed == pytest.approx(4.5, abs=LATE)


def test_a_paused_motion_of_the_real_robot_stands_in_mid_air(controls) -> None:
    """Within 0.03 rad: the arm hangs on a motor of finite stiffness, and the body sways."""
    robot = controls.robot
    angles: dict[str, float] = {}
    robot.watcher.create_subscription(
        JointState, "joint_states", lambda m: angles.update(zip(m.name, m.position, strict=True)), 5
    )
    arm = "Left_Shoulder_Pitch"
    robot.begin(json.dumps({"type": "body", "action": "HAND_PITCH", "duration": 3}))
    robot.until(lambda: angles.get(arm, 0.0) < -0.4)
    assert controls.call("pause").success
    controls.wait_for_state("PAUSED")
    controls.wait_percepts(25)
    held = angles[arm]
    assert held < -0.3
    for _ in range(4):
        controls.wait_percepts(50)
        assert angles[arm] == pytest.approx(held, abs=0.03)
    assert controls.call("resume").success
    robot.until(lambda: robot.bml.result is not None)
    assert robot.bml.result.outcome == "SUCCEEDED"
    assert robot.bml.result.elapsed == pytest.approx(3.0, abs=LATE)
    robot.until(lambda: abs(angles[arm]) < 0.1)
    assert robot.watcher.z > 0.6


def test_the_dance_is_paused_half_way_and_ends_upright(controls) -> None:
    robot = controls.robot
    robot.begin((ROOT / "config/bml/dance.json").read_text())
    controls.wait_for_state("RUNNING")
    half = robot.feedback[-1].expected / 2
    assert 8.0 < half < 12.0
    robot.until(lambda: robot.feedback[-1].elapsed >= half)
    assert controls.call("pause").success
    controls.wait_for_state("PAUSED")
    controls.wait_percepts(100)
    assert controls.call("resume").success
    robot.until(lambda: robot.bml.result is not None)
    assert (robot.bml.result.outcome, robot.bml.result.reason) == ("SUCCEEDED", "")
    robot.until(lambda: robot.watcher.posture == "standing")
    assert robot.watcher.lowest > 0.6


def test_stop_works_while_paused(controls) -> None:
    robot = controls.robot
    robot.begin(SHAKES)
    controls.wait_for_state("RUNNING")
    controls.call("pause")
    controls.wait_for_state("PAUSED")
    assert "stopping" in controls.call("stop").message
    robot.until(lambda: robot.bml.result is not None)
    assert robot.bml.result.outcome == "CANCELED"
    assert controls.call("stop").message == "nothing runs; paused"
    assert controls.call("resume").success


def test_controls_without_a_run_say_so(controls) -> None:
    for name, text in (
        ("resume", "nothing is paused"),
        ("step", "nothing is paused"),
    ):
        answer = controls.call(name)
        assert (answer.success, answer.message) == (False, text)


def test_queued_goal_waits_and_a_rejecting_one_gives_way(controls) -> None:
    robot = controls.robot
    robot.begin(SHAKES)
    controls.wait_for_state("RUNNING")
    others = {
        on_new: BmlClient(robot.watcher, lambda feedback: None) for on_new in ("queue", "reject", "maybe")
    }
    for on_new, client in others.items():
        client.send('{"type": "delay", "duration": 0.2}', source="test", on_new=on_new)
    robot.until(lambda: others["reject"].result is not None and others["maybe"].result is not None)
    assert "gives way" in others["reject"].result.reason
    assert "replace" in others["maybe"].result.reason
    assert others["queue"].result is None
    robot.until(lambda: others["queue"].result is not None)
    assert robot.bml.result.outcome == "SUCCEEDED"
    assert others["queue"].result.outcome == "SUCCEEDED"
    for client in others.values():
        client.destroy()
