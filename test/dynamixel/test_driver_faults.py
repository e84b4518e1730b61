# SPDX-License-Identifier: Apache-2.0
"""The driver on a bus with each fault that a virtual bus has: its state, what it tells, what the joints do."""

import time

import pytest
from driver_stage import DrivenServos, counted, servo

from embodiment_bridge.dynamixel.bus import requests, supervisor
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.servo import BusState
from embodiment_bridge.dynamixel.config.servo_config import FaultPolicy

HERE = dict.fromkeys(("j1", "j2", "j3", "j4", "j5"), 0.2)  # rad: where all joints are sent first
TICK = 6.2832 / 4096


@pytest.fixture
def stage(running) -> DrivenServos:
    return driven(running)


def driven(running, **options) -> DrivenServos:
    """At 0.2 rad."""
    stage = running(**options)
    stage.drive_until(
        lambda: all(abs(reading.position - 0.2) < 0.02 for reading in stage.bus.readings()),
        **{name: Target(angle) for name, angle in HERE.items()},
    )
    return stage


def others_go_on(stage: DrivenServos, *silent: int) -> None:
    """All but ``silent`` are read, driven, and where they were."""
    others = set(range(1, 6)) - set(silent)
    stage.until(lambda: all(stage.age(id) < 1.0 for id in others))
    for id in others:
        reading = stage.reading(id)
        assert reading.torque
        assert not reading.silent
        assert abs(reading.position - 0.2) < 0.03


def is_back(stage: DrivenServos, *ids: int) -> None:
    """Servos that were away are driven again, from where they are."""
    stage.drive_until(
        lambda: stage.bus.state is BusState.ACTIVE and all(stage.reading(id).torque for id in ids),
        **{name: Target(angle) for name, angle in HERE.items()},
    )


@pytest.mark.fault(
    "lost", body="dynamixel", reaction="the servo keeps its last value and is told; the others go on"
)
@pytest.mark.fault(
    "duplicated", body="dynamixel", reaction="two servos with one id: their answers collide and count as lost"
)
@pytest.mark.parametrize("kind", ["drop_status", "drop_instruction", "absent", "duplicate_id", "corrupt_crc"])
def test_a_servo_that_falls_silent_keeps_its_value_and_stops_no_other(running, kind) -> None:
    stage = driven(running, fast_read=kind != "duplicate_id")  # it is the single answers that collide
    rule = stage.virtual.inject(kind, id=3)
    seen = []

    def gone() -> bool:
        seen.append(stage.reading(3).position)
        return stage.bus.state is BusState.DEGRADED

    stage.until(gone)
    stage.drive(0.2, **HERE)
    assert stage.bus.reason == "no answer from j3"
    assert stage.reading(3).reason == "does not answer any more"
    assert all(abs(position - 0.2) < 0.03 for position in seen)  # never 0
    first = stage.age(3)
    time.sleep(0.05)
    assert stage.age(3) > first > 0.1
    bad = stage.reading(3)
    assert bad.damaged + bad.timeouts >= 3
    others_go_on(stage, 3)
    stage.virtual.heal(rule)
    is_back(stage, 3)


@pytest.mark.fault("lost", body="dynamixel", reaction="goes on")
@pytest.mark.fault("cut", body="dynamixel", reaction="half an answer counts as lost")
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("drop_status", {"probability": 0.1}),
        ("drop_instruction", {"probability": 0.05}),
        ("corrupt_crc", {"probability": 0.1}),
        ("truncate", {"probability": 0.1}),
        ("unstuffed_status", {"probability": 0.5}),
        ("delay_status", {"seconds": 0.03, "probability": 0.1}),
        ("slow", {"seconds": 0.003}),
        ("noise", {"leading": 5, "trailing": 3}),
        ("echo", {}),
        ("partial_fast", {"blocks": 2, "count": 4}),
    ],
)
def test_a_wire_with_hiccups_stops_nobody(running, kind, options) -> None:
    stage = driven(running, fast_read=kind == "partial_fast")
    rule = stage.virtual.inject(kind, **options)
    for _ in range(3):
        stage.drive(0.1, **HERE)
        for reading in stage.bus.readings():
            assert abs(reading.position - 0.2) < 0.03
    stage.virtual.heal(rule)
    is_back(stage, 1, 2, 3, 4, 5)
    others_go_on(stage)
    if "probability" in options and kind not in ("delay_status", "unstuffed_status"):
        assert sum(reading.timeouts + reading.damaged for reading in stage.bus.readings()) > 0


