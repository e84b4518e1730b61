# SPDX-License-Identifier: Apache-2.0
"""The descriptions of the robots: they are URDF that others read, and fit their bodies."""

import importlib.util
import math
import random
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.core.rotation import multiply, rotate
from embodiment_bridge.urdf import JointType, Mesh, fixed_transforms, link_pose, link_transforms, read_urdf

FOLDER = Path(__file__).parents[2] / "urdf"
NAMES = ("t1", "k1", "ant")
ROBOTS = {name: read_urdf(FOLDER / f"{name}.urdf") for name in NAMES}
MASS = {"t1": 31.6, "k1": 19.7, "ant": 0.91}

# joint: lowest and highest angle in degrees, torque in Nm (rcssservermj 0.2.1)
T1 = {
    "AAHead_yaw": (-90, 90, 7),
    "Head_pitch": (-20.1, 69.9, 7),
    "Left_Shoulder_Pitch": (-189.6, 69.9, 18),
    "Left_Shoulder_Roll": (-99.7, 90, 18),
    "Left_Elbow_Pitch": (-130.1, 130.1, 18),
    "Left_Elbow_Yaw": (-139.8, 0, 18),
    "Right_Shoulder_Pitch": (-189.6, 69.9, 18),
    "Right_Shoulder_Roll": (-90, 99.7, 18),
    "Right_Elbow_Pitch": (-130.1, 130.1, 18),
    "Right_Elbow_Yaw": (0, 139.8, 18),
    "Waist": (-90, 90, 30),
    "Left_Hip_Pitch": (-103.1, 90, 45),
    "Left_Hip_Roll": (-11.5, 90, 30),
    "Left_Hip_Yaw": (-57.3, 57.3, 30),
    "Left_Knee_Pitch": (0, 134.1, 60),
    "Left_Ankle_Pitch": (-49.8, 20.1, 20),
    "Left_Ankle_Roll": (-25.2, 25.2, 15),
    "Right_Hip_Pitch": (-103.1, 90, 45),
    "Right_Hip_Roll": (-90, 11.5, 30),
    "Right_Hip_Yaw": (-57.3, 57.3, 30),
    "Right_Knee_Pitch": (0, 134.1, 60),
    "Right_Ankle_Pitch": (-49.8, 20.1, 20),
    "Right_Ankle_Roll": (-25.2, 25.2, 15),
}
K1 = {
    "AAHead_yaw": (-57.3, 57.3, 6),
    "Head_pitch": (-20, 49, 6),
    "ALeft_Shoulder_Pitch": (-190, 69.9, 14),
    "Left_Shoulder_Roll": (-99.7, 90, 14),
    "Left_Elbow_Pitch": (-130.1, 130.1, 14),
    "Left_Elbow_Yaw": (-139.8, 0, 14),
    "ARight_Shoulder_Pitch": (-190, 69.9, 14),
    "Right_Shoulder_Roll": (-90, 99.7, 14),
    "Right_Elbow_Pitch": (-130.1, 130.1, 14),
    "Right_Elbow_Yaw": (0, 139.8, 14),
    "Left_Hip_Pitch": (-171.9, 126.6, 30),
    "Left_Hip_Roll": (-22.9, 90, 35),
    "Left_Hip_Yaw": (-57.3, 57.3, 20),
    "Left_Knee_Pitch": (0, 127.8, 40),
    "Left_Ankle_Pitch": (-49.8, 19.8, 20),
    "Left_Ankle_Roll": (-19.8, 19.8, 20),
    "Right_Hip_Pitch": (-171.9, 126.6, 30),
    "Right_Hip_Roll": (-90, 22.9, 35),
    "Right_Hip_Yaw": (-57.3, 57.3, 20),
    "Right_Knee_Pitch": (0, 127.8, 40),
    "Right_Ankle_Pitch": (-49.8, 19.8, 20),
    "Right_Ankle_Roll": (-19.8, 19.8, 20),
}
ANT = {
    "hip_1": (-30, 30, 150),
    "ankle_1": (30, 70, 150),
    "hip_2": (-30, 30, 150),
    "ankle_2": (-70, -30, 150),
    "hip_3": (-30, 30, 150),
    "ankle_3": (-70, -30, 150),
    "hip_4": (-30, 30, 150),
    "ankle_4": (30, 70, 150),
}
JOINTS = {"t1": T1, "k1": K1, "ant": ANT}


