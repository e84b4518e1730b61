# SPDX-License-Identifier: Apache-2.0
"""The arms that are ready to use: descriptions, servos, body files and launch arguments fit each other."""

import os
from pathlib import Path

import pytest

from embodiment_bridge import bml
from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.dynamixel.bus.joints import JointScale
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.launching.read import read_launch
from embodiment_bridge.nodes.mujoco.robots import robot_files
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.urdf import link_pose, read_urdf

ROOT = Path(__file__).parents[2]
ARMS = {"desk_arm": range(1, 8), "open_manipulator_x": range(11, 16)}
SKILLS = ("wave", "nod", "pick")


@pytest.mark.parametrize(("name", "ids"), ARMS.items())
def test_joints_servos_and_body_fit(name, ids) -> None:
    robot, body = read_urdf(ROOT / f"urdf/{name}.urdf"), read_body(ROOT / f"config/bodies/{name}.yaml")
    setup = read_servo_setup(robot)
    servos = {servo.joint: servo for servo in setup.servos}
    assert setup.warnings == ()
    assert [servo.id for servo in setup.servos] == list(ids)
    assert set(servos) == {joint.name for joint in body.joints}
    assert len(setup.mimics) == 1  # the other finger
    for joint in body.joints:
        limit, servo = robot.joints[joint.name].limit, servos[joint.name]
        assert limit.lower < joint.lower < joint.upper < limit.upper
        assert joint.velocity < limit.velocity
        model = table(servo.model)
        assert limit.velocity * abs(servo.reduction) <= model.motor.no_load_speed_rad_s
        assert limit.effort / abs(servo.reduction) <= model.motor.stall_torque_nm
        scale = JointScale(servo, model)
        assert all(0 <= scale.ticks(angle) <= 4095 for angle in (limit.lower, limit.upper))


@pytest.mark.parametrize("name", ARMS)
def test_skills_are_those_of_documents(name) -> None:
    body = read_body(ROOT / f"config/bodies/{name}.yaml")
    infos = {info.name: info for info in body.skill_infos()}
    assert set(SKILLS) < set(infos)
    steps = ", ".join(f'{{"type": "body", "action": "{skill.upper()}"}}' for skill in (*SKILLS, "reset"))
    read = bml.read(f'{{"type": "sequence", "behaviors": [{steps}]}}', strict=True)
    assert not read.problems
    assert not bml.check(read.document, infos)


@pytest.mark.parametrize("name", ARMS)
def test_no_keyframe_puts_the_tool_into_the_table(name) -> None:
    robot, body = read_urdf(ROOT / f"urdf/{name}.urdf"), read_body(ROOT / f"config/bodies/{name}.yaml")
    for skill in SKILLS:
        angles = {joint.name: 0.0 for joint in robot.movable} | {
            joint.name: joint.rest for joint in body.joints
        }
        for frame in body.skills[skill].keyframes:
            angles |= frame.position
            pose = link_pose(robot, angles, "tool")
            assert pose is not None
            assert pose.xyz[2] > 0.02, (skill, frame)


@pytest.mark.parametrize("name", ARMS)
def test_it_stands_in_mujoco(name) -> None:
    files = robot_files(name, "auto", "auto", "auto", lambda: ROOT)
    assert Path(files.body) == ROOT / f"config/bodies/{name}.yaml"
    assert files.base == "fixed"
    body = read_body(files.body)
    simulation = Simulation(Path(files.model), body, base=files.base)
    simulation.reset()
    simulation.run(2000)
    rest = {joint.name: joint.rest for joint in body.joints}
    assert dict(zip(rest, simulation.state.position, strict=True)) == pytest.approx(rest, abs=0.1)


@pytest.mark.parametrize("robot", ["auto", *ARMS])
@pytest.mark.parametrize("body", ["dynamixel", "virtual_servos"])
def test_the_argument_robot_chooses_its_files(robot, body) -> None:
    file = ROOT / f"launch/body/{body}.launch.xml"
    plan = read_launch(file, {"robot": robot}, find_share=lambda _: ROOT, environment=os.environ)
    name = "desk_humanoid" if robot == "auto" else robot
    texts = str(plan)
    assert f"urdf/{name}.urdf" in texts
    assert f"config/bodies/{name}.yaml" in texts
