# SPDX-License-Identifier: Apache-2.0
"""The joint driver on virtual servos: trajectories, refusals, services, emergency stop, a lost bus."""

import math

import pytest
from embodiment_bridge.action import ExecuteSkill
from embodiment_bridge.msg import BodyStatus, JointCommand, LinkState
from embodiment_bridge.srv import CalibrateJoints, RebootServos, ServoRegister, SetJointMode, SetTorque
from rclpy.action import ActionClient
from rclpy.lifecycle import TransitionCallbackReturn
from sensor_msgs.msg import JointState
from servo_stage import ROOT, URDF, ServoStage
from std_msgs.msg import Bool
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.dynamixel.bus import supervisor
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.skill_queue import SkillQueue


@pytest.fixture
def stages(tmp_path, monkeypatch):
    """Makes robots: ``stages(**parameters)``."""
    monkeypatch.setattr(supervisor, "ALL_SILENT_S", 10.0)  # the thread that plays the servos may be late
    made: list[ServoStage] = []
    with Runtime() as runtime:

        def make(**values) -> ServoStage:
            folder = tmp_path / f"robot{len(made)}"
            folder.mkdir()
            made.append(ServoStage(runtime, folder, f"/servos{len(made)}", **values))
            return made[-1]

        yield make
        for stage in made:
            stage.driver.close()
            stage.close()


def trajectory(names: list[str], *points: tuple[float, list[float]]) -> JointTrajectory:
    message = JointTrajectory(joint_names=names)
    for time_s, positions in points:
        point = JointTrajectoryPoint(positions=positions)
        point.time_from_start.sec = int(time_s)
        point.time_from_start.nanosec = int(time_s % 1 * 1e9)
        message.points.append(point)
    return message


def test_a_trajectory_is_followed_and_a_bad_one_is_refused_by_name(stages) -> None:
    stage = stages()
    stage.join()
    assert abs(stage.angle("l_elbow_pitch")) < 0.002  # it stays where it was found
    names = ["head_yaw", "r_elbow_pitch"]
    stage.publish(JointTrajectory, "joint_trajectory", trajectory(names, (0.3, [0.4, -0.5])))
    stage.until(
        lambda: abs(stage.angle("head_yaw") - 0.4) < 0.02 and abs(stage.angle("r_elbow_pitch") + 0.5) < 0.02
    )
    stage.until(lambda: len(stage.last["joint_states"].name) == 20)
    message = stage.last["joint_states"]
    assert len(message.position) == len(message.velocity) == len(message.effort) == 20
    refused: list[str] = []
    stage.driver.get_logger().warning = lambda text, **_: refused.append(text)
    for bad in (
        trajectory(["head_yaw"], (0.5, [3.0])),
        trajectory(["head_yaw"], (0.5, [math.nan])),
        trajectory(["head_yam"], (0.5, [0.0])),
        trajectory(["head_yaw"], (0.5, [0.0]), (0.4, [0.1])),
    ):
        stage.publish(JointTrajectory, "joint_trajectory", bad)
    stage.publish(JointCommand, "joint_command", JointCommand(names=["head_yaw"], position=[9.0]))
    stage.until(lambda: len(refused) >= 5)
    assert all("head_ya" in text for text in refused if "point 1" not in text)
    assert "point 1 is at 0.4 s" in "".join(refused)
    stage.spin(0.2)
    assert abs(stage.angle("head_yaw") - 0.4) < 0.02  # it holds


def test_a_point_that_is_faster_than_the_joint_is_not_passed(stages) -> None:
    stage = stages()
    stage.join()
    stage.tracks.clear()
    goals = {"head_yaw": (0.05, [0.4]), "waist_yaw": (0.0, [0.3])}
    for joint, point in goals.items():
        stage.publish(JointTrajectory, "joint_trajectory", trajectory([joint], point))
    stage.until(lambda: all(abs(stage.angle(name) - point[1][0]) < 0.02 for name, point in goals.items()))
    stage.spin(2.0)
    for joint, (_, (target,)) in goals.items():
        track = [angle for message in stage.tracks for angle in angles_of(message, joint)]
        assert min(track) > -0.02
        assert max(track) < target + 0.02
        assert abs(stage.angle(joint) - target) < 0.02


def angles_of(message: JointState, joint: str) -> list[float]:
    return [angle for name, angle in zip(message.name, message.position, strict=True) if name == joint]


