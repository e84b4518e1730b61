# SPDX-License-Identifier: Apache-2.0
"""What the driver does so that nobody is hurt: soft starts, limits, timeouts, stops, what is left behind by a kill."""

import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from math import nan
from pathlib import Path

import pytest
from driver_stage import counted, servo

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.joints import GoalFilter
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.config.calibration import Stored, load_calibration, save_calibration
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.dynamixel.wire.packet import sync_write
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.urdf import read_urdf

ROOT = Path(__file__).parents[2]
MODES = ("position", "extended_position", "velocity", "current", "current_based_position", "pwm")


@pytest.mark.parametrize("mode", MODES)
def test_torque_on_moves_no_joint_by_more_than_a_tick(running, mode) -> None:
    stage = running([servo(1, mode=mode, model="xm430_w350"), servo(3, model="xm430_w350")], start=False)
    for id, angle in ((1, 0.7), (3, -0.9)):  # moved by hand, while a goal of before is still in the servo
        stage.virtual.servo(id).drive.position = angle
    stage.virtual.receive(
        sync_write(116, 4, {1: (3000).to_bytes(4, "little"), 3: (100).to_bytes(4, "little")})
    )
    stage.start(active=False)
    before = [reading.ticks for reading in stage.bus.readings()]
    assert abs(before[0] - 2048) > 400
    stage.activate()
    time.sleep(0.3)
    after = [reading.ticks for reading in stage.bus.readings()]
    assert all(abs(a - b) <= 1 for a, b in zip(before, after, strict=True)), (before, after)
    assert [reading.mode for reading in stage.bus.readings()] == [mode, "position"]


def test_a_soft_start_begins_slowly_and_no_step_is_larger_than_the_speed(running) -> None:
    filter = GoalFilter(servo(1, soft_start_s=1.0, velocity=2.0), 5.0, 1.0)
    filter.start(0.0)
    goals = [filter.position(1.4, 0.01) for _ in range(200)]
    steps = [b - a for a, b in zip([0.0, *goals], goals, strict=False)]
    assert max(steps) <= 2.0 * 0.01 + 1e-12
    assert steps[5] < 0.2 * max(steps)
    assert goals[-1] == 1.4
    assert filter.position(1e9, 100.0) <= 1.5  # a long gap counts as a tenth of a second, limits as limits
    assert filter.position(nan, 0.01) == filter.goal
    assert filter.position(-1.0, 0.01, fresh=False) == filter.goal


@pytest.mark.fault(
    "not a number", body="dynamixel", reaction="no command leaves the limits; registers are whole numbers"
)
@pytest.mark.parametrize("value", [5.0, -5.0, math.inf, -math.inf, nan])
def test_no_command_leaves_the_limits(value) -> None:
    config = servo(1, lower=-1.0, upper=1.0, velocity=2.0, effort=0.5, soft_start_s=0.0)
    filter = GoalFilter(config, 5.0, 1.0)
    filter.start(0.9)
    for _ in range(100):
        assert -1.0 <= filter.position(value, 0.1) <= 1.0
        assert abs(filter.velocity(value, 0.0, 0.1)) <= 2.0
        assert abs(filter.effort(value, 0.0, 0.0, 0.1)) <= 0.5
        assert abs(filter.share_of_full(value, 0.0, 0.0, 0.1)) <= 1.0
    assert filter.velocity(1.0, 1.0, 0.1) == filter.effort(1.0, 1.2, 0.0, 0.1) == 0.0  # no further outwards
    assert filter.velocity(-1.0, 1.2, 0.1) < 0.0
    assert filter.velocity(1.0, nan, 0.1) == 0.0  # nobody knows where it is


@pytest.mark.parametrize(("found", "end", "inside"), [(1.4, 1.0, 0.9), (-1.4, -1.0, -0.9)])
def test_joint_beyond_its_range_stays_where_it_is_until_it_is_asked_to_be_inside(found, end, inside) -> None:
    filter = GoalFilter(servo(1, lower=-1.0, upper=1.0, velocity=2.0, soft_start_s=0.0), 5.0, 1.0)
    filter.start(found)
    assert [filter.position(target, 0.1) for target in (end, found, 9.0 * end)] == [found] * 3
    way = [filter.position(inside, 0.1) for _ in range(5)]
    assert abs(way[0] - found) == pytest.approx(0.2)
    assert way[-1] == inside
    assert [filter.position(found, 0.1) for _ in range(5)][-1] == end


