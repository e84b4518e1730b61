# SPDX-License-Identifier: Apache-2.0
"""The desk humanoid: its description, its skills, its servos."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import yaml
from lxml import etree

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.skill_info import EMOTIONS
from embodiment_bridge.dynamixel.bus.joints import JointScale
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.urdf import fixed_transforms, link_pose, link_transforms, read_urdf

ROOT = Path(__file__).parents[2]
URDF = ROOT / "urdf/desk_humanoid.urdf"
ROBOT = read_urdf(URDF)
BODY = read_body(ROOT / "config/bodies/desk_humanoid.yaml")
SETUP = read_servo_setup(ROBOT)
ZERO = {joint.name: 0.0 for joint in ROBOT.movable}


def test_twenty_joints_with_a_servo_each() -> None:
    assert len(ROBOT.movable) == 20
    assert [servo.id for servo in SETUP.servos] == list(range(1, 21))
    assert {servo.joint for servo in SETUP.servos} == {joint.name for joint in BODY.joints} == set(ZERO)
    assert {servo.model for servo in SETUP.servos} == {"xl430_w250", "xm430_w350"}
    assert SETUP.warnings == ()


def test_ranges_and_speeds_are_those_that_servo_description_and_body_can_keep() -> None:
    servos = {servo.joint: servo for servo in SETUP.servos}
    for joint in BODY.joints:
        limit, servo = ROBOT.joints[joint.name].limit, servos[joint.name]
        assert limit.lower <= joint.lower < joint.upper <= limit.upper
        model = table(servo.model)
        assert (
            joint.velocity
            < limit.velocity
            < model.item("velocity_limit").initial * model.item("goal_velocity").factor
        )
        assert joint.effort <= limit.effort < model.motor.stall_torque_nm
        scale = JointScale(servo, model)
        for angle in (limit.lower, limit.upper):
            assert 0 < scale.ticks(angle) < 4096
            assert scale.position(scale.ticks(angle)) == pytest.approx(angle, abs=0.001)


def test_every_action_of_the_seed_has_a_skill_on_channels_that_it_has() -> None:
    document = json.loads((ROOT / "test/data/bml/11_self_test_all_actions.json").read_text())
    for action in document["behaviors"]:
        skill = BODY.skills[action["action"].lower()]
        assert BODY.available(skill)
        assert skill.min_s <= 1.0


def test_emotions_are_postures_of_their_own_and_neutral_is_rest() -> None:
    rest = {joint.name: joint.rest for joint in BODY.joints}
    poses = [dict(BODY.skills[name].keyframes[-1].position) for name in EMOTIONS]
    assert poses[-1] == {name: rest[name] for name in poses[-1]}
    assert len({tuple(pose.items()) for pose in poses}) == len(EMOTIONS)


def test_it_stands_on_its_soles_and_sides_are_mirror_images() -> None:
    for sole in ("l_sole", "r_sole"):
        assert link_pose(ROBOT, ZERO, sole).xyz[2] == pytest.approx(-0.223, abs=0.0005)
    positions = dict(ZERO)
    for joint in BODY.joints:
        if joint.name.startswith("l_"):
            positions[joint.name] = 0.7 * joint.upper + 0.3 * joint.lower
            positions[joint.mirror] = joint.mirror_sign * positions[joint.name]
    for part in ("sole", "gripper", "finger", "eye"):
        x, y, z = link_pose(ROBOT, positions, f"l_{part}").xyz
        assert link_pose(ROBOT, positions, f"r_{part}").xyz == pytest.approx((x, -y, z), abs=1e-9)


def test_links_masses_and_inertias_are_plausible() -> None:
    placed = {t.child for t in link_transforms(ROBOT, ZERO) + fixed_transforms(ROBOT)}
    assert placed == set(ROBOT.links) - {"base_link"}
    assert all(ROBOT.links[joint.child].visuals for joint in ROBOT.movable)
    root = etree.parse(URDF).getroot()
    assert 2.0 < sum(float(mass.get("value")) for mass in root.iter("mass")) < 4.0
    for inertia in root.iter("inertia"):
        moments = sorted(float(inertia.get(key)) for key in ("ixx", "iyy", "izz"))
        assert 0 < moments[0] <= moments[1] <= moments[2] < 1.01 * (moments[0] + moments[1])
    assert np.isfinite(link_pose(ROBOT, ZERO, "head").xyz).all()


@pytest.mark.skipif(shutil.which("check_urdf") is None, reason="check_urdf is not installed")
def test_check_urdf_agrees() -> None:
    done = subprocess.run(["check_urdf", URDF], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert "root Link: base_link" in done.stdout


def test_rviz_shows_what_the_graph_has() -> None:
    config = yaml.safe_load((ROOT / "config/desk_humanoid.rviz").read_text())
    manager = config["Visualization Manager"]
    assert manager["Global Options"]["Fixed Frame"] in ROBOT.links
    topics = {
        display.get("Description Topic", display.get("Topic", {})).get("Value")
        for display in manager["Displays"]
    }
    assert {"robot_description", "markers"} <= topics
