# SPDX-License-Identifier: Apache-2.0
"""Any robot: those that are known by name and one of MuJoCo's own follow random trajectories with all joints, and
nothing explodes.
"""

from pathlib import Path

import pytest
from physics_stage import CYCLE, ROOT, dance

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.mujoco.robots import ROBOTS, robot_files
from embodiment_bridge.physics.simulation import Simulation

WHEELED_HEAD = "python://mujoco/testdata/model.xml"  # not made for us: tendons, a ball joint, rough ground
MODELS = (*ROBOTS, WHEELED_HEAD)
JOINTS = {
    "desk_humanoid": 20, "desk_humanoid_walking": 20, "T1": 23, "K1": 22, "ant": 8, "rover": 4, "desk_arm": 7,
    "open_manipulator_x": 5, "desk_hand": 12, "desk_dog": 12, WHEELED_HEAD: 8,
}  # fmt: skip
FASTEST = (
    100.0  # rad/s; a hand that presses on the ground slips off, a robot that falls throws its legs about
)
MOVES = 0.04  # of its range, each joint; those of a robot that lies still are shaken by up to 0.03
WITHIN = 3.0  # m of the start


def files_of(name, **chosen):
    words = {"body": "auto", "description": "auto", "base": "auto"} | chosen
    return robot_files(name, words["body"], words["description"], words["base"], lambda: ROOT)


def simulation_of(name, **options):
    files = files_of(name)
    body = read_body(Path(files.body)) if files.body else None
    return Simulation(Path(files.model), body, base=files.base, **options)


def check(name, seconds) -> None:
    simulation = simulation_of(name)
    assert len(simulation.body.joints) == JOINTS[name]
    fastest, moved = dance(simulation, seconds)
    assert fastest < FASTEST
    assert moved > MOVES
    x, y, z = simulation.state.base_position
    assert max(abs(x), abs(y)) < WITHIN
    assert -0.02 < z < 1.0


@pytest.mark.parametrize("name", MODELS)
def test_robot_follows_random_trajectories(name) -> None:
    check(name, 5.0)


@pytest.mark.soak
@pytest.mark.parametrize("name", MODELS)
def test_robot_follows_random_trajectories_for_a_minute(name) -> None:
    check(name, 60.0)


def test_every_robot_is_counted_here() -> None:
    assert set(JOINTS) == set(MODELS)


def test_files_of_a_robot() -> None:
    usual, t1 = files_of("auto"), files_of("T1")
    assert usual == files_of("") == files_of("desk_humanoid")
    assert usual.model == usual.description == str(ROOT / "urdf/desk_humanoid.urdf")
    assert (t1.description, t1.base) == (str(ROOT / "urdf/t1.urdf"), "floating")
    assert files_of("T1", body="none", base="fixed").body == ""
    assert files_of("T1", base="fixed").base == "fixed"
    own = files_of(str(ROOT / "urdf/rover.urdf"))
    assert (own.body, own.description) == ("", own.model)
    with pytest.raises(ConfigError, match="there is no file"):
        files_of("robot_that_is_not_there")


@pytest.mark.parametrize("name", ["T1", "K1"])
def test_robot_of_the_soccer_simulator_walks_here_too(name) -> None:
    simulation = simulation_of(name, world="soccer", start=(-2.0, 1.5, 0.0))
    runner = MotionRunner(simulation.body)
    state = simulation.reset()
    while state.time < 1.0:
        state = simulation.step(runner.step(state, CYCLE), CYCLE)
    runner.start(SkillRequest("1", "walk", {"distance": 1.0}))
    ended: list[SkillReport] = []
    while not ended and state.time < 20.0:
        state = simulation.step(runner.step(state, CYCLE), CYCLE)
        ended = [report for report in runner.take_reports() if report.status.ended]
    assert [report.status for report in ended] == [SkillStatus.SUCCEEDED]
    assert state.base_position[0] == pytest.approx(-1.0, abs=0.15)
    assert state.base_position[1] == pytest.approx(1.5, abs=0.15)
