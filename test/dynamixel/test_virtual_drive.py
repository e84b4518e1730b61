# SPDX-License-Identifier: Apache-2.0
"""Virtual motors move as their data sheets say."""

import math

import pytest
from virtual_stage import VirtualServos

from embodiment_bridge.dynamixel.tables.table_reader import models, table
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.instructions import Fault, HardwareError

RPM = 2 * math.pi / 60
FAST = 200 * RPM  # with a low gear or none, the usual load makes a servo overshoot
NEW_MODELS = [name for name in models() if table(name).protocol == 2]


def turned_on(model="xm430_w350", mode=None, **registers):
    stage = VirtualServos(model)
    if mode is not None:
        stage.write(1, "operating_mode", mode)
    _, write = stage.asks(1)
    for name, value in registers.items():
        write(name, value)
    write("torque_enable", 1)
    return stage


@pytest.mark.parametrize("model", [name for name in NEW_MODELS if 16 in table(name).modes])
def test_full_voltage_gives_the_speed_of_the_data_sheet(model):
    volts = table(model).motor.rated_voltage_v
    stage = VirtualServos(model, voltage=volts)
    stage.write(1, "operating_mode", 16)
    stage.write(1, "goal_pwm", stage.read(1, "pwm_limit"))
    stage.write(1, "torque_enable", 1)
    stage.clock.advance(2.0)
    expected = table(model).motor.no_load_speed_rad_s
    assert stage.bus.servo(1).drive.velocity == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("model", models())
def test_a_step_of_one_radian_arrives_without_overshooting_much(model):
    stage, factor = turned_on(model), table(model).item("present_position").factor
    read, write = stage.asks(1)
    start = read("present_position")
    assert start == table(model).centre
    assert write("goal_position", start + round(1.0 / factor)) == 0
    highest = 0.0
    for _ in range(150 if factor > 1e-3 else 300):
        stage.clock.advance(0.01)
        highest = max(highest, (read("present_position") - start) * factor)
    assert (read("present_position") - start) * factor == pytest.approx(1.0, abs=0.04)
    if table(model).motor.no_load_speed_rad_s < FAST:
        assert highest < 1.12


@pytest.mark.parametrize("model", models())
def test_torque_on_moves_nothing(model):
    stage = turned_on(model)
    read, _ = stage.asks(1)
    for _ in range(50):
        stage.clock.advance(0.01)
        assert abs(read("present_position") - table(model).centre) <= 1


@pytest.mark.parametrize("model", [name for name in NEW_MODELS if 1 in table(name).modes])
def test_a_speed_is_reached_in_velocity_mode(model):
    stage = turned_on(model, mode=1)
    goal = round(0.3 * stage.read(1, "velocity_limit"))
    stage.write(1, "goal_velocity", goal)
    stage.clock.advance(4.0)
    assert stage.read(1, "present_velocity") == pytest.approx(goal, rel=0.15, abs=2)


@pytest.mark.parametrize("model", ["ph54_200_s500", "ym070_210_r051"])
def test_errors_of_other_series(model):
    stage = turned_on(model)
    stage.bus.servo(1).raise_error(HardwareError.OVERLOAD)
    assert stage.read(1, "torque_enable") == 0
    register, value = ("error_code", 5) if model.startswith("y") else ("hardware_error_status", 0x20)
    assert stage.read(1, register) == value
    assert stage.write(1, "torque_enable", 1) == 0x80 | Fault.ACCESS


def test_a_servo_that_keeps_turns_does_so_over_a_restart():
    stage = turned_on("ym070_210_r051")
    stage.write(1, "torque_enable", 0)
    stage.bus.servo(1).drive.position = 20.0  # rad
    stage.bus.servo(1).reboot()
    stage.clock.advance(1.0)
    assert stage.read(1, "present_position") == pytest.approx(20.0 / math.tau * 524288, abs=2)


def test_a_load_sags():
    stage = turned_on()
    stage.bus.servo(1).drive.load = lambda position, velocity: -1.0  # Nm
    stage.clock.advance(1.0)
    assert stage.read(1, "present_position") == pytest.approx(2048 - 32, abs=4)
    assert stage.read(1, "present_current") * 2.69e-3 == pytest.approx(1.0 * 2.3 / 4.1, rel=0.1)


