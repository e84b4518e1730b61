# SPDX-License-Identifier: Apache-2.0
"""The desk humanoid walks in the simulation, turns, and stands when it has; it cannot get up."""

import importlib
from math import pi
from pathlib import Path

import numpy as np
import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
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
            if ended := [r for r in self.runner.take_reports() if r.status.ended and r.id == name]:
                return ended[0]
        raise AssertionError(f"{name} did not end in {limit} s")

    @property
    def upright(self) -> float:
        """The cosine of the trunk's tilt in the physics."""
        return float(self.simulation.data.xmat[self.simulation.root][8])

    def stays_up(self) -> bool:
        """Whether the trunk is upright for 5 s from now on, and still in the end."""
        lowest = 1.0
        for _ in range(50):
            self.run(0.1)
            lowest = min(lowest, self.upright)
        return lowest > 0.95 and self.upright > 0.999


@pytest.mark.parametrize(
    ("name", "seed", "parameters"),
    [
        ("walk", 5, {"distance": 1.5}),
        ("walk", 1, {"distance": 0.1}),
        ("walk", 5, {"distance": -0.3}),
        ("walk", 22, {"distance": -0.2}),
        ("step_forward", 3, {}),
        ("step_backward", 7, {}),
        ("turn_left", 6, {"angle": 0.5 * pi}),
        ("turn_right", 27, {"angle": 3.0}),
        ("foot_pitch", 2, {}),
        ("foot_yaw", 4, {}),
        ("go_to", 9, {"x": -1.6, "y": 1.2, "yaw": 0.5}),
    ],
)
def test_it_stands_when_it_has_walked(name: str, seed: int, parameters: dict[str, float]) -> None:
    robot = Walker(seed)
    assert robot.do(name, 60.0, **parameters).status is SkillStatus.SUCCEEDED
    assert robot.stays_up()


@pytest.mark.parametrize("emotion", ["sad", "surprised", "afraid", "sleepy", "curious"])
def test_it_steps_after_an_emotion_as_it_stands_in_it(emotion: str) -> None:
    robot = Walker(seed=1)
    assert robot.do(emotion, 5.0).status is SkillStatus.SUCCEEDED
    assert robot.do("step_forward", 20.0).status is SkillStatus.SUCCEEDED
    assert robot.stays_up()


@pytest.mark.parametrize("end", ["stop", "cancel", "hold", "velocity", "newer"])
def test_it_stands_when_a_walk_is_ended(end: str) -> None:
    robot = Walker(seed=8)
    runner = robot.runner
    if end == "velocity":
        for _ in range(20):
            runner.set_velocity(0.18, 0.0)
            robot.run(0.1)
    else:
        runner.start(SkillRequest("walk", "walk", {"distance": 2.0}))
        robot.run(2.0)
    if end == "stop":
        runner.stop()
    elif end == "hold":
        runner.hold(True)
    elif end != "velocity":
        runner.cancel("walk")
    if end == "newer":
        robot.run(1.0)  # the steps of the walk fade
        assert runner.status == "walking"
        assert robot.do("turn_left", 20.0, angle=1.0).status is SkillStatus.SUCCEEDED
    robot.run(3.0)
    assert robot.stays_up()
    assert runner.status == "standing"


@pytest.mark.parametrize(("distance", "limit"), [(1.5, 20.0), (-0.3, 12.0)])
def test_it_walks_straight(distance: float, limit: float) -> None:
    robot = Walker(seed=5)
    x, y, _ = robot.state.base_position
    assert robot.do("walk", limit, distance=distance).status is SkillStatus.SUCCEEDED
    there = robot.state.base_position
    assert there[0] - x == pytest.approx(distance, abs=0.05)
    assert there[1] - y == pytest.approx(0.0, abs=0.15)


def test_it_turns() -> None:
    robot = Walker(seed=6)
    yaw = robot.state.yaw
    assert robot.do("turn_left", 12.0, angle=0.5 * pi).status is SkillStatus.SUCCEEDED
    assert robot.state.yaw - yaw == pytest.approx(0.5 * pi, abs=0.2)


def test_it_says_of_a_joint_that_jams_where_it_is_and_where_it_should_be() -> None:
    robot = Walker(seed=8)
    model = robot.simulation.model
    model.dof_damping[model.joint("head_pitch").dofadr[0]] = 1e6
    report = robot.do("sad", 10.0)
    assert report.status is SkillStatus.FAILED
    assert report.reason.startswith("head_pitch is at 0.0")
    at = [joint.name for joint in BODY.joints].index("head_pitch")
    assert robot.state.position[at] == pytest.approx(0.0, abs=0.05)


def test_it_has_no_skill_to_get_up() -> None:
    assert "get_up" not in BODY.skills


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
