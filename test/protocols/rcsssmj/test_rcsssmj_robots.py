# SPDX-License-Identifier: Apache-2.0
"""The table of robots against the models that come with the simulator."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from embodiment_bridge.protocols.rcsssmj.robots import EFFECTORS, ROBOTS


@pytest.fixture(params=ROBOTS)
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
