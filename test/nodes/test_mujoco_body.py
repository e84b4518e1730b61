# SPDX-License-Identifier: Apache-2.0
"""A body in MuJoCo as a node: its topics and services, its lifecycle, and its time."""

import math
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from builtin_interfaces.msg import Duration
from embodiment_bridge.msg import BodyStatus, EntityArray, LinkState, SkillList, TouchStates
from embodiment_bridge.srv import Beam, PlaceThing, Push
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from graph_stage import Stage
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, CameraInfo, Image, Imu, JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import GRAPH

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.executables import mujoco_body
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.mujoco.mujoco_body import MujocoBody
from embodiment_bridge.nodes.mujoco.pace import Pace
from embodiment_bridge.physics.camera import Painter
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.urdf import read_urdf

ROOT = Path(__file__).parents[2]
FAST = {"publish_clock": True, "use_sim_time": True, "real_time_factor": 0.0}
TOPICS: dict[str, tuple[Any, str]] = {
    "joint_states": (JointState, "sensor"),
    "imu": (Imu, "sensor"),
    "pose": (PoseStamped, "sensor"),
    "odom": (Odometry, "sensor"),
    "entities": (EntityArray, "sensor"),
    "touch": (TouchStates, "sensor"),
    "battery": (BatteryState, "state"),
    "body_status": (BodyStatus, "latched"),
    "link_state": (LinkState, "latched"),
    "skills": (SkillList, "latched"),
}


class Mujoco(Stage):
    """A body in MuJoCo, and somebody who looks."""

    def __init__(self, runtime: Runtime, namespace: str, **values: Any) -> None:
        super().__init__(runtime, namespace)
        self.body = self.add(partial(MujocoBody, lambda: ROOT), **values)
        self.listen(TOPICS)

    @property
    def entities(self) -> list[Any]:
        return self.last["entities"].entities if "entities" in self.last else []

    @property
    def place(self) -> Point:
        return self.last["pose"].pose.position


@pytest.fixture
def make(request):
    with Runtime() as runtime:
        count = iter(range(9))

        def started(**values: Any) -> Mujoco:
            stage = Mujoco(runtime, f"/mj{next(count)}", **{**FAST, **values})
            request.addfinalizer(stage.close)
            return stage

        yield started


def test_topics_of_a_robot_that_stands(make) -> None:
    stage = make()
    stage.until(lambda: set(TOPICS) <= set(stage.last))
    stage.until(lambda: stage.last["joint_states"].header.stamp.sec >= 1)
    last = stage.last
    joints = last["joint_states"]
    assert len(joints.name) == len(joints.position) == len(joints.effort) == 20
    assert any(abs(effort) > 0.001 for effort in joints.effort)
    assert (last["pose"].header.frame_id, last["imu"].header.frame_id) == ("map", "imu_link")
    assert stage.place.z == pytest.approx(0.223, abs=0.005)
    assert last["odom"].child_frame_id == "base_link"
    assert last["imu"].linear_acceleration.z == pytest.approx(9.81, abs=0.2)
    touched = {sensor.name for sensor in last["touch"].sensors if sensor.touched}
    assert touched == {"l_foot", "r_foot"}
    ball = next(entity for entity in last["entities"].entities if entity.id == "ball")
    assert (ball.kind, ball.visible, ball.size.x) == ("ball", True, pytest.approx(0.08))
    assert ball.pose.position.x == pytest.approx(0.98, abs=0.05)
    assert 0.9 < last["battery"].percentage <= 1.0
    assert last["link_state"].peer.endswith("desk_humanoid.urdf")


STAND = """<robot name="stand"><link name="foot"/><link name="base_link">{0}</link><link name="arm">{0}</link>
<joint name="up" type="fixed"><parent link="foot"/><child link="base_link"/><origin xyz="0 0 0.5"/></joint>
<joint name="j" type="revolute"><parent link="base_link"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>"""
BLOCK = """<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
<visual><geometry><box size="0.1 0.1"/></geometry></visual>
<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>"""


