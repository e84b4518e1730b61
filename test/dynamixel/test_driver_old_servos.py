# SPDX-License-Identifier: Apache-2.0
"""The driver on servos of protocol 1.0: what they do after a shutdown, and where they may go in which mode."""

import pytest
from driver_stage import DrivenServos, servo

from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.config.servo_config import FaultPolicy
from embodiment_bridge.dynamixel.wire.instructions import HardwareError

OVERLOAD = int(HardwareError.OVERLOAD)
AX, MX = "ax_12a", "mx_28_1"
LONG = 3.0  # s, in which the torque is checked at least twice


def set_limits(stage: DrivenServos, id: int, lowest: int, highest: int) -> None:
    """The limits of the angle with which a servo of protocol 1.0 is found."""
    memory = stage.virtual.servo(id).memory
    memory.set("cw_angle_limit", lowest)
    memory.set("ccw_angle_limit", highest)


def seen_on_the_way(stage: DrivenServos) -> list[float]:
    """Where the first servo was while its joint went to 0.4 rad."""
    seen: list[float] = []

    def there() -> bool:
        seen.append(stage.virtual.servo(1).drive.position)
        return abs(stage.reading(1).position - 0.4) < 0.03

    stage.drive_until(there, j1=Target(0.4))
    return seen


@pytest.mark.parametrize("model", [AX, MX])
@pytest.mark.parametrize("action", ["torque_off", "report", "hold", "reboot"])
def test_a_servo_that_shut_down_stays_limp_until_somebody_asks(stages, model, action) -> None:
    policy = FaultPolicy(overload=action, torque_after_reboot=True)
    stage = stages([servo(1), servo(2, model=model, faults=policy)])
    # What is not late is written once: else a second "torque on" may still be under way, and ends the shutdown.
    stage.bus = ServoBus(stage.bus.config, margin_s=1.0)
    # It counts as driven already while "torque on" is under way, which would end the shutdown: let it move first.
    stage.start().drive_until(lambda: stage.reading(2).position > 0.05, j2=Target(0.1))
    with stage.virtual.lock:
        stage.virtual.servo(2).raise_error(OVERLOAD)
    stage.until(
        lambda: not stage.reading(2).torque and "limp until it is asked for" in stage.reading(2).reason
    )
    assert "hardware error: overload" in stage.reading(2).reason
    assert stage.reading(2).error == OVERLOAD
    driven: list[bool] = []
    stage.virtual.on_packet = lambda *_: driven.append(bool(stage.virtual.servo(2).torque))
    stage.drive(LONG, j1=0.2, j2=0.2)
    stage.virtual.on_packet = None
    assert driven
    assert not any(driven)
    assert stage.reading(1).torque
    assert stage.ask(requests.SetTorque(["j2"], on=True)) == (True, "driven", 0)
    targets = {"j1": Target(0.2), "j2": Target(0.2)}
    stage.drive_until(
        lambda: stage.reading(2).error == 0 and abs(stage.reading(2).position - 0.2) < 0.03, **targets
    )
    assert stage.reading(2).torque
    stage.until(lambda: stage.reading(2).reason == "")


@pytest.mark.parametrize("action", ["torque_off", "report", "hold", "reboot"])
def test_a_servo_that_shut_down_while_it_was_silent_is_limp_when_it_is_back(stages, action) -> None:
    stage = stages([servo(1), servo(2, model=AX, faults=FaultPolicy(overload=action))]).start()
    stage.until(lambda: stage.reading(2).torque)
    away = stage.virtual.inject("absent", id=2)
    stage.until(lambda: stage.reading(2).silent)
    driven: list[bool] = []
    with stage.virtual.lock:
        stage.virtual.servo(2).raise_error(OVERLOAD)
        stage.virtual.on_packet = lambda *_: driven.append(bool(stage.virtual.servo(2).torque))
    stage.virtual.heal(away)
    stage.until(
        lambda: not stage.reading(2).silent and "limp until it is asked for" in stage.reading(2).reason
    )
    stage.drive(LONG, j1=0.2, j2=0.2)
    stage.virtual.on_packet = None
    assert driven
    assert not any(driven)
    assert stage.ask(requests.SetTorque(["j2"], on=True))[:2] == (True, "driven")


def test_one_that_shuts_down_again_and_again_is_driven_once_for_each_question(stages) -> None:
    stage = stages([servo(1, model=AX)]).start()
    for _ in range(2):
        stage.virtual.servo(1).raise_error(OVERLOAD)
        stage.until(lambda: not stage.register(1, "torque_enable") and stage.reading(1).error == OVERLOAD)
        stage.drive(LONG / 2, j1=0.2)
        assert not stage.register(1, "torque_enable")
        assert stage.ask(requests.SetTorque([], on=True))[0]
        stage.until(lambda: stage.reading(1).error == 0)


@pytest.mark.parametrize(("level", "writes"), [(2, 0), (1, 1)])
def test_the_level_of_answers_is_written_only_where_it_differs(stages, level, writes) -> None:
    """It is EEPROM, which wears out; a set-up that fails is tried again and again."""
    stage = stages([servo(1, model=AX)])
    stage.bus = ServoBus(stage.bus.config, margin_s=1.0)  # what is not late is written once
    stage.virtual.servo(1).memory.set("status_return_level", level)
    written: list[bytes] = []
    stage.virtual.on_packet = lambda _, way, raw: (
        written.append(raw) if way == "rx" and raw[4:6] == bytes((3, 16)) else None
    )
    for _ in range(2):
        stage.start(active=False)
        stage.bus.stop()
    stage.virtual.on_packet = None
    assert stage.register(1, "status_return_level") == 2
    assert len(written) == writes