def test_a_skill_of_limp_joints_fails_and_moves_again_with_torque(stages) -> None:
    stage = stages(idle=False)
    stage.join()
    skills = ActionClient(stage.watcher, ExecuteSkill, "execute_skill")
    stage.until(skills.server_is_ready)

    def shake() -> ExecuteSkill.Result:
        answer = skills.send_goal_async(ExecuteSkill.Goal(name="head_shake"))
        stage.until(answer.done)
        result = answer.result().get_result_async()
        stage.until(result.done)
        return result.result().result

    assert stage.call(SetTorque, "set_torque", joints=["head_yaw"], on=False).success
    told: list[str] = []
    stage.driver.get_logger().warning = lambda text, **_: told.append(text)
    stage.tracks.clear()
    found = shake()
    assert (found.status, found.reason) == (
        ExecuteSkill.Result.FAILED,
        "cannot be moved: head_yaw (limp); set_torque drives limp joints",
    )
    stage.publish(JointTrajectory, "joint_trajectory", trajectory(["head_yaw"], (0.5, [0.4])))
    stage.publish(JointCommand, "joint_command", JointCommand(names=["head_yaw"], position=[0.4]))
    stage.until(lambda: len(told) == 2)
    assert all("head_yaw (limp)" in line for line in told)
    angles = [angle for message in stage.tracks for angle in angles_of(message, "head_yaw")]
    assert max(map(abs, angles)) < 0.01
    assert stage.call(SetTorque, "set_torque", joints=["head_yaw"], on=True).success
    assert shake().status == ExecuteSkill.Result.SUCCEEDED
    angles = [angle for message in stage.tracks for angle in angles_of(message, "head_yaw")]
    assert max(map(abs, angles)) > 0.1
    skills.destroy()


def test_a_motion_of_a_servo_that_is_stuck_fails_and_names_the_joint(stages) -> None:
    stage = stages(idle=False)
    stage.join()
    rule = stage.bus.inject(
        "axis", id=stage.driver._robot._bus_of["head_pitch"].config.servos[1].id, state="stuck"
    )
    status, reason = stage.did("sad")
    assert status == ExecuteSkill.Result.FAILED
    assert reason.startswith("head_pitch is at 0.00 rad, not at 0.")
    assert abs(stage.angle("head_pitch")) < 0.01
    stage.bus.heal(rule)
    assert stage.did("sad") == (ExecuteSkill.Result.SUCCEEDED, "")
    assert stage.angle("head_pitch") > 0.2


def test_services_torque_mode_registers_calibration_reboot(stages, tmp_path) -> None:
    stage = stages()
    stage.join()
    answer = stage.call(SetTorque, "set_torque", joints=["l_grip"], on=False)
    assert (answer.success, answer.message) == (True, "limp")
    stage.until(lambda: not stage.torque["l_grip"])
    assert stage.torque["r_grip"]
    assert "did you mean 'l_grip'" in stage.call(SetTorque, "set_torque", joints=["l_gripp"], on=True).message

    answer = stage.call(CalibrateJoints, "calibrate", joints=["l_grip"], positions=[0.25])
    assert answer.success, answer.message
    stage.until(lambda: abs(stage.angle("l_grip") - 0.25) < 1e-6)
    assert "shift: 0.25" in (tmp_path / "robot0" / "calibration.yaml").read_text()
    assert stage.call(SetTorque, "set_torque", joints=["l_grip"], on=True).success
    stage.spin(0.3)
    assert abs(stage.angle("l_grip") - 0.25) < 0.002  # the new zero moved nothing

    answer = stage.call(ServoRegister, "servo_register", joint="head_yaw", item="position_p_gain")
    assert (answer.success, answer.value) == (True, 640)
    answer = stage.call(
        ServoRegister, "servo_register", joint="head_yaw", item="position_p_gain", write=True, value=500
    )
    assert (answer.success, answer.value) == (True, 500)
    for item, why in (
        ("id", "driver's own"),
        ("torque_enable", "driver's own"),
        ("present_position", "can only be read"),
        ("return_delay_time", "is locked while"),
        ("position_p_gains", "did you mean"),
    ):
        answer = stage.call(ServoRegister, "servo_register", joint="head_yaw", item=item, write=True, value=1)
        assert not answer.success
        assert why in answer.message

    assert (
        "unknown mode 'fast'"
        in stage.call(SetJointMode, "set_mode", joints=["waist_yaw"], mode="fast").message
    )
    answer = stage.call(SetJointMode, "set_mode", joints=["head_yaw"], mode="current")
    assert "XL430-W250 has no mode 'current'" in answer.message
    assert stage.call(SetJointMode, "set_mode", joints=["waist_yaw"], mode="velocity").success
    stage.until(lambda: stage.torque["waist_yaw"])
    drive = stage.watcher.create_publisher(JointCommand, "joint_command", profile("command"))

    def turns() -> bool:
        drive.publish(JointCommand(names=["waist_yaw"], velocity=[0.5]))
        return stage.angle("waist_yaw") > 0.01

    stage.until(turns)
    stage.spin(1.0)  # the command is too old by now
    stage.tracks.clear()
    stage.until(lambda: len(stage.tracks) > 10)
    rest = stage.angle("waist_yaw")
    stage.spin(0.2)
    assert stage.angle("waist_yaw") == pytest.approx(rest, abs=0.01)

    assert stage.call(RebootServos, "reboot").message == "no servo has a hardware error"
    answer = stage.call(RebootServos, "reboot", joints=["head_pitch"])
    assert (answer.success, answer.message) == (True, "restarted: head_pitch")
    stage.until(lambda: not stage.torque["head_pitch"])  # until it is asked for