def test_frames_of_a_base_link_inside_the_tree_have_one_parent_each(make, tmp_path, capfd) -> None:
    (tmp_path / "stand.urdf").write_text(STAND.format(BLOCK))
    stage = make(model=str(tmp_path / "stand.urdf"))
    parents: dict[str, set[str]] = {}

    def take(topic: str, message: TFMessage) -> None:
        for one in message.transforms:
            parents.setdefault(one.child_frame_id, set()).add(one.header.frame_id)

    stage.listen({"/tf": (TFMessage, "events"), "/tf_static": (TFMessage, "latched")}, take)
    stage.until(lambda: {"base_link", "arm", "foot"} <= set(parents))
    assert [parents[name] for name in ("base_link", "arm", "foot")] == [
        {"odom"},
        {"base_link"},
        {"base_link"},
    ]
    assert "size '0.1 0.1' has 2 numbers, not 3; this visual is left out" in capfd.readouterr().err


@pytest.mark.parametrize("model", ["T1", "K1"])
def test_it_lists_no_skill_that_only_the_server_of_the_robot_does(make, model) -> None:
    stage = make(model=model)
    stage.until(lambda: "skills" in stage.last)
    listed = {skill.name for skill in stage.last["skills"].skills if skill.kind == "native"}
    assert listed == {"say"}
    result = stage.skill("say", text="hello")
    assert (result.status, result.reason[:15]) == (result.FAILED, "nothing speaks:")


def test_services_change_the_world(make) -> None:
    stage = make()
    stage.until(lambda: "pose" in stage.last)
    assert stage.call(Beam, "beam", x=1.5, y=0.0, theta=0.0).success
    stage.until(lambda: stage.place.z > 0.55)
    answer = stage.call(Push, "push", link="wing", force=Vector3(x=1.0), duration=0.1)
    assert (answer.success, answer.message.startswith("unknown link 'wing'")) == (False, True)
    assert stage.call(Push, "push", link="torso", force=Vector3(x=25.0), duration=0.3).success
    stage.until(lambda: stage.place.z < 0.45)
    assert stage.call(Trigger, "reset").success
    stage.until(lambda: abs(stage.place.z - 0.223) < 0.01 and abs(stage.place.x) < 0.05)
    spot = Pose(position=Point(x=1.0, y=0.3, z=0.1), orientation=Quaternion(w=1.0))
    assert stage.call(PlaceThing, "place_thing", name="ball", pose=spot).success
    stage.until(
        lambda: any(
            entity.id == "ball" and entity.visible and abs(entity.pose.position.x - 1.0) < 0.1
            for entity in stage.last["entities"].entities
        )
    )
    answer = stage.call(PlaceThing, "place_thing", name="table", pose=spot)
    assert (answer.success, "ball" in answer.message) == (False, True)


def test_a_kick_of_keyframes_that_misses_is_seen_by_the_robot_itself(make, tmp_path) -> None:
    body = tmp_path / "kicker.yaml"
    body.write_text(
        f"like: {ROOT / 'config/bodies/desk_humanoid.yaml'}\n"
        "skills:\n  kick: {kind: motion, channels: [head], nominal_s: 1.0, min_s: 0.5,\n"
        "         keyframes: [{at: 1.0, rest: true}]}\n"
    )
    stage = make(body_file=str(body))
    stage.until(lambda: any(entity.id == "ball" and entity.visible for entity in stage.entities))
    result = stage.skill("kick")
    assert (result.status, result.reason[:21]) == (result.FAILED, "'ball' has not moved:")


def test_a_fault_in_a_service_is_answered(make, monkeypatch) -> None:
    stage = make()
    stage.until(lambda: "pose" in stage.last)
    with monkeypatch.context() as patch:
        patch.setattr(stage.body._simulation, "beam", lambda *_: 1 / 0)
        answer = stage.call(Beam, "beam", x=1.5)
    assert (answer.success, "exception" in answer.message) == (False, True)
    assert stage.call(Trigger, "reset").success