def test_profile_velocity_and_acceleration():
    stage = turned_on(profile_velocity=50, profile_acceleration=10)  # 1.2 rad/s, 3.7 rad/s2
    stage.write(1, "goal_position", 2048 + 1304)  # 2 rad
    seen = []
    for _ in range(250):
        stage.clock.advance(0.01)
        seen.append((stage.read(1, "velocity_trajectory"), stage.read(1, "moving_status")))
    assert max(speed for speed, _ in seen) == 50
    ramp = 64 * 50 / 10 / 1000  # s, the manual's t1
    assert next(i for i, (speed, _) in enumerate(seen) if speed == 50) * 0.01 == pytest.approx(ramp, abs=0.03)
    assert seen[100][1] & 0x32 == 0x32
    assert stage.read(1, "present_position") == pytest.approx(2048 + 1304, abs=6)


def test_time_based_profile_takes_its_time():
    stage = turned_on(drive_mode=4, profile_velocity=1000, profile_acceleration=300)
    stage.write(1, "goal_position", 2500)
    stage.clock.advance(0.9)
    assert stage.read(1, "position_trajectory") < 2500
    stage.clock.advance(0.12)
    assert stage.read(1, "position_trajectory") == 2500


def test_velocity_is_kept_under_load():
    stage = turned_on(mode=1)
    stage.bus.servo(1).drive.load = lambda position, velocity: -0.5
    stage.write(1, "goal_velocity", -60)
    stage.clock.advance(2.0)
    assert stage.read(1, "present_velocity") == pytest.approx(-60, abs=2)


def test_current_is_a_torque():
    stage = turned_on(mode=0)
    stage.bus.servo(1).drive.load = lambda position, velocity: -1.0
    stage.write(1, "goal_current", round(1.0 * 2.3 / 4.1 / 2.69e-3))
    stage.clock.advance(0.5)
    assert stage.bus.servo(1).drive.velocity == pytest.approx(0.0, abs=0.1)


def test_goal_current_limits_a_position():
    stage = turned_on(mode=5)
    stage.bus.servo(1).drive.load = lambda position, velocity: -2.0 if position > -1.0 else 0.0
    stage.write(1, "goal_current", 100)  # 0.48 Nm
    stage.clock.advance(1.0)
    assert stage.read(1, "present_position") < 2048 - 300


def test_an_hour_of_turning_is_quickly_known():
    stage = turned_on(mode=1)
    stage.write(1, "goal_velocity", 100)
    stage.clock.advance(3600.0)
    turns = stage.bus.servo(1).drive.position / (2 * math.pi)
    assert turns == pytest.approx(100 * 0.229 * 60, rel=0.02)


def test_stall_overloads_and_heats():
    stage = turned_on()
    stage.bus.inject("axis", id=1, state="stuck")
    stage.write(1, "goal_position", 3000)
    for _ in range(30):
        stage.clock.advance(0.1)
    assert stage.read(1, "hardware_error_status") & 0x20
    assert stage.read(1, "torque_enable") == 0
    assert stage.read(1, "present_temperature") > 25


def test_supply_sags_and_a_low_one_is_told():
    stage = VirtualServos("xm430_w350", "xm430_w350", voltage=9.55)
    assert stage.read(1, "present_input_voltage") == 96
    stage.bus.inject("axis", state="stuck")
    stage.raw(packet.write(254, 64, b"\1"), packet.write(254, 116, (3000).to_bytes(4, "little")))
    for _ in range(3):
        stage.clock.advance(0.1)
        stage.bus.update()
    assert stage.read(1, "present_input_voltage") < 95
    assert stage.read(1, "hardware_error_status") & 1
    assert stage.read(1, "torque_enable") == 1  # told, not let go


def test_it_moves_the_same_however_often_it_is_looked_at():
    often, rarely = turned_on(), turned_on()
    for stage in (often, rarely):
        stage.write(1, "goal_position", 2500)
    for _ in range(100):
        often.clock.advance(0.002)
        often.read(1, "present_position")
    rarely.clock.advance(0.2)
    assert often.read(1, "present_position") == rarely.read(1, "present_position")