def test_a_request_that_changed_nothing_stops_no_motion(stages, tmp_path, monkeypatch) -> None:
    told: list[str] = []  # why motion begins anew
    monkeypatch.setattr(SkillQueue, "lost", lambda _, reason: told.append(reason))
    stage = stages()
    stage.join()
    told.clear()
    file = tmp_path / "robot0" / "calibration.yaml"
    before = file.stat()
    answer = stage.call(SetJointMode, "set_mode", joints=["waist_yaw", "head_yaw"], mode="current")
    assert "XL430-W250 has no mode 'current'" in answer.message
    assert set(stage.last["servo_states"].modes) == {"position"}
    assert not stage.call(CalibrateJoints, "calibrate", joints=["head_yaw"], positions=[9.0]).success
    assert stage.call(RebootServos, "reboot").message == "no servo has a hardware error"
    after = file.stat()
    assert (told, after.st_ino, after.st_mtime_ns) == ([], before.st_ino, before.st_mtime_ns)
    assert stage.call(SetJointMode, "set_mode", joints=["waist_yaw"], mode="velocity").success
    assert told == ["the mode of joints was changed"]


def test_an_emergency_stop_makes_all_limp_until_it_is_released(stages) -> None:
    stage = stages()
    stage.join()
    stage.publish(Bool, "emergency_stop", Bool(data=True), "latched")
    stage.until(lambda: not any(stage.torque.values()))
    stage.until(
        lambda: (status := stage.last["body_status"]).reason == "emergency stop" and not status.torque
    )
    stage.until(lambda: not any(registers["torque_enable"] for registers in stage.bus.snapshot().values()))
    result = stage.run('{"type": "body", "action": "HEAD_SHAKE"}')
    assert result.outcome == "FAILED"
    assert "emergency stop" in result.reason
    assert stage.call(SetBool, "emergency_stop", data=False).success
    stage.join()
    assert stage.run('{"type": "body", "action": "HEAD_SHAKE"}').outcome == "SUCCEEDED"


def test_an_emergency_stop_that_a_servo_does_not_confirm_says_so(stages) -> None:
    stage = stages()
    stage.join()
    answer = stage.call(SetBool, "emergency_stop", data=True)
    assert (answer.success, answer.message) == (True, "stopped")
    assert not any(registers["torque_enable"] for registers in stage.bus.snapshot().values())
    assert stage.call(SetBool, "emergency_stop", data=False).message == "released"
    stage.join()
    stage.bus.inject("absent", id=1)
    answer = stage.call(SetBool, "emergency_stop", data=True)
    assert (answer.success, "head_yaw" in answer.message) == (False, True)
    assert stage.bus.snapshot()[1]["torque_enable"]


def test_a_bus_that_goes_away_fails_what_runs_and_is_joined_again(stages) -> None:
    stage = stages()
    stage.join()
    stage.bml.send('{"type": "body", "action": "WAIST_SHAKE", "duration": 5}', source="test")
    stage.until(lambda: stage.angle("waist_yaw") > 0.1)
    rule = stage.bus.inject("unplug")
    stage.until(lambda: stage.bml.result is not None)
    assert stage.bml.result.outcome == "FAILED"
    assert "servos are lost" in stage.bml.result.reason
    stage.until(lambda: stage.last["link_state"].state == LinkState.BACKOFF)
    stage.until(lambda: "desk: " in stage.diagnosis())
    stage.spin(0.4)
    stage.tracks.clear()
    stage.spin(0.3)
    assert not stage.tracks  # nothing stale looks fresh
    stage.bus.heal(rule)
    stage.until(lambda: stage.last["link_state"].state == LinkState.READY)
    stage.join()
    assert stage.run('{"type": "body", "action": "HEAD_SHAKE"}').outcome == "SUCCEEDED"


