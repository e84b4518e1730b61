# SPDX-License-Identifier: Apache-2.0
"""The table of robots against the models that come with the simulator."""

import math
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


def test_ranges_lie_in_those_of_the_model(case):
    robot, model = case
    factor = 1.0 if model.find("compiler").get("angle") == "degree" else math.degrees(1.0)
    ranges = {x.get("name"): x.get("range") for x in model.iter("joint") if x.get("range")}
    for joint in robot.joints:
        low, high = (float(limit) * factor for limit in ranges[joint.joint].split())
        assert low - 1e-9 <= joint.min_deg < low + 0.01
        assert high - 0.01 < joint.max_deg <= high + 1e-9


def test_torques_and_gears_are_those_of_the_model(case):
    robot, model = case
    classes = {x.get("class"): x.find("joint") for x in model.iter("default") if x.get("class")}
    joints = {x.get("name"): x for x in model.iter("joint")}
    motors = {x.get("joint"): x for x in model.iter("motor")}
    for joint in robot.joints:
        gear = float(motors[joint.joint].get("gear", "1"))
        assert joint.gear == gear
        kind = joints[joint.joint].get("class")
        limit = classes[kind].get("actuatorfrcrange") if kind else motors[joint.joint].get("ctrlrange")
        assert joint.torque_nm == float(limit.split()[1]) * gear


def test_sensors_camera_and_markers_are_those_of_the_model(case):
    robot, model = case
    sensors = model.find("sensor")
    assert robot.orientation == sensors.find("framequat").get("name")
    assert robot.position == sensors.find("framepos").get("name")
    assert robot.gyro == sensors.find("gyro").get("name")
    assert robot.accelerometer == sensors.find("accelerometer").get("name")
    sites = {site.get("name"): (body, site) for body in model.iter("body") for site in body.findall("site")}
    body, camera = sites["camera"]
    assert robot.camera.link == body.get("name")
    assert [robot.camera.x_m, robot.camera.y_m, robot.camera.z_m] == [
        float(x) for x in camera.get("pos").split()
    ]
    assert set(robot.markers) == {
        name.removesuffix("-vismarker") for name in sites if name.endswith("-vismarker")
    }
    speakers = [name.removesuffix("_a-speaker") for name in sites if name.endswith("_a-speaker")]
    microphones = [name.removesuffix("_a-micro") for name in sites if name.endswith("_a-micro")]
    assert speakers == ([robot.speaker] if robot.speaker else [])
    assert microphones == ([robot.microphone] if robot.microphone else [])
    torso = model.find("worldbody/body")
    assert robot.spawn_height_m == float(torso.get("pos").split()[2])


@pytest.mark.parametrize(("robot", "kp", "kd"), [("T1", 150.0, 3.0), ("K1", 100.0, 2.0)])
def test_legs_are_stiff_enough_to_stand(robot, kp, kd):
    legs = [joint for joint in ROBOTS[robot].joints if "le" in joint.effector]
    assert len(legs) == 12
    assert all(joint.kp >= kp and joint.kd >= kd for joint in legs)


def test_arms_of_a_k1_are_soft_enough_not_to_ring():
    arms = [joint for joint in ROBOTS["K1"].joints if "ae" in joint.effector]
    assert len(arms) == 8
    assert all(joint.kp <= 30.0 and joint.kd <= 0.5 for joint in arms)


def test_without_a_robot_the_effectors_of_all_are_known():
    names = {*ROBOTS["T1"].effectors, *ROBOTS["K1"].effectors, *ROBOTS["ant"].effectors}
    assert len(names) == 31
    assert names == EFFECTORS
