# SPDX-License-Identifier: Apache-2.0
"""Robots and bodies against the models that come with the simulator."""

import math
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.carriers.gait import gait_of
from embodiment_bridge.protocols.rcsssmj.convert import robot_of
from embodiment_bridge.protocols.rcsssmj.robots import EFFECTORS, ROBOTS

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
    assert robot_of(BODIES[name]).name.lower() == name


def test_ranges_and_torques_are_those_of_the_model(name) -> None:
    package = pytest.importorskip("rcsssmj")
    robot = robot_of(BODIES[name]).name
    model = ElementTree.parse(
        Path(package.__file__).parent / "resources/robots" / robot / "robot.xml"
    ).getroot()
    to_rad = math.radians(1.0) if model.find("compiler").get("angle") == "degree" else 1.0
    joints = {x.get("name"): x for x in model.iter("joint")}
    classes = {x.get("class"): x.find("joint") for x in model.iter("default") if x.get("class")}
    motors = {x.get("joint"): x for x in model.iter("motor")}
    for joint in BODIES[name].joints:
        theirs = joints[joint.name]
        lower, upper = (float(limit) * to_rad for limit in theirs.get("range").split())
        assert lower - 1e-9 <= joint.lower < lower + TOLERANCE, joint.name
        assert upper - TOLERANCE < joint.upper <= upper + 1e-9, joint.name
        kind = theirs.get("class")
        limit = classes[kind].get("actuatorfrcrange") if kind else motors[joint.name].get("ctrlrange")
        gear = float(motors[joint.name].get("gear", "1"))
        assert joint.effort == float(limit.split()[1]) * gear, joint.name


@pytest.mark.parametrize(("legged", "kp", "kd"), [("t1", 150.0, 3.0), ("k1", 100.0, 2.0)])
def test_legs_are_stiff_enough_to_stand(legged, kp, kd) -> None:
    legs = [joint for joint in BODIES[legged].joints if joint.channel == "legs"]
    assert len(legs) == 12
    assert all(joint.kp >= kp and joint.kd >= kd for joint in legs)


def test_every_action_of_the_behaviour_language_is_a_skill_and_says_whether_it_can_be_done(name) -> None:
    infos = {info.name: info for info in BODIES[name].skill_infos()}
    assert set(ACTIONS) <= set(infos)
    lacking = {action for action in ACTIONS if not infos[action].available}
    assert lacking == LACKING[name]


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
    measured = RobotModel(body).leg_lengths(gait_of(body))
    for field in ("knee_back", "thigh", "shank"):
        assert getattr(gait_of(body).lengths, field) == pytest.approx(getattr(measured, field), abs=2e-4), (
            field
        )


@pytest.fixture(params=[name for name in ROBOTS if name != "PiPlus"])  # which 0.2.1 does not have
def case(request):
    package = pytest.importorskip("rcsssmj")
    path = Path(package.__file__).parent / "resources/robots" / request.param / "robot.xml"
    return ROBOTS[request.param], ElementTree.parse(path).getroot()


def test_names_are_those_of_the_model(case):
    robot, model = case
    joint_of_effector = {x.get("name").removesuffix("_tau"): x.get("joint") for x in model.iter("motor")}
    perceptor_of_joint = {x.get("joint"): x.get("name") for x in model.iter("jointpos")}
    assert {joint.effector: joint.joint for joint in robot.joints} == joint_of_effector
    assert [joint.perceptor for joint in robot.joints] == list(perceptor_of_joint.values())
    assert all(perceptor_of_joint[joint.joint] == joint.perceptor for joint in robot.joints)


def test_gears_are_those_of_the_model(case):
    robot, model = case
    motors = {x.get("joint"): x for x in model.iter("motor")}
    for joint in robot.joints:
        assert joint.gear == float(motors[joint.joint].get("gear", "1"))


def test_who_can_speak(case):
    robot, model = case
    sites = [site.get("name") for site in model.iter("site")]
    speakers = [name.removesuffix("_a-speaker") for name in sites if name.endswith("_a-speaker")]
    assert speakers == ([robot.speaker] if robot.speaker else [])


def test_without_a_robot_the_effectors_of_all_are_known():
    names = {*ROBOTS["T1"].effectors, *ROBOTS["K1"].effectors, *ROBOTS["ant"].effectors}
    assert len(names) == 31
    assert names == EFFECTORS