@pytest.mark.fault(
    "late", body="dynamixel", reaction="counts as lost; a late answer is not taken for another servo's"
)
def test_late_answers_are_missed_and_not_taken_for_others(stage) -> None:
    stage.virtual.inject("delay_status", id=2, seconds=0.08, count=20)
    stage.until(lambda: stage.reading(2).timeouts > 0)
    is_back(stage, 2)
    assert all(abs(reading.position - 0.2) < 0.03 for reading in stage.bus.readings())


def test_a_servo_that_refuses_to_be_read_says_so(running) -> None:
    stage = driven(running, fast_read=False)
    rule = stage.virtual.inject("empty_status", id=4, error=7)
    stage.until(lambda: stage.reading(4).silent)
    stage.until(lambda: stage.bus.state is BusState.DEGRADED)  # at the end of that cycle
    assert abs(stage.reading(4).position - 0.2) < 0.03
    others_go_on(stage, 4)
    stage.virtual.heal(rule)
    is_back(stage, 4)


@pytest.mark.parametrize("kind", ["chain_break", "chain_continues"])
def test_a_cable_that_breaks_takes_away_only_what_hangs_behind_it(stage, kind) -> None:
    rules = [stage.virtual.inject("absent", id=3)] if kind == "chain_continues" else []
    rules.append(stage.virtual.inject(kind, id=3))
    gone = (3, 4, 5) if kind == "chain_break" else (3,)
    stage.until(lambda: all(stage.reading(id).silent for id in gone))
    stage.drive(0.1, **HERE)
    assert stage.bus.state is BusState.DEGRADED
    others_go_on(stage, *gone)
    for rule in rules:
        stage.virtual.heal(rule)
    is_back(stage, *gone)


def test_servos_behind_a_dead_one_are_asked_alone(running) -> None:
    stage = running(start=False)
    stage.virtual.inject("absent", id=2)  # those behind it wait for it in vain in a group read
    stage.start(active=False)
    stage.until(
        lambda: stage.bus.state is BusState.DEGRADED and all(stage.age(id) < 0.1 for id in (1, 3, 4, 5))
    )
    assert stage.reading(2).position != stage.reading(2).position  # nan: it never told


@pytest.mark.parametrize(
    ("bits", "name"), [(0x20, "overload"), (0x04, "overheating"), (0x10, "shock"), (0x08, "encoder")]
)
def test_a_servo_that_shut_down_is_told_and_left_limp(stage, bits, name) -> None:
    stage.virtual.inject("hardware_error", id=2, bits=bits, shutdown=True)
    stage.until(lambda: name in stage.reading(2).reason)
    stage.drive(0.3, **HERE)
    assert stage.reading(2).error == bits
    assert not stage.reading(2).torque
    assert stage.register(2, "torque_enable") == 0
    others_go_on(stage, 2)


def test_a_voltage_error_is_told_and_changes_nothing(stage) -> None:
    rule = stage.virtual.inject("hardware_error", id=2, bits=1, shutdown=False)
    stage.until(lambda: "voltage" in stage.reading(2).reason)
    others_go_on(stage)
    stage.virtual.heal(rule)


