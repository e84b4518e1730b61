# SPDX-License-Identifier: Apache-2.0
"""Any robot with a description can be simulated; what one lacks is named."""

import random
from pathlib import Path

import pytest
from physics_stage import ARM, CYCLE, ROOT, dance

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.rotation import rotate
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.mujoco.robots import ROBOTS, robot_files
from embodiment_bridge.physics.assembly import assemble
from embodiment_bridge.physics.description import describe
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.model_file import find_model
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.urdf import Box, Cylinder, Sphere, link_pose, read_urdf

WHEELED_HEAD = "python://mujoco/testdata/model.xml"  # not made for us: tendons, a ball joint, rough ground
MODELS = (*ROBOTS, WHEELED_HEAD)
JOINTS = {
    "desk_humanoid": 20, "desk_humanoid_walking": 20, "T1": 23, "K1": 22, "ant": 8, "rover": 4, "desk_arm": 7,
    "open_manipulator_x": 5, "desk_hand": 12, "desk_dog": 12, WHEELED_HEAD: 8,
}  # fmt: skip
# rad/s; a hand that presses on the ground slips off, a robot that falls throws its legs about
FASTEST = 100.0
MOVES = 0.04  # of its range, each joint; those of a robot that lies still are shaken by up to 0.03
WITHIN = 3.0  # m of the start
SWAYS_S = 0.1  # by which a body that sways otherwise at the begin may come to rest later


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


@pytest.mark.parametrize("name", ["desk_humanoid_walking", "T1", "K1"])
def test_steps_and_turns_keep_their_shortest_slots(name) -> None:
    simulation = simulation_of(name, world="soccer")
    runner, state = MotionRunner(simulation.body), simulation.reset()
    late = {}
    for skill in simulation.body.skills.values():
        if skill.walk not in ("line", "side", "turn", "place", "twist"):
            continue
        begin = state.time + 1.0
        while state.time < begin:
            state = simulation.step(runner.step(state, CYCLE), CYCLE)
        runner.start(SkillRequest(skill.name, skill.name, {}, skill.min_s))
        ended: list[SkillReport] = []
        while not ended and state.time < begin + 10.0:
            state = simulation.step(runner.step(state, CYCLE), CYCLE)
            ended = [report for report in runner.take_reports() if report.status.ended]
        assert [report.status for report in ended] == [SkillStatus.SUCCEEDED], skill.name
        if state.time - begin > skill.min_s + SWAYS_S:
            late[skill.name] = state.time - begin
    assert late == {}


# Two joints in one body, beside its frame and turned; a joint whose zero is not where the model is drawn; a slide.
KNOTTY = """<mujoco model="knotty"><compiler angle="radian"/><worldbody>
  <body name="trunk" pos="1 2 3" euler="0.3 -0.2 1"><freejoint/>
    <geom type="sphere" size="0.1"/>
    <body name="arm" pos="0.1 0.2 0.3" euler="0.5 0.4 -0.3">
      <joint name="a" axis="1 0 0" pos="0.05 -0.02 0.1"/><joint name="b" axis="0 0.6 0.8" pos="0 0.1 0"/>
      <geom type="capsule" fromto="0 0 0 0.1 0.1 0.1" size="0.02"/>
      <body name="hand" pos="0 0 0.4" euler="1 0 0">
        <joint name="c" type="slide" axis="0 0 1" ref="0.2"/><joint name="d" axis="0 1 0" ref="0.7"/>
        <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/><geom type="ellipsoid" size="0.1 0.2 0.3"/>
        <body name="tip" pos="0.1 0 0"><geom type="cylinder" size="0.01 0.02"/></body>
      </body>
    </body>
  </body></worldbody></mujoco>"""


def described(path, base="auto") -> None:
    made = assemble(path, base=base, world="none")
    model, data = made.model, mujoco.MjData(made.model)
    root = int(model.body(made.root).id)
    robot = read_urdf(describe(model, root, made.name))
    chance = random.Random(1)
    angles = {joint.name: chance.uniform(-0.7, 0.7) for joint in robot.movable}
    for name, angle in angles.items():
        data.joint(name).qpos[0] = angle
    mujoco.mj_forward(model, data)
    axes = data.xmat[root].reshape(3, 3)
    for body in range(root, model.nbody):
        if body == root or int(model.body_rootid[body]) != root:
            continue
        pose = link_pose(robot, angles, model.body(body).name)
        assert pose.xyz == pytest.approx(list(axes.T @ (data.xpos[body] - data.xpos[root])), abs=1e-6)
        forward = axes.T @ data.xmat[body].reshape(3, 3)[:, 0]
        assert rotate(pose.quaternion, (1.0, 0.0, 0.0)) == pytest.approx(list(forward), abs=1e-6)


def test_places_of_a_knotty_robot(tmp_path) -> None:
    path = tmp_path / "knotty.xml"
    path.write_text(KNOTTY, encoding="utf-8")
    described(path)


@pytest.mark.parametrize("name", ["T1", "ant"])
def test_places_of_robots_of_the_simulator(name) -> None:
    described(find_model(f"python://rcsssmj/resources/robots/{name}/robot.xml"), "floating")


def test_shapes_and_ranges(tmp_path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM, encoding="utf-8")
    made = assemble(path)
    robot = read_urdf(describe(made.model, int(made.model.body(made.root).id), made.name))
    assert (robot.root, robot.joints["shoulder"].limit.upper) == ("base_link", 1.5)
    (rod,) = robot.links["arm"].visuals
    assert rod.shape == Cylinder(0.02, 0.4)
    path.write_text(KNOTTY, encoding="utf-8")
    knotty = assemble(path, world="none")
    links = read_urdf(describe(knotty.model, int(knotty.model.body("trunk").id), "k")).links
    assert isinstance(links["base_link"].visuals[0].shape, Sphere)
    box, egg = links["hand"].visuals
    assert box.shape == egg.shape == Box((0.2, 0.4, 0.6))
    assert box.origin.xyz == (0.1, 0.0, 0.0)


def test_range_without_an_end(tmp_path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM.replace("-1.5 1.5", "-inf 2"), encoding="utf-8")
    made = assemble(path)
    limit = read_urdf(describe(made.model, int(made.model.body(made.root).id), "a")).joints["shoulder"].limit
    assert (limit.lower, limit.upper) == (-1e4, 2.0)