def test_a_silent_servo_is_left_out_of_joint_states_and_told(stages) -> None:
    stage = stages()
    stage.join()
    rule = stage.bus.inject("absent", id=1)
    stage.until(lambda: "head_yaw" not in (names := stage.last["joint_states"].name) and len(names) == 19)
    stage.until(lambda: "no answer from head_yaw" in stage.diagnosis())

    def age() -> float:
        states = stage.last["servo_states"]
        return states.age[states.names.index("head_yaw")]

    stage.until(lambda: age() > 0.2)
    assert stage.run('{"type": "body", "action": "HAND_GRIP"}').outcome == "SUCCEEDED"
    stage.bus.heal(rule)
    stage.until(lambda: "head_yaw" in stage.last["joint_states"].name)


def test_a_joint_that_was_not_heard_yet_gets_no_goal(stages, monkeypatch) -> None:
    stage = stages(autostart=False)
    rule = stage.bus.inject("absent", id=1)
    stage.driver.trigger_configure()
    robot, given = stage.driver._robot, []
    command = robot.command
    monkeypatch.setattr(robot, "command", lambda targets: (given.append(set(targets)), command(targets)))
    stage.driver.trigger_activate()
    stage.until(lambda: len(given) > 5 and sum(one.torque for one in robot.readings().values()) == 19)
    assert {"head_yaw" in names for names in given} == {False}
    stage.bus.heal(rule)
    stage.until(lambda: "head_yaw" in given[-1])


def test_deactivated_it_refuses_and_its_joints_are_limp(stages) -> None:
    stage = stages(autostart=False)
    stage.driver.trigger_configure()
    stage.until(lambda: stage.driver._robot.serving)
    assert not any(reading.torque for reading in stage.driver._robot.readings().values())  # found, not driven
    stage.driver.trigger_activate()
    stage.join()
    stage.driver.trigger_deactivate()
    stage.until(lambda: not any(registers["torque_enable"] for registers in stage.bus.snapshot().values()))
    stage.until(lambda: not stage.last["body_status"].torque)
    status = stage.last["body_status"]
    assert (status.posture, status.reason) == (BodyStatus.UNKNOWN, "the joint driver is inactive")
    assert "inactive" in stage.run('{"type": "body", "action": "HEAD_SHAKE"}').reason
    success = TransitionCallbackReturn.SUCCESS
    assert stage.driver.trigger_cleanup() == success
    stage.until(lambda: stage.last["link_state"].state == LinkState.CLOSED)
    assert stage.driver.trigger_configure() == success
    assert stage.driver.trigger_activate() == success
    stage.join()
    stage.until(lambda: stage.last["body_status"].posture == BodyStatus.STANDING)
    assert (stage.last["body_status"].torque, stage.last["body_status"].reason) == (True, "")


def test_an_emergency_stop_that_was_pressed_is_still_pressed_after_a_cleanup(stages) -> None:
    stage = stages()
    stage.join()
    button = stage.publisher(Bool, "emergency_stop", "latched")
    button.publish(Bool(data=True))
    stage.until(lambda: not any(registers["torque_enable"] for registers in stage.bus.snapshot().values()))
    for change in ("deactivate", "cleanup", "configure", "activate"):
        assert getattr(stage.driver, f"trigger_{change}")() == TransitionCallbackReturn.SUCCESS
    stage.until(lambda: stage.driver._robot.serving)
    assert "emergency stop: release it first" in stage.run('{"type": "body", "action": "HEAD_SHAKE"}').reason
    assert not any(registers["torque_enable"] for registers in stage.bus.snapshot().values())
    button.publish(Bool(data=False))
    stage.until(lambda: all(stage.torque.values()))


def test_a_robot_without_a_body_file_has_its_joints_a_rest_pose_and_a_voice(stages) -> None:
    stage = stages(robot_description_file="", robot_description=URDF.read_text(), body_file="none")
    stage.join()
    assert [skill.name for skill in stage.tree.skills.values()] == ["reset", "say"]
    stage.publish(JointTrajectory, "joint_trajectory", trajectory(["head_yaw"], (0.3, [0.3])))
    stage.until(lambda: abs(stage.angle("head_yaw") - 0.3) < 0.02)
    assert stage.run('{"type": "body", "action": "RESET"}').outcome == "SUCCEEDED"
    stage.until(lambda: abs(stage.angle("head_yaw")) < 0.02)  # what is told of the joint may be late


@pytest.mark.parametrize(
    "values",
    [
        {"robot_description_file": "", "robot_description": ""},
        {"port_name": "ttyUSB0"},
        {"port_name": "leg=/dev/ttyUSB0"},
        {"body_file": str(ROOT / "config/bodies/mock.yaml")},
        {"servo_file": "/none.yaml"},
        {"robot_description_file": str(ROOT / "urdf/mock.urdf")},
    ],
)
def test_what_cannot_be_configured_fails_and_stays_unconfigured(stages, values) -> None:
    stage = stages(autostart=False, **values)
    assert stage.driver.trigger_configure() == TransitionCallbackReturn.FAILURE