def test_what_a_simulation_was_asked_is_answered_also_when_it_ends() -> None:
    done: list[str] = []
    begun = threading.Event()
    pace = Pace(begun.set, 1000.0)
    assert begun.wait(GRAPH)
    pace.ask(lambda: done.append("before the next cycle"), lambda: done.append("before the end"))
    pace.close()
    pace.ask(lambda: done.append("after the end"), lambda: done.append("too late"))
    assert done == ["before the end", "too late"]


def test_time_goes_on_when_the_world_begins_again(make) -> None:
    stage = make()
    stage.until(lambda: "joint_states" in stage.last and stage.last["joint_states"].header.stamp.sec >= 1)
    assert stage.call(Trigger, "reset").success
    before = stage.last["joint_states"].header.stamp.sec
    stage.until(lambda: stage.last["joint_states"].header.stamp.sec > before + 1)


@pytest.mark.parametrize("time_s", [0.0, 0.05])
def test_a_point_that_is_faster_than_the_joint_is_not_passed(make, time_s: float) -> None:
    stage = make(model="desk_arm", body_file="none")
    stage.until(lambda: "joint_states" in stage.last)
    follow = stage.publisher(JointTrajectory, "joint_trajectory")
    point = JointTrajectoryPoint(positions=[0.4], time_from_start=Duration(nanosec=round(time_s * 1e9)))
    follow.publish(JointTrajectory(joint_names=["turn"], points=[point]))
    track: list[float] = []
    times: list[int] = []

    def look() -> float:
        joints = stage.last["joint_states"]
        track.append(dict(zip(joints.name, joints.position, strict=True))["turn"])
        times.append(joints.header.stamp.sec)
        return track[-1]

    stage.until(lambda: abs(look() - 0.4) < 0.02)
    there = times[-1]
    stage.until(lambda: look() and times[-1] > there + 3)  # s of its own time
    assert max(track) < 0.42
    assert track[-1] == pytest.approx(0.4, abs=0.02)


def test_robot_without_a_body_file_follows_trajectories_and_rests(make) -> None:
    stage = make(model="desk_arm", body_file="none")
    stage.until(lambda: {"skills", "joint_states"} <= set(stage.last))
    assert {skill.name for skill in stage.last["skills"].skills} == {"reset", "rest", "say"}
    follow = stage.publisher(JointTrajectory, "joint_trajectory")

    def send(angle: float) -> None:
        point = JointTrajectoryPoint(positions=[0.3, angle])
        point.time_from_start.sec = 1
        follow.publish(JointTrajectory(joint_names=["turn", "elbow"], points=[point]))

    def angle(name: str) -> float:
        joints = stage.last["joint_states"]
        return dict(zip(joints.name, joints.position, strict=True))[name]

    send(9.0)  # refused whole
    send(1.0)
    stage.until(lambda: abs(angle("elbow") - 1.0) < 0.05 and abs(angle("turn") - 0.3) < 0.05)
    stage.ask("rest")
    stage.until(lambda: abs(angle("elbow")) < 0.05)


def test_description_is_made_of_an_mjcf(make) -> None:
    stage = make(model="python://rcsssmj/resources/robots/ant/robot.xml")
    texts = stage.collect(String, "robot_description", "latched")
    stage.until(lambda: texts)
    assert {"hip_1", "ankle_4"} <= set(read_urdf(texts[0].data).joints)


HANGING = """<robot name="hanging"><link name="world"/><link name="trunk">{0}</link><link name="arm">{0}</link>
<joint name="free" type="floating"><parent link="world"/><child link="trunk"/></joint>
<joint name="j" type="revolute"><parent link="trunk"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>"""
MASS = '<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'