@pytest.mark.parametrize("found", [1.7, 1.48, -1.48, -1.7])
def test_joint_beyond_the_range_of_its_body_is_not_moved_by_what_nobody_asked(found) -> None:
    body = read_body(
        ROOT / "config/bodies/desk_humanoid.yaml"
    )  # whose ranges are a little inside those of the servos
    setup = read_servo_setup(read_urdf(ROOT / "urdf/desk_humanoid.urdf"))
    setup = setup.within({joint.name: (joint.lower, joint.upper) for joint in body.joints})
    names = [joint.name for joint in body.joints]
    angles = tuple(found if name == "head_yaw" else 0.0 for name in names)
    filter = GoalFilter(next(one for one in setup.servos if one.joint == "head_yaw"), 5.0, 1.0)
    filter.start(found)
    runner = MotionRunner(body, to_rest=False)
    for cycle in range(150):
        targets = runner.step(BodyState(0.02 * cycle, angles, (0.0,) * len(angles)), 0.02)
        assert filter.position(targets.position[names.index("head_yaw")], 0.02) == found


def test_without_commands_joints_hold_and_wheels_stand(running) -> None:
    free = {"lower": -math.inf, "upper": math.inf}
    stage = running(
        [servo(1), servo(2, mode="velocity", **free), servo(3, mode="current", **free)],
        command_timeout_s=0.1,
    )
    targets = {"j1": Target(0.5), "j2": Target(nan, 1.0), "j3": Target(nan, nan, 0.3)}
    stage.drive_until(
        lambda: stage.reading(2).velocity > 0.8 and stage.register(3, "goal_current") > 0, **targets
    )
    stage.until(lambda: stage.register(2, "goal_velocity") == 0 and stage.register(3, "goal_current") == 0)
    held = stage.register(1, "goal_position")
    time.sleep(0.1)
    assert stage.register(1, "goal_position") == held


def test_the_watchdog_is_armed_where_a_joint_would_run_on_and_nowhere_else(running) -> None:
    stage = running([servo(1), servo(2, mode="velocity"), servo(3, mode="current"), servo(4, mode="pwm")])
    stage.until(lambda: all(reading.torque for reading in stage.bus.readings()))

    def armed() -> list[int]:
        return [stage.register(id, "bus_watchdog") for id in (1, 2, 3, 4)]

    # 5 cycles of 10 ms, rounded up to 20 ms. On a busy machine one fires now and then, and is armed anew.
    stage.until(lambda: armed() == [0, 3, 3, 3])


CHILD = """
import sys, time
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.config.servo_config import BusConfig, ServoConfig
servo = ServoConfig("wheel", 1, "xm430_w350", "velocity", soft_start_s=0.1, on_shutdown="keep")
bus = ServoBus(BusConfig("test", sys.argv[1], (servo,)))
bus.start()
bus.activate(True)
while True:
    bus.command({"wheel": Target(0.0, 2.0, 0.0)})
    time.sleep(0.01)
"""


def test_a_driver_that_is_killed_leaves_no_wheel_running_even_without_a_guardian(running) -> None:
    stage = running([servo(1, mode="velocity")], start=False)
    child = subprocess.Popen([sys.executable, "-c", CHILD, stage.link], env={**os.environ, "PYTHONPATH": "."})
    try:
        stage.until(lambda: stage.register(1, "present_velocity") > 60)  # of 0.229 rpm: 1.4 rad/s
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
    stage.until(lambda: stage.register(1, "present_velocity") == 0, patience=3.0)
    assert stage.register(1, "bus_watchdog") == -1


@pytest.mark.parametrize("action", ["torque_off", "hold"])
def test_an_emergency_stop_comes_first_and_release_begins_from_where_the_joints_are(running, action) -> None:
    stage = running([servo(1), servo(2, mode="velocity")])
    targets = {"j1": Target(1.2), "j2": Target(nan, 1.0)}
    stage.drive_until(lambda: stage.reading(1).position > 0.3, **targets)
    stage.bus.emergency_stop(action)
    limp = action == "torque_off"
    stage.drive_until(lambda: stage.register(2, "present_velocity") == 0, **targets)
    stage.until(lambda: [stage.register(id, "torque_enable") for id in (1, 2)] == [not limp] * 2)
    stage.drive_until(lambda: stage.register(1, "present_velocity") == 0, **targets)
    stopped = stage.register(1, "present_position")
    stage.drive(0.2, j1=1.2)
    assert abs(stage.register(1, "present_position") - stopped) <= 1
    stage.virtual.servo(1).drive.position += 0.2 if limp else 0.0  # somebody moves it
    stage.bus.emergency_stop("")
    stage.until(lambda: all(reading.torque for reading in stage.bus.readings()))
    stage.drive_until(lambda: stage.reading(1).position > 1.1, **targets)