def both_sides(**links):
    """The same links left and right: ``l_hip="Left_Hip_Pitch"`` also gives ``r_hip="Right_Hip_Pitch"``."""
    mirrored = {}
    for ours, theirs in links.items():
        right = theirs.replace("Left", "Right").replace("left", "right").replace("AL", "AR")
        mirrored[ours.replace("l_", "r_", 1)] = right
    return links | mirrored


# our link: the body, or (with @) the site, of the simulator's model
FRAMES = {
    "t1": {
        "base_link": "@torso",
        "imu_link": "@torso",
        "neck": "H1",
        "head": "H2",
        "camera_link": "@camera",
        "microphone_link": "@hear_a-micro",
        "waist": "Waist",
        **both_sides(
            l_shoulder="AL1",
            l_upper_arm="AL2",
            l_elbow="AL3",
            l_forearm="left_hand_link",
            l_hip="Hip_Pitch_Left",
            l_yoke="Hip_Roll_Left",
            l_thigh="Hip_Yaw_Left",
            l_shank="Shank_Left",
            l_ankle_cross="Ankle_Cross_Left",
            l_ankle="left_foot_link",
        ),
    },
    "k1": {
        "base_link": "@torso",
        "imu_link": "@torso",
        "neck": "Head_1",
        "head": "Head_2",
        "camera_link": "@camera",
        "microphone_link": "@hear_a-micro",
        **both_sides(
            l_shoulder="Left_Arm_1",
            l_upper_arm="Left_Arm_2",
            l_elbow="Left_Arm_3",
            l_forearm="left_hand_link",
            l_hip="Left_Hip_Pitch",
            l_yoke="Left_Hip_Roll",
            l_thigh="Left_Hip_Yaw",
            l_shank="Left_Shank",
            l_ankle_cross="Left_Ankle_Cross",
            l_ankle="left_foot_link",
        ),
    },
    "ant": {
        "base_link": "@torso",
        "camera_link": "@camera",
        "leg_1_upper": "aux_1",
        "leg_2_upper": "aux_2",
        "leg_3_upper": "aux_3",
        "leg_4_upper": "aux_4",
    },
}


def zero(robot):
    return dict.fromkeys(JOINTS[robot], 0.0)


@pytest.mark.parametrize("name", NAMES)
def test_joints_are_those_of_the_table(name):
    robot = ROBOTS[name]
    assert {joint.name for joint in robot.movable} == set(JOINTS[name])
    for joint in robot.movable:
        lower, upper, effort = JOINTS[name][joint.name]
        assert joint.type is JointType.REVOLUTE
        assert joint.mimic is None
        assert math.degrees(joint.limit.lower) == pytest.approx(lower, abs=0.051)
        assert math.degrees(joint.limit.upper) == pytest.approx(upper, abs=0.051)
        assert joint.limit.effort == effort
        assert 7 <= joint.limit.velocity <= 20


@pytest.mark.parametrize("name", NAMES)
def test_every_link_is_placed_and_drawn_from_primitives(name):
    robot = ROBOTS[name]
    assert robot.root == "base_link"
    placed = {t.child for t in link_transforms(robot, zero(name)) + fixed_transforms(robot)}
    assert placed == set(robot.links) - {"base_link"}
    assert not any(isinstance(v.shape, Mesh) for link in robot.links.values() for v in link.visuals)
    assert all(robot.links[joint.child].visuals for joint in robot.movable)
    assert robot.extras == ()