@pytest.fixture
def slow_boot(monkeypatch) -> None:
    """Servos restart so slowly that a busy machine sees it, too."""
    monkeypatch.setattr("embodiment_bridge.dynamixel.virtual.servo.BOOT_S", 1.5)


def restarts(stage: DrivenServos, id: int) -> bool:
    """Whether a servo is being restarted, or was: a busy machine may not see the first."""
    one = stage.bus.servos[id - 1]
    return one.reason == "restarts" or (bool(one.reboots) and not one.error)


@pytest.mark.parametrize("torque_after", [False, True])
def test_a_failed_servo_is_restarted_where_the_policy_says_so(running, torque_after, slow_boot) -> None:
    policy = FaultPolicy(overload="reboot", torque_after_reboot=torque_after)
    stage = running([servo(1), servo(2, faults=policy, registers={"position_p_gain": 700}), servo(3)])
    rule = stage.virtual.inject("hardware_error", id=2, bits=0x20, shutdown=True)
    stage.until(lambda: restarts(stage, 2))
    stage.virtual.heal(rule)
    stage.until(lambda: not stage.reading(2).silent)
    stage.until(lambda: stage.reading(2).torque is torque_after)
    assert stage.register(2, "position_p_gain") == 700  # RAM is given back
    assert stage.reading(1).torque


@pytest.mark.parametrize("policy", ["reboot", "torque_off"])
def test_an_error_that_is_there_at_the_start_gets_the_same_policy(running, policy) -> None:
    faults = FaultPolicy(overload=policy, torque_after_reboot=True)
    stage = running([servo(1), servo(2, faults=faults)], start=False)
    stage.virtual.servo(2).raise_error(0x20)
    stage.start(active=False)
    stage.bus.activate(True)
    stage.until(lambda: stage.reading(1).torque)
    if policy == "reboot":
        stage.until(lambda: stage.reading(2).torque)
        assert stage.reading(2).error == stage.register(2, "hardware_error_status") == 0
    else:
        stage.until(lambda: "overload" in stage.reading(2).reason)
        stage.drive(0.3, j1=0.0, j2=0.0)
        assert not stage.register(2, "torque_enable")


@pytest.mark.parametrize("at_once", [False, True])
def test_a_restart_does_not_drive_a_servo_that_another_error_made_limp(running, at_once, slow_boot) -> None:
    policy = FaultPolicy(overheating="torque_off", overload="reboot", torque_after_reboot=True)
    stage = running([servo(1), servo(2, faults=policy)])
    if not at_once:
        stage.virtual.inject("hardware_error", id=2, bits=0x04, shutdown=True, count=1)
        stage.until(lambda: "limp until it is asked for" in stage.reading(2).reason)
    stage.virtual.inject("hardware_error", id=2, bits=0x24, shutdown=True, count=1)
    stage.until(lambda: restarts(stage, 2))
    stage.until(lambda: not stage.reading(2).silent)
    stage.drive(0.3, j1=0.0, j2=0.0)
    assert not stage.register(2, "torque_enable")
    stage.bus.request(requests.SetTorque(["j2"], on=True), lambda *_: None)
    stage.until(lambda: stage.reading(2).torque)


def test_a_servo_that_fails_again_and_again_is_left_alone(running, slow_boot) -> None:
    policy = FaultPolicy(overload="reboot", reboots_per_minute=1, torque_after_reboot=True)
    stage = running([servo(1), servo(2, faults=policy)])
    stage.virtual.inject("hardware_error", id=2, bits=0x20, shutdown=True, count=1)
    stage.until(lambda: restarts(stage, 2))
    stage.until(lambda: stage.reading(2).torque)
    stage.virtual.inject("hardware_error", id=2, bits=0x20, shutdown=True, count=1)
    stage.until(lambda: "within a minute" in stage.reading(2).reason)