def test_a_servo_that_missed_the_emergency_stop_is_stopped_after_it_and_nobody_drives_meanwhile(
    running,
) -> None:
    stage = running([servo(1), servo(2), servo(3)])
    rule = stage.virtual.inject("drop_instruction", id=2, count=3)
    stage.bus.emergency_stop("torque_off")
    stage.until(lambda: not any(stage.register(id, "torque_enable") for id in (1, 2, 3)))
    assert rule.hits
    assert stage.ask(requests.SetTorque([], on=True)) == (False, "emergency stop: release it first", 0)
    time.sleep(0.1)
    assert not any(stage.register(id, "torque_enable") for id in (1, 2, 3))


def test_a_silent_servo_that_missed_the_emergency_stop_becomes_limp_as_soon_as_it_hears(running) -> None:
    stage = running([servo(1), servo(2), servo(3)])
    stage.virtual.inject("drop_status", id=2)
    deaf = stage.virtual.inject("drop_instruction", id=2)
    stage.until(lambda: stage.reading(2).silent)
    stage.bus.emergency_stop("torque_off")
    stage.until(lambda: not any(stage.register(id, "torque_enable") for id in (1, 3)))
    assert stage.register(2, "torque_enable")
    stage.virtual.heal(deaf)  # it hears, but cannot answer
    stage.until(lambda: not stage.register(2, "torque_enable"))


@pytest.mark.parametrize(("policy", "torque"), [("off", 0), ("hold", 1), ("keep", 1)])
def test_what_is_left_at_shutdown(running, policy, torque) -> None:
    stage = running([servo(1, on_shutdown=policy)])
    stage.drive_until(lambda: stage.reading(1).position > 0.3, j1=Target(0.35))
    stage.bus.stop()
    assert stage.register(1, "torque_enable") == torque


def test_a_robot_that_stands_is_taken_over_without_letting_go(running) -> None:
    first = running([servo(1, on_shutdown="keep", on_start="keep"), servo(2, on_start="keep")], start=False)
    first.start(active=False)
    first.bus.activate(True)
    time.sleep(0.1)
    assert not any(reading.torque for reading in first.bus.readings())  # as it was found
    first.ask(requests.SetTorque(["j1"], on=True))
    first.drive_until(lambda: first.reading(1).position > 0.3, j1=Target(0.35))
    first.bus.stop()
    goal = first.register(1, "goal_position")
    torque: list[int] = []
    first.virtual.on_packet = lambda *_: torque.append(first.virtual.servo(1).torque)
    second = ServoBus(first.bus.config, margin_s=0.02)
    first.bus = second
    first.start(active=False)
    second.activate(True)
    time.sleep(0.2)
    first.virtual.on_packet = None
    assert all(torque)
    assert first.register(1, "goal_position") == goal
    assert [reading.torque for reading in second.readings()] == [True, False]


def test_policy_off_waits_for_somebody_to_ask(running) -> None:
    stage = running([servo(1, on_start="off"), servo(2)], start=False)
    stage.start(active=False)
    stage.bus.activate(True)
    stage.until(lambda: stage.reading(2).torque)
    time.sleep(0.1)
    assert not stage.reading(1).torque
    assert stage.ask(requests.SetTorque(["j1"], on=True)) == (True, "driven", 0)
    assert stage.reading(1).torque