@pytest.mark.parametrize("name", NAMES)
def test_masses_and_inertias_are_plausible(name):
    root = etree.parse(FOLDER / f"{name}.urdf").getroot()
    assert sum(float(mass.get("value")) for mass in root.iter("mass")) == pytest.approx(MASS[name], abs=0.05)
    for inertia in root.iter("inertia"):
        xx, xy, xz, yy, yz, zz = (float(inertia.get(k)) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
        small, middle, large = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        assert small > 0
        assert small + middle > 0.99 * large


@pytest.mark.parametrize(("name", "height"), [("t1", 0.6735), ("k1", 0.5517)])
def test_a_humanoid_stands_on_its_soles(name, height):
    for sole in ("l_sole", "r_sole"):
        pose = link_pose(ROBOTS[name], zero(name), sole)
        assert pose.xyz[2] == pytest.approx(-height, abs=0.0005)
        assert pose.quaternion == pytest.approx((0, 0, 0, 1))


@pytest.mark.parametrize("name", ["t1", "k1"])
def test_frames_of_rep_120(name):
    robot = ROBOTS[name]
    assert robot.joints["torso_joint"].parent == "base_link"
    for frame in ("l_gripper", "r_gripper", "gaze"):  # what must hang on the torso
        assert link_pose(robot, zero(name), frame, root="torso") is not None
    left = link_pose(robot, zero(name), "l_gripper")
    assert rotate(left.quaternion, (1, 0, 0)) == pytest.approx((0, 1, 0), abs=2e-3)  # arms out


@pytest.mark.parametrize("name", NAMES)
def test_the_optical_frame_looks_along_its_z_axis(name):
    pose = link_pose(ROBOTS[name], {}, "camera_optical_frame", root="camera_link")
    assert rotate(pose.quaternion, (0, 0, 1)) == pytest.approx((1, 0, 0), abs=1e-4)  # ahead
    assert rotate(pose.quaternion, (1, 0, 0)) == pytest.approx((0, -1, 0), abs=1e-4)  # right


@pytest.mark.parametrize("name", ["t1", "k1"])
@pytest.mark.parametrize("frame", ["sole", "gripper", "shank", "elbow"])
def test_left_and_right_are_mirror_images(name, frame):
    robot, chance = ROBOTS[name], random.Random(f"{name}{frame}")
    positions = zero(name)
    for joint in robot.movable:
        if "Left" in joint.name:
            angle = chance.uniform(joint.limit.lower, joint.limit.upper)
            positions[joint.name] = angle
            positions[joint.name.replace("Left", "Right")] = angle if "Pitch" in joint.name else -angle
    left, right = link_pose(robot, positions, f"l_{frame}"), link_pose(robot, positions, f"r_{frame}")
    x, y, z = left.xyz
    assert right.xyz == pytest.approx((x, -y, z), abs=1e-9)


@pytest.mark.skipif(shutil.which("check_urdf") is None, reason="check_urdf is not installed")
@pytest.mark.parametrize("name", NAMES)
def test_check_urdf_agrees(name):
    done = subprocess.run(["check_urdf", FOLDER / f"{name}.urdf"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert "root Link: base_link" in done.stdout


def model_of(name):
    """MuJoCo, and the simulator's own model of the robot."""
    mujoco = pytest.importorskip("mujoco")
    spec = importlib.util.find_spec("rcsssmj")
    if spec is None:
        pytest.skip("rcsssmj is not installed")
    folder = {"t1": "T1", "k1": "K1", "ant": "ant"}[name]
    path = Path(spec.submodule_search_locations[0]) / "resources" / "robots" / folder / "robot.xml"
    return mujoco, mujoco.MjModel.from_xml_path(str(path))


def posed(mujoco, model, positions):
    data = mujoco.MjData(model)
    data.qpos[:7] = (0, 0, 0, 1, 0, 0, 0)
    for joint, angle in positions.items():
        data.joint(joint).qpos[0] = angle
    mujoco.mj_kinematics(model, data)
    return data


def wxyz_of(mujoco, matrix):
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, matrix)
    return quaternion


@pytest.mark.parametrize("name", NAMES)
def test_limits_are_those_of_the_simulator(name):
    _, model = model_of(name)
    for joint in ROBOTS[name].movable:
        theirs = model.joint(joint.name)
        assert (joint.limit.lower, joint.limit.upper) == pytest.approx(tuple(theirs.range), abs=1e-4)
        if name != "ant":
            assert joint.limit.effort == model.jnt_actfrcrange[theirs.id][1]


@pytest.mark.parametrize("name", NAMES)
def test_kinematics_agree_with_the_simulator(name):
    mujoco, model = model_of(name)
    robot, chance = ROBOTS[name], random.Random(name)
    for _ in range(20):
        positions = {j.name: chance.uniform(j.limit.lower, j.limit.upper) for j in robot.movable}
        data = posed(mujoco, model, positions)
        for link, theirs in FRAMES[name].items():
            frame = data.site(theirs[1:]) if theirs.startswith("@") else data.body(theirs)
            w, x, y, z = wxyz_of(mujoco, frame.xmat)
            ours = link_pose(robot, positions, link)
            assert math.dist(ours.xyz, frame.xpos) < 0.001, link
            off = multiply(ours.quaternion, (-x, -y, -z, w))
            assert math.degrees(2 * math.asin(min(1.0, math.hypot(*off[:3])))) < 0.1, link


def test_the_feet_of_the_ant_agree_with_the_simulator():
    mujoco, model = model_of("ant")
    robot, chance = ROBOTS["ant"], random.Random(4)
    positions = {j.name: chance.uniform(j.limit.lower, j.limit.upper) for j in robot.movable}
    data = posed(mujoco, model, positions)
    shins = {1: "left_ankle", 2: "right_ankle", 3: "third_ankle", 4: "fourth_ankle"}
    for leg, name in shins.items():
        shin = data.geom(f"{name}_geom")  # a capsule: the foot is where its axis ends
        half = model.geom(f"{name}_geom").size[1] * shin.xmat.reshape(3, 3)[:, 2]
        ends = [shin.xpos + half, shin.xpos - half]
        foot = link_pose(robot, positions, f"leg_{leg}_foot").xyz
        knee = link_pose(robot, positions, f"leg_{leg}_lower").xyz
        ends.sort(key=lambda end, foot=foot: math.dist(end, foot))
        assert math.dist(ends[0], foot) < 0.001
        assert math.dist(ends[1], knee) < 0.001


ROOT = Path(__file__).parents[2]
BODIES = sorted(
    path.stem
    for path in (ROOT / "config/bodies").glob("*.yaml")
    if (ROOT / f"urdf/{path.stem}.urdf").is_file()
)
ROUNDED = 1e-9
NARROWER = math.radians(3.0)  # a body may keep away from the stops


def test_all_robots_are_there():
    assert BODIES == [
        "ant", "desk_arm", "desk_humanoid", "k1", "mock", "nao", "nao_toe", "open_manipulator_x", "piplus", "t1",
    ]  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_joints_ranges_and_torques(name):
    movable = read_urdf(ROOT / f"urdf/{name}.urdf").movable
    joints = {joint.name: joint.limit for joint in movable if joint.mimic is None}
    body = read_body(ROOT / f"config/bodies/{name}.yaml")
    assert {joint.name for joint in body.joints} == set(joints)
    for joint in body.joints:
        limit = joints[joint.name]
        assert limit.lower - ROUNDED <= joint.lower < limit.lower + NARROWER, joint.name
        assert limit.upper - NARROWER < joint.upper <= limit.upper + ROUNDED, joint.name
        assert joint.effort == limit.effort, joint.name