@pytest.mark.fault(
    "restarted", body="dynamixel", reaction="settings are restored; torque comes on where the joints are"
)
def test_after_a_brown_out_settings_are_back_and_nothing_jumps(running) -> None:
    stage = running([servo(1, registers={"position_p_gain": 700}), servo(2), servo(3)])
    stage.drive_until(
        lambda: abs(stage.reading(1).position - 0.2) < 0.02, j1=Target(0.2), j2=Target(0.2), j3=Target(0.2)
    )
    stage.drive_until(
        lambda: stage.register(1, "present_velocity") == 0, j1=Target(0.2), j2=Target(0.2), j3=Target(0.2)
    )
    stage.drive(0.3, j1=0.2, j2=0.2, j3=0.2)
    starts = [one.starts for one in stage.bus.servos]
    stage.virtual.inject("brown_out", count=1)
    before = stage.virtual.snapshot()[1]["present_position"]
    stage.until(lambda: all(one.starts > was for one, was in zip(stage.bus.servos, starts, strict=True)))
    stage.until(lambda: stage.bus.state is BusState.ACTIVE)  # nobody commands: they hold where they are
    time.sleep(0.2)
    assert stage.register(1, "position_p_gain") == 700
    assert abs(stage.virtual.snapshot()[1]["present_position"] - before) <= 1
    assert all(reading.torque for reading in stage.bus.readings())


@pytest.mark.fault("frozen", body="dynamixel", reaction="told which joint does not follow")
@pytest.mark.parametrize("state", ["stuck", "reversed", "stripped"])
def test_a_joint_that_does_not_follow_is_told(stage, state) -> None:
    rule = stage.virtual.inject("axis", id=1, state=state)
    stage.drive_until(
        lambda: "does not follow" in stage.reading(1).reason,
        **{name: Target(angle) for name, angle in {**HERE, "j1": -0.6}.items()},
    )
    assert stage.bus.state is BusState.ACTIVE
    others_go_on(stage, 1)
    stage.virtual.heal(rule)


def test_another_model_than_described_is_told_and_taken_for_what_it_is(running) -> None:
    stage = running(start=False)
    stage.virtual.inject(
        "wrong_identity", id=2, model_number=1020, firmware_version=47
    )  # described as an XL430
    stage.start()
    assert stage.reading(2).model == "XM430-W350"
    assert "is a XM430-W350, not a XL430-W250" in stage.reading(2).reason


def test_two_servos_with_one_id_and_an_old_servo_without_a_model_are_told(running) -> None:
    stage = running(
        [servo(1), servo(2), servo(3, model="")], models=["xm430_w350", "xl430_w250", "ax_12a"], start=False
    )
    stage.virtual.inject("duplicate_id", id=2)
    stage.start(active=False)
    stage.until(lambda: "several servos have this id" in stage.reading(2).reason)
    stage.until(lambda: "must be named as its model" in stage.reading(3).reason)


def test_a_model_nobody_knows_is_left_alone(running) -> None:
    stage = running(start=False)
    stage.virtual.inject("wrong_identity", id=2, model_number=4711)
    stage.start()
    stage.until(lambda: stage.bus.state is BusState.DEGRADED)
    assert "no control table for servo model number 4711" in stage.reading(2).reason
    assert all(stage.reading(id).torque for id in (1, 3, 4, 5))


def test_old_firmware_is_read_without_fast_reads(running) -> None:
    stage = running(start=False)
    stage.virtual.inject("wrong_identity", id=2, model_number=1060, firmware_version=30)
    stage.start()
    assert stage.bus.read_kind == "sync"


def test_fast_reads_that_fail_are_given_up_and_tried_again(stage) -> None:
    stage.until(lambda: stage.bus.read_kind == "fast sync")
    rule = stage.virtual.inject("partial_fast", blocks=1)
    stage.until(lambda: stage.bus.read_kind == "sync")
    others_go_on(stage)
    stage.virtual.heal(rule)
    stage.until(lambda: stage.bus.read_kind == "fast sync")