def test_a_voltage_error_is_told_and_ends(stages) -> None:
    stage = stages([servo(1, model=AX)]).start()
    rule = stage.virtual.inject("hardware_error", id=1, bits=1, shutdown=False)
    stage.until(lambda: "voltage" in stage.reading(1).reason)
    assert stage.reading(1).torque
    stage.virtual.heal(rule)
    stage.until(lambda: stage.reading(1).error == 0)
    assert stage.reading(1).torque


def test_a_reboot_is_refused_before_anything_is_changed(stages) -> None:
    stage = stages([servo(1), servo(2, model=AX)]).start()
    assert stage.ask(requests.Reboot(["j1", "j2"])) == (
        False,
        "joint 'j2' (AX-12A) cannot be rebooted: cut its power",
        0,
    )
    assert [reading.torque for reading in stage.bus.readings()] == [True, True]
    assert [one.locked for one in stage.bus.servos] == [False, False]


@pytest.mark.parametrize(
    ("model", "found", "limits"), [(AX, 0, (0, 1023)), (MX, 0, (0, 4095)), (MX, 4095, (0, 4095))]
)
def test_one_found_as_a_wheel_or_with_many_turns_goes_to_its_goal_and_nowhere_else(
    stages, model, found, limits
) -> None:
    stage = stages([servo(1, model=model)])
    set_limits(stage, 1, found, found)
    stage.start()
    assert (stage.register(1, "cw_angle_limit"), stage.register(1, "ccw_angle_limit")) == limits
    seen = seen_on_the_way(stage)
    assert min(seen) > -0.05
    assert max(seen) < 0.5


def test_limits_follow_the_mode(stages) -> None:
    stage = stages([servo(1, model=AX)])
    set_limits(stage, 1, 200, 800)
    stage.start()
    one = stage.bus.servos[0]
    assert (one.limits.lowest, one.limits.highest) == (200, 800)
    for mode, highest in (("velocity", 0), ("position", 1023)):
        assert stage.ask(requests.SetMode(["j1"], mode, force=True))[0]
        assert (one.limits.lowest, one.limits.highest) == (0, highest)
        assert stage.register(1, "ccw_angle_limit") == highest
    assert min(seen_on_the_way(stage)) > -0.05


@pytest.mark.parametrize("model", [AX, "xm430_w350"])
def test_a_joint_outside_the_limits_of_its_servo_gets_no_torque(stages, model) -> None:
    stage = stages([servo(1), servo(2, model=model)])
    if model == AX:
        set_limits(stage, 2, 0, 100)
    else:
        stage.virtual.servo(2).write(48, (1000).to_bytes(4, "little") + bytes(4))
    stage.start(active=False)
    stage.bus.activate(True)
    stage.until(lambda: "outside the position limits" in stage.reading(2).reason)
    before = stage.virtual.servo(2).drive.position
    stage.drive(1.0, j1=0.2, j2=0.2)
    assert not stage.register(2, "torque_enable")
    assert stage.virtual.servo(2).drive.position == pytest.approx(before, abs=0.01)
    assert stage.reading(1).torque


@pytest.mark.parametrize(("start", "torque"), [("on", 0), ("keep", 1)])
def test_one_that_is_found_driven_outside_its_limits_is_not_moved_into_them(stages, start, torque) -> None:
    """Such as after its limits were written by another program. It holds, or is limp."""
    stage = stages([servo(1), servo(2, model=AX, on_start=start)])
    stage.virtual.servo(2).write(30, (512).to_bytes(2, "little"))  # by which its torque comes on
    set_limits(stage, 2, 0, 100)
    stage.start(active=False)
    stage.bus.activate(True)
    stage.until(lambda: "outside the position limits" in stage.reading(2).reason)
    stage.drive(1.0, j1=0.2, j2=0.2)
    assert stage.register(2, "torque_enable") == torque
    assert stage.virtual.servo(2).drive.position == pytest.approx(0.0, abs=0.02)


def test_limits_that_the_description_writes_are_known_at_once(stages) -> None:
    limits = {"min_position_limit": 1500, "max_position_limit": 2500}
    stage = stages([servo(1, registers=limits)])
    stage.virtual.servo(1).write(48, (1000).to_bytes(4, "little") + bytes(4))
    stage.start(active=False)
    assert (stage.bus.servos[0].limits.lowest, stage.bus.servos[0].limits.highest) == (1500, 2500)
    stage.activate()
    stage.drive_until(lambda: abs(stage.reading(1).position - 0.4) < 0.03, j1=Target(0.4))


def test_a_driven_servo_in_a_mode_without_a_name_is_not_kept_in_it(stages) -> None:
    stage = stages([servo(1, model=MX, on_start="keep")])
    stage.virtual.servo(1).write(30, (2048).to_bytes(2, "little"))
    set_limits(stage, 1, 4095, 4095)
    stage.start(active=False)
    assert stage.reading(1).mode == "position"
    assert not stage.register(1, "torque_enable")
    assert stage.bus.state is BusState.READY