def test_a_mode_is_switched_with_settings_given_back_and_refused_while_it_moves(running) -> None:
    stage = running([servo(1, registers={"profile_velocity": 100, "position_p_gain": 700}), servo(2)])
    success, text, _ = stage.ask(requests.SetMode(["j1"], "extended_position", force=False))
    assert success, text
    stage.until(lambda: stage.reading(1).torque)
    assert stage.register(1, "operating_mode") == 4
    assert (stage.register(1, "profile_velocity"), stage.register(1, "position_p_gain")) == (100, 700)
    assert stage.ask(requests.SetMode(["j2"], "current", force=False))[1].startswith(
        "joint 'j2': XL430-W250 has no mode"
    )
    stage.ask(requests.SetMode(["j2"], "velocity", force=False))
    stage.drive_until(lambda: stage.reading(2).velocity > 0.3, j2=Target(nan, 0.5))
    refusal: list[str] = []
    stage.bus.request(
        requests.SetMode(["j2"], "position", force=False), lambda _, text, __: refusal.append(text)
    )
    stage.drive_until(lambda: bool(refusal), j2=Target(nan, 0.5))
    assert "moves at 0." in refusal[0]
    assert stage.ask(requests.SetMode(["j2"], "position", force=True))[0]


def test_eeprom_is_written_only_where_it_differs(running) -> None:
    config = servo(1, registers={"temperature_limit": 70})
    stage = running([config], start=False, fix_return_delay=True)
    stage.bus = ServoBus(stage.bus.config, margin_s=1.0)  # what is not late is written once
    writes: list[int] = []
    stage.virtual.on_packet = lambda _, way, raw: (
        writes.append(raw[8] | raw[9] << 8) if way == "rx" and raw[7] == 3 else None
    )
    stage.start()
    assert [address for address in writes if address < 64] == [31, 9]
    assert (stage.register(1, "temperature_limit"), stage.register(1, "return_delay_time")) == (70, 0)
    stage.bus.stop()
    writes.clear()
    stage.start()
    assert not [address for address in writes if address < 64]


def test_turns_survive_a_restart_of_the_servo_and_of_the_driver(running) -> None:
    config = servo(1, mode="extended_position", lower=-50.0, upper=50.0, velocity=6.0)
    stage = running([config], stored=counted(config))
    stage.drive_until(lambda: stage.reading(1).position > 9.9, j1=Target(10.0))
    assert stage.ask(requests.Reboot(["j1"]))[0]
    assert stage.reading(1).position == pytest.approx(10.0, abs=0.5)
    assert stage.register(1, "present_position") < 4096  # the servo itself forgot
    stored = {"j1": Stored(1, "xm430_w350", 0.0, 2048 + round(10.0 / 6.2832 * 4096), clean=True)}
    stage.bus.stop()
    stage.bus = ServoBus(stage.bus.config, stored, margin_s=0.02)
    stage.start(active=False)
    assert stage.reading(1).position == pytest.approx(10.0, abs=0.5)
    stage.bus.stop()
    stage.bus = ServoBus(stage.bus.config, {"j1": replace(stored["j1"], clean=False)}, margin_s=0.02)
    stage.start(active=False)
    assert "turns may be lost" in stage.reading(1).reason


def test_calibration_files(tmp_path) -> None:
    path = tmp_path / "somewhere" / "robot.yaml"
    assert load_calibration(path) == {}
    joints = {"pan": Stored(3, "xm430_w350", -0.25, 5000, clean=True), "tilt": Stored(4, "ax_12a")}
    save_calibration(path, joints)
    assert load_calibration(path) == joints
    assert [each.name for each in path.parent.iterdir()] == ["robot.yaml"]
    for text, why in (
        ("joints: 3", "is not a mapping"),
        ("joints: {pan: {id: 999}}", "within 0..252"),
        ("joints: {pan: {id: 1, shift: .nan}}", "finite"),
        ("joints: {pan: {id: 1}}", "model: missing"),
        ("joints: {pan: {id: 1, model: ax_12a, shfit: 1}}", "shfit"),
    ):
        path.write_text(text)
        with pytest.raises(ConfigError, match=why):
            load_calibration(path)
    with pytest.raises(ConfigError, match="cannot be written"):
        save_calibration(path / "below_a_file.yaml", joints)


def test_mixed_protocols_share_one_wire(running) -> None:
    stage = running([servo(1), servo(2, model="ax_12a"), servo(3)])
    stage.drive_until(
        lambda: all(abs(reading.position - 0.4) < 0.03 for reading in stage.bus.readings()),
        **{f"j{id}": Target(0.4) for id in (1, 2, 3)},
    )
    assert stage.bus.state is BusState.ACTIVE
    assert stage.reading(2).model == "AX-12A"
