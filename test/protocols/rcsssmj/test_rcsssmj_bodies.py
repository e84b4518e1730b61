# SPDX-License-Identifier: Apache-2.0
"""The body files of the server's robots against what the server's models are."""

import math
import sys
from pathlib import Path

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.protocols.rcsssmj.body_map import robot_of
from embodiment_bridge.urdf import read_urdf

ROOT = Path(__file__).parents[3]
BODIES = {name: read_body(ROOT / f"config/bodies/{name}.yaml") for name in ("t1", "k1", "ant")}
ACTIONS = [
    "reset",
    "eye_red",
    "eye_green",
    "eye_blue",
    "eye_yellow",
    "eye_open",
    "eye_close",
    "eye_wink",
    "head_shake",
    "waist_shake",
    "hand_grip",
    "hand_relax",
    "hand_roll",
    "hand_pitch",
    "foot_yaw",
    "foot_pitch",
    "step_forward",
    "step_backward",
    "turn_left",
    "turn_right",
]
LACKING = {
    "t1": {"hand_grip", "hand_relax"},
    "k1": {"hand_grip", "hand_relax", "waist_shake"},
    "ant": {"hand_grip", "hand_relax", "hand_roll", "hand_pitch", "waist_shake", "head_shake"},
}
TOLERANCE = math.radians(0.1)  # the files have rounded angles


@pytest.fixture(params=BODIES)
def name(request) -> str:
    return request.param


def test_joints_are_those_of_the_robot(name) -> None:
    body = BODIES[name]
    robot = robot_of(body)
    assert robot.name.lower() == name
    limits = {joint.joint: joint for joint in robot.joints}
    for joint in body.joints:
        limit = limits[joint.name]
        assert joint.lower > math.radians(limit.min_deg) - TOLERANCE, joint.name
        assert joint.upper < math.radians(limit.max_deg) + TOLERANCE, joint.name
        assert joint.effort == limit.torque_nm, joint.name
        assert joint.lower <= joint.rest <= joint.upper, joint.name


def test_joints_are_those_of_the_robot_description(name) -> None:
    joints = read_urdf(ROOT / f"urdf/{name}.urdf").joints
    assert {joint.name for joint in BODIES[name].joints} <= set(joints)


def test_every_action_of_the_behaviour_language_is_a_skill_and_says_whether_it_can_be_done(name) -> None:
    infos = {info.name: info for info in BODIES[name].skill_infos()}
    assert set(ACTIONS) <= set(infos)
    lacking = {action for action in ACTIONS if not infos[action].available}
    assert lacking == LACKING[name] | {action for action in ACTIONS if action.startswith("eye_")}


def test_arms_and_head_of_a_k1_are_soft() -> None:
    for joint in BODIES["k1"].joints:
        if joint.channel != "legs":
            assert joint.kp <= 30.0, joint.name
            assert joint.kd <= 0.5, joint.name


@pytest.mark.parametrize("legged", ["t1", "k1"])
def test_leg_lengths_are_those_of_the_model(legged) -> None:
    pytest.importorskip("rcsssmj")
    sys.path.insert(0, str(ROOT / "tools/gait_search"))
    from robot_model import RobotModel

    body = BODIES[legged]
    measured = RobotModel(body).leg_lengths(body.gait)
    for field in ("knee_back", "thigh", "shank"):
        assert getattr(body.gait.lengths, field) == pytest.approx(getattr(measured, field), abs=2e-4), field
