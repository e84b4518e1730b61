# SPDX-License-Identifier: Apache-2.0
"""The desk humanoid walks in the simulation, turns, and says that it cannot get up."""

import importlib
from dataclasses import replace
from math import pi
from pathlib import Path

import numpy as np
import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.runner import MotionRunner

pytest.importorskip("mujoco")
from embodiment_bridge.physics.simulation import Simulation

ROOT = Path(__file__).parents[2]
BODY = read_body(ROOT / "config/bodies/desk_humanoid_walking.yaml")
CYCLE = 0.01  # s


class Walker:
    """The robot on an empty floor, after a start with random joint speeds."""

    def __init__(self, seed: int) -> None:
        self.simulation = Simulation(
            ROOT / "urdf/desk_humanoid.urdf", BODY, world="soccer", start=(-2.0, 1.0, 0.0)
        )
        self.state = self.simulation.state
        speeds = np.random.default_rng(seed).normal(0.0, 0.3, len(BODY.joints))
        self.simulation.data.qvel[-len(speeds) :] += speeds
        self.runner = MotionRunner(self.simulation.body)
        self.run(1.2)

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / CYCLE)):
            self.state = self.simulation.step(self.runner.step(self.state, CYCLE), CYCLE)

    def do(self, name: str, limit: float, **parameters: float) -> SkillReport:
        self.runner.start(SkillRequest(name, name, parameters))
        for _ in range(round(limit / CYCLE)):
            self.run(CYCLE)
            if ended := [report for report in self.runner.take_reports() if report.status.ended]:
                return ended[0]
        raise AssertionError(f"{name} did not end in {limit} s")


@pytest.mark.parametrize(("distance", "limit"), [(1.5, 20.0), (-0.3, 12.0)])
def test_it_walks_straight_without_a_fall(distance: float, limit: float) -> None:
    robot = Walker(seed=5)
    x, y, _ = robot.state.base_position
    assert robot.do("walk", limit, distance=distance).status is SkillStatus.SUCCEEDED
    robot.run(1.0)
    assert robot.runner.status == "standing"
    there = robot.state.base_position
    assert there[0] - x == pytest.approx(distance, abs=0.08)
    assert there[1] - y == pytest.approx(0.0, abs=0.15)


def test_it_turns() -> None:
    robot = Walker(seed=6)
    yaw = robot.state.yaw
    assert robot.do("turn_left", 12.0, angle=0.5 * pi).status is SkillStatus.SUCCEEDED
    robot.run(1.0)
    assert robot.state.yaw - yaw == pytest.approx(0.5 * pi, abs=0.4)
    assert robot.runner.status == "standing"


def test_it_says_of_a_joint_that_jams_where_it_is_and_where_it_should_be() -> None:
    robot = Walker(seed=8)
    model = robot.simulation.model
    model.dof_damping[model.joint("head_pitch").dofadr[0]] = 1e6
    report = robot.do("sad", 10.0)
    assert report.status is SkillStatus.FAILED
    assert report.reason.startswith("head_pitch is at 0.0")
    at = [joint.name for joint in BODY.joints].index("head_pitch")
    assert robot.state.position[at] == pytest.approx(0.0, abs=0.05)


def test_it_says_that_it_cannot_get_up() -> None:
    robot = Walker(seed=7)
    for _ in range(60):
        robot.runner.step(replace(robot.state, pitch=1.4), CYCLE)
    assert robot.runner.status == "fallen"
    with pytest.raises(CommandError, match="get_up"):
        robot.runner.start(SkillRequest("up", "get_up"))


def test_its_tables_are_those_of_the_search(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools/gait_search"))
    search = importlib.import_module("cycle_search")
    found = search.cycle_of(search.FIRST)
    assert BODY.carrier.step_s == search.FIRST[0]
    for ours, theirs in ((BODY.carrier.cycle.step, found.step), (BODY.carrier.cycle.forward, found.forward)):
        assert set(ours) == set(theirs)
        for name, angles in ours.items():
            assert angles == pytest.approx(theirs[name], abs=5.1e-4), name
    assert BODY.carrier.cycle.turn["l_foot_yaw"] == pytest.approx(found.turn["l_foot_yaw"], abs=5.1e-4)