@pytest.mark.fault(
    "cut", body="dynamixel", reaction="LOST with the reason; softly back when it is plugged in"
)
def test_an_unplugged_bus_is_lost_and_comes_back_softly(stage) -> None:
    connects = stage.bus.connects
    rule = stage.virtual.inject("unplug")
    stage.until(lambda: stage.bus.state is BusState.LOST)
    assert stage.link in stage.bus.reason
    time.sleep(0.1)
    assert stage.age(1) > 0.05
    stage.virtual.heal(rule)
    stage.until(lambda: stage.bus.state is BusState.ACTIVE)
    assert stage.bus.connects == connects + 1
    time.sleep(0.1)
    assert all(abs(reading.position - 0.2) < 0.03 for reading in stage.bus.readings())


@pytest.mark.fault(
    "killed", body="dynamixel", reaction="LOST; found again, and driven from where the joints are"
)
def test_a_bus_that_was_killed_is_found_again(stage) -> None:
    from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
    from embodiment_bridge.dynamixel.virtual.ports import VirtualPort

    stage.port.close()
    stage.until(lambda: stage.bus.state is BusState.LOST)
    time.sleep(stage.bus.config.command_timeout_s)  # what was commanded before is too old then
    stage.virtual = VirtualBus([(config.id, config.model) for config in stage.configs])
    stage.port = VirtualPort(stage.virtual, link=stage.link)
    stage.until(lambda: stage.bus.state is BusState.ACTIVE)
    time.sleep(0.1)
    assert all(abs(reading.position) < TICK for reading in stage.bus.readings())  # new servos: no jump to 0.2


def test_another_baud_rate_is_nobody_there(stage, monkeypatch) -> None:
    monkeypatch.setattr(supervisor, "ALL_SILENT_S", 1.0)
    rule = stage.virtual.inject("baud_mismatch")
    stage.until(lambda: stage.bus.state is BusState.LOST)
    assert stage.bus.reason == "no servo answers: power, wiring, baud rate?"
    stage.virtual.heal(rule)
    is_back(stage, 1, 2, 3, 4, 5)


def test_settings_that_a_servo_refuses_are_told_and_it_stays_limp(running) -> None:
    stage = running([servo(1), servo(2, mode="extended_position")], start=False)
    stage.virtual.inject("eeprom_refused", id=2)
    stage.start()
    stage.until(lambda: "refuses operating_mode" in stage.reading(2).reason)
    stage.until(lambda: stage.bus.state is BusState.DEGRADED)
    assert not stage.reading(2).torque
    stage.until(lambda: stage.reading(1).torque)


@pytest.mark.fault("frozen", body="dynamixel", reaction="a register that does not change is told")
def test_a_torque_register_that_sticks_is_noticed(running) -> None:
    stage = running(start=False)
    stage.virtual.inject("register_stuck", id=2, register="torque_enable")
    stage.start(active=False)
    stage.bus.activate(True)
    stage.until(lambda: stage.reading(1).torque)
    stage.until(lambda: "lost its torque" in stage.reading(2).reason or not stage.reading(2).torque)
    assert stage.register(2, "torque_enable") == 0


def test_a_watchdog_that_fires_stops_the_joint_and_it_begins_anew(running) -> None:
    wheel = servo(1, mode="velocity", lower=-100.0, upper=100.0)
    stage = running([wheel, servo(2)], stored=counted(wheel))
    fast = Target(0.0, 1.0, 0.0)
    stage.drive_until(lambda: stage.reading(1).velocity > 0.8, j1=fast)
    stage.virtual.inject("watchdog_trip", id=1, count=1)
    stage.drive_until(lambda: stage.reading(1).velocity < 0.1, j1=fast)
    stage.drive_until(lambda: "watchdog" in stage.reading(1).reason, j1=fast)
    stage.drive_until(lambda: stage.reading(1).velocity > 0.8, j1=fast)
