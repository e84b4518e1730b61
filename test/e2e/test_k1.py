# SPDX-License-Identifier: Apache-2.0
"""A K1 on the real server: it drops from one metre, stands, and does every action of the behaviour language."""

import math
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SELF_TEST = ROOT / "test/data/bml/11_self_test_all_actions.json"
K1 = {
    "robot": "K1",
    "body_file": str(ROOT / "config/bodies/k1.yaml"),
    "robot_description_file": str(ROOT / "urdf/k1.urdf"),
}
UPRIGHT = 0.5  # m, torso height at the end; a standing K1's is 0.54 m
FALLING = 0.45  # m, torso height that no step comes near


@pytest.fixture
def robot(server, robots):
    robot = robots(server, **K1)
    robot.join()
    robot.until(lambda: robot.watcher.posture == "standing" and robot.watcher.z < 0.6)
    robot.skill("stand", slot=1.0)
    robot.watcher.mark()
    return robot


def test_all_actions_leave_it_upright(robot) -> None:
    result = robot.run(SELF_TEST.read_text())
    assert (result.outcome, result.reason) == ("SUCCEEDED", "")
    watcher = robot.watcher
    assert watcher.lowest > FALLING
    assert watcher.z > UPRIGHT
    robot.until(lambda: watcher.posture == "standing")
    skipped = {w.split()[0] for f in robot.feedback for w in f.warnings if "SKIPPED" in w}
    assert not any("head" in where or "step" in where or "turn" in where for where in skipped)


def test_it_goes_where_it_is_told(robot) -> None:
    watcher = robot.watcher
    result = robot.skill("walk", distance=1.0)
    assert (result.status, result.reason) == (result.SUCCEEDED, "")
    assert watcher.distance == pytest.approx(1.0, abs=0.15)
    watcher.mark()
    result = robot.skill("turn_left", angle=math.pi / 2)
    assert (result.status, result.reason) == (result.SUCCEEDED, "")
    assert watcher.turned == pytest.approx(math.pi / 2, abs=0.2)
    assert watcher.lowest > FALLING
    robot.until(lambda: watcher.posture == "standing")


def test_it_says_that_it_has_no_waist(robot) -> None:
    result = robot.skill("waist_shake", slot=0.5)
    assert result.status == result.SKIPPED
    assert "lacks the channel" in result.reason