def test_link_that_floats_under_the_world_is_the_base_on_tf(make, tmp_path) -> None:
    (tmp_path / "hanging.urdf").write_text(HANGING.format(MASS), encoding="utf-8")
    stage = make(model=str(tmp_path / "hanging.urdf"))
    parents: dict[str, str] = {}

    def take(_: str, message: TFMessage) -> None:
        parents.update((one.child_frame_id, one.header.frame_id) for one in message.transforms)

    stage.listen({"/tf": (TFMessage, "events"), "/tf_static": (TFMessage, "latched")}, take)
    stage.until(lambda: {"base_link", "arm", "trunk"} <= set(parents))
    assert [parents[name] for name in ("base_link", "trunk", "arm")] == ["odom", "base_link", "trunk"]


def test_reckoned_pose_and_none(make) -> None:
    stage, blind = make(localisation="odometry", seed=5), make(localisation="none", model="desk_dog")
    stage.until(lambda: "pose" in stage.last and stage.last["pose"].header.stamp.sec >= 1)
    pose, odom = stage.last["pose"].pose, stage.last["odom"].pose.pose
    assert math.dist((pose.position.x, pose.position.y), (odom.position.x, odom.position.y)) < 0.01
    blind.until(lambda: "joint_states" in blind.last and blind.last["joint_states"].header.stamp.sec >= 1)
    assert "pose" not in blind.last


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"model": "nowhere.urdf"}, "nowhere.urdf"),
        ({"world": "moon"}, "unknown world 'moon'"),
        ({"real_time_factor": 2.0, "publish_clock": False}, "real_time_factor is 2"),
        ({"keyframe": "up"}, "keyframe"),
        ({"body_file": str(ROOT / "config/bodies/t1.yaml")}, "unknown joint of model"),
    ],
)
def test_parameter_that_cannot_be_used_is_named(make, caplog, capfd, values, why) -> None:
    stage = make(**values)
    stage.until(lambda: stage.body.refused)
    assert why in capfd.readouterr().err
    assert not stage.body.active


@pytest.mark.fault(
    "restarted", body="mujoco", reaction="begins anew; requests in between are refused with the reason"
)
def test_body_comes_again_after_a_cleanup(make) -> None:
    stage = make()
    stage.until(lambda: "pose" in stage.last)
    stage.body.trigger_deactivate()
    answer = stage.call(Trigger, "reset")
    assert (answer.success, "inactive" in answer.message) == (False, True)
    stage.body.trigger_cleanup()
    stage.last.clear()
    stage.body.trigger_configure()
    stage.body.trigger_activate()
    stage.until(lambda: "pose" in stage.last)


def test_executable_makes_it() -> None:
    with Runtime() as runtime:
        node = runtime.add(mujoco_body(context=runtime.context, namespace="/made"))
        assert isinstance(node, MujocoBody)


def test_pictures_of_the_robot_and_of_its_world(make) -> None:
    if not can_render():
        pytest.skip("no EGL or OSMesa to render with")
    stage = make(camera="eye", camera_width=64, camera_height=48, world="desk", real_time_factor=1.0)
    images = stage.collect(Image, "camera/image_raw", "sensor")
    infos = stage.collect(CameraInfo, "camera/camera_info", "sensor")
    stage.until(lambda: len(images) > 1 and infos)
    image, info = images[-1], infos[-1]
    assert (image.width, image.height, image.encoding, len(image.data)) == (64, 48, "rgb8", 64 * 48 * 3)
    assert image.header.frame_id == "camera_optical_frame"
    assert len(set(image.data)) > 10
    assert 2 * math.atan2(0.5 * 64, info.k[0]) == pytest.approx(1.2)


def test_camera_that_is_not_there_is_one_line(make, capfd) -> None:
    stage = make(camera="zoom")
    stage.until(lambda: "pose" in stage.last)
    # Only then is read what was written: what a thread writes while pytest empties its file is lost.
    stage.until(lambda: all(thread.name != "camera" for thread in threading.enumerate()))
    assert "no pictures: unknown camera 'zoom'" in capfd.readouterr().err


def can_render() -> bool:
    try:
        Painter(Simulation(ROOT / "urdf/rover.urdf").model, "eye", 16, 16).close()
    except ConfigError:
        return False
    return True
