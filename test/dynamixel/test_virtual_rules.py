# SPDX-License-Identifier: Apache-2.0
"""The rules that virtual servos keep, as the manuals have them, and how long their wire takes."""

import math

import pytest
from virtual_stage import VirtualServos

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.line import Pacing
from embodiment_bridge.dynamixel.wire import packet

RESULT, INSTRUCTION, RANGE, LENGTH, LIMIT, ACCESS = 1, 2, 4, 5, 6, 7
VELOCITY, JOINT, EXTENDED, PWM = 1, 3, 4, 16


def test_ping_is_answered_with_model_and_firmware_by_all_in_the_order_of_ids():
    stage = VirtualServos("xl430_w250", "xm430_w350")
    assert [(s.id, s.parameters) for s in stage.ask(packet.ping())] == [
        (1, b"\x24\x04\x2f"),
        (2, b"\xfc\x03\x2f"),
    ]
    assert stage.ask(packet.ping(9)) == []


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (packet.write(1, 132, bytes(4)), ACCESS),  # read-only
        (packet.write(1, 71, b"\1"), ACCESS),  # a gap
        (packet.write(1, 5000, b"\1"), ACCESS),
        (packet.write(1, 116, b"\1\2"), LENGTH),
        (packet.write(1, 117, b"\1\2\3"), LENGTH),
        (packet.instruction(1, 3, b"\x74\0"), LENGTH),
        (packet.instruction(1, 2, b"\x74\0"), LENGTH),
        (packet.read(1, 660, 100), ACCESS),
        (packet.write(1, 64, b"\2"), RANGE),
        (packet.write(1, 11, b"\2"), RANGE),  # no such mode
        (packet.write(1, 116, (4096).to_bytes(4, "little")), LIMIT),
        (packet.write(1, 104, (201).to_bytes(4, "little")), LIMIT),
        (packet.write(1, 168, (63).to_bytes(2, "little")), RANGE),
        (packet.instruction(1, 0x31), INSTRUCTION),
        (packet.action(1), INSTRUCTION),  # nothing was registered
        (packet.instruction(1, 0x10, b"\1\2"), RANGE),
        (packet.backup(1, "restore"), RESULT),  # nothing was stored
    ],
)
def test_what_cannot_be_is_refused_with_the_manuals_error(request_, error):
    (status,) = VirtualServos().ask(request_)
    assert (status.error, status.parameters) == (error, b"")


def test_eeprom_is_locked_while_torque_is_on():
    stage = VirtualServos()
    assert stage.write(1, "velocity_limit", 150) == 0
    stage.write(1, "torque_enable", 1)
    assert stage.write(1, "velocity_limit", 160) == ACCESS
    assert stage.read(1, "velocity_limit") == 150


def test_a_write_over_several_items_is_done_wholly_or_not_at_all():
    stage = VirtualServos()
    goals = (100).to_bytes(2, "little") + (50).to_bytes(4, "little")
    assert stage.ask(packet.write(1, 102, goals))[0].error == 0
    assert (stage.read(1, "goal_current"), stage.read(1, "goal_velocity")) == (100, 50)
    bad = (7).to_bytes(2, "little") + (900).to_bytes(4, "little")
    assert stage.ask(packet.write(1, 102, bad))[0].error == LIMIT
    assert stage.read(1, "goal_current") == 100


def test_a_mode_begins_with_its_defaults():
    stage = VirtualServos()
    for name, value in (("profile_velocity", 50), ("position_p_gain", 100), ("goal_pwm", 100)):
        stage.write(1, name, value)
    assert stage.write(1, "operating_mode", EXTENDED) == 0
    values = [
        stage.read(1, name) for name in ("profile_velocity", "position_p_gain", "goal_pwm", "goal_current")
    ]
    assert values == [0, 800, 885, 1193]


def test_modes_without_a_current_sensor():
    stage = VirtualServos("xl430_w250")
    assert [stage.write(1, "operating_mode", mode) for mode in (0, 1, 3, 4, 5, 16)] == [
        RANGE,
        0,
        0,
        0,
        RANGE,
        0,
    ]


def test_goal_in_ram_is_gone_to_when_torque_comes():
    stage = VirtualServos()
    stage.write(1, "goal_position", 2500)
    stage.clock.advance(1.0)
    assert stage.read(1, "present_position") == 2048
    stage.write(1, "torque_enable", 1)
    stage.clock.advance(1.0)
    assert stage.read(1, "present_position") == pytest.approx(2500, abs=6)


def test_shutdown_lets_go_until_reboot():
    stage = VirtualServos()
    stage.write(1, "torque_enable", 1)
    stage.bus.inject("hardware_error", id=1, bits=0x20, count=1)
    assert stage.read(1, "torque_enable") == 0
    assert stage.write(1, "torque_enable", 1) == 0x80 | ACCESS
    assert stage.ask(packet.ping(1))[0].error == 0x80
    stage.bus.heal()
    assert stage.write(1, "torque_enable", 1) == 0x80 | ACCESS
    assert stage.ask(packet.reboot(1))[0].error == 0x80
    assert stage.ask(packet.ping(1)) == []  # it starts
    stage.clock.advance(0.4)
    assert stage.write(1, "torque_enable", 1) == 0


def test_an_error_that_is_not_in_the_shutdown_register_is_told_only():
    stage = VirtualServos()
    stage.write(1, "torque_enable", 1)
    rule = stage.bus.inject("hardware_error", id=1, bits=0x01)
    assert (stage.read(1, "torque_enable"), stage.read(1, "hardware_error_status")) == (1, 1)
    stage.bus.heal(rule)
    assert stage.read(1, "hardware_error_status") == 0


def test_watchdog_stops_and_locks_the_goals():
    stage = VirtualServos()
    stage.write(1, "operating_mode", VELOCITY)
    stage.write(1, "torque_enable", 1)
    stage.write(1, "goal_velocity", 100)
    stage.write(1, "bus_watchdog", 5)
    stage.clock.advance(0.09)
    assert stage.read(1, "bus_watchdog") == 5
    for _ in range(20):
        stage.clock.advance(0.05)
        stage.raw(packet.ping(77))  # any instruction keeps it quiet
    assert stage.read(1, "present_velocity") == pytest.approx(100, abs=8)
    stage.clock.advance(0.11)
    assert stage.read(1, "bus_watchdog") == -1
    stage.clock.advance(1.0)
    assert stage.read(1, "present_velocity") == 0
    assert stage.write(1, "goal_velocity", 10) == RANGE
    assert stage.write(1, "bus_watchdog", 0) == 0
    assert stage.write(1, "goal_velocity", 10) == 0


def test_indirect_items_stand_for_others_until_reboot():
    stage = VirtualServos()
    for k, address in enumerate((65, 132, 133, 134, 135)):
        stage.ask(packet.write(1, 168 + 2 * k, address.to_bytes(2, "little")))
    stage.ask(packet.write(1, 224, b"\1"))
    assert stage.read(1, "led") == 1
    assert stage.ask(packet.read(1, 224, 5))[0].parameters == b"\1" + (2048).to_bytes(4, "little")
    assert stage.ask(packet.write(1, 225, bytes(4)))[0].error == ACCESS  # as the item itself
    stage.ask(packet.reboot(1))
    stage.clock.advance(0.5)
    assert stage.ask(packet.read(1, 224, 5))[0].parameters == bytes(5)


def test_registered_instruction_waits_for_action():
    stage = VirtualServos()
    stage.ask(packet.reg_write(1, 65, b"\1"))
    assert (stage.read(1, "led"), stage.read(1, "registered_instruction")) == (0, 1)
    assert stage.ask(packet.action()) == []
    assert (stage.read(1, "led"), stage.read(1, "registered_instruction")) == (1, 0)


@pytest.mark.parametrize(("level", "answers"), [(0, (1, 0, 0)), (1, (1, 1, 0)), (2, (1, 1, 1))])
def test_status_return_level(level, answers):
    stage = VirtualServos()
    stage.bus.receive(packet.write(1, 68, bytes((level,))))
    stage.bus.transmit()
    requests = (packet.ping(1), packet.read(1, 132, 4), packet.write(1, 65, b"\1"))
    assert tuple(len(stage.ask(request)) for request in requests) == answers


def test_shadow_obeys_and_is_silent():
    stage = VirtualServos("xm430_w350", "xm430_w350")
    stage.write(2, "shadow_id", 1)
    assert len(stage.ask(packet.write(1, 65, b"\1"))) == 1
    assert stage.read(2, "led") == 1
    stage.raw(packet.sync_write(65, 1, {1: b"\0"}))
    assert stage.read(2, "led") == 0


def test_id_can_be_changed():
    stage = VirtualServos()
    assert stage.ask(packet.write(1, 7, b"\x09"))[0].id == 9
    assert stage.ask(packet.ping(1)) == []
    assert stage.ask(packet.ping(9))[0].id == 9


def test_turns_are_lost_at_reboot_and_cleared_on_request():
    stage = VirtualServos()
    stage.write(1, "operating_mode", EXTENDED)
    stage.write(1, "torque_enable", 1)
    stage.write(1, "goal_position", 2048 + 2 * 4096)
    assert stage.ask(packet.clear(1, "turns"))[0].error == 0
    stage.write(1, "goal_position", 2048 + 2 * 4096)
    stage.clock.advance(0.5)
    assert stage.ask(packet.clear(1, "turns"))[0].error == RESULT  # it turns
    stage.clock.advance(5.0)
    assert stage.read(1, "present_position") == pytest.approx(2048 + 8192, abs=6)
    stage.ask(packet.reboot(1))
    stage.clock.advance(0.5)
    assert stage.read(1, "present_position") == pytest.approx(2048, abs=6)


def test_homing_offset_and_reverse():
    stage = VirtualServos()
    stage.write(1, "homing_offset", 500)
    assert stage.read(1, "present_position") == 2548
    stage.write(1, "homing_offset", 2000)  # more than joint mode takes
    assert stage.read(1, "present_position") == 2048
    stage.write(1, "homing_offset", 0)
    stage.write(1, "drive_mode", 1)
    stage.write(1, "torque_enable", 1)
    stage.write(1, "goal_position", 2300)
    stage.clock.advance(1.0)
    assert stage.read(1, "present_position") == pytest.approx(2300, abs=6)
    assert stage.bus.servo(1).drive.position < -0.3


def test_backup_and_factory_reset():
    stage = VirtualServos()
    stage.write(1, "position_p_gain", 300)
    assert stage.ask(packet.backup(1, "store"))[0].error == 0
    assert stage.read(1, "backup_ready") == 1
    stage.write(1, "position_p_gain", 400)
    assert stage.ask(packet.backup(1, "restore"))[0].error == 0
    assert stage.read(1, "position_p_gain") == 300
    stage.ask(packet.factory_reset(1))
    stage.clock.advance(0.5)
    assert (stage.read(1, "position_p_gain"), stage.read(1, "baud_rate")) == (800, 3)


def test_torque_by_a_goal_and_at_boot():
    stage = VirtualServos()
    stage.write(1, "drive_mode", 8)
    stage.write(1, "goal_position", 2100)
    assert stage.read(1, "torque_enable") == 1
    stage.write(1, "torque_enable", 0)
    stage.write(1, "startup_configuration", 1)
    stage.ask(packet.reboot(1))
    stage.clock.advance(0.5)
    assert stage.read(1, "torque_enable") == 1


def test_time_runs_in_the_tick():
    stage = VirtualServos()
    before = stage.read(1, "realtime_tick")
    stage.clock.advance(1.5)
    assert stage.read(1, "realtime_tick") - before == 1500
    stage.ask(packet.reboot(1))
    stage.clock.advance(0.4)
    assert stage.read(1, "realtime_tick") == 400


def test_group_reads_of_all_kinds():
    stage = VirtualServos("xm430_w350", "xl430_w250", "mx_28_2")
    stage.raw(packet.bulk_write([(1, 65, b"\1"), (3, 84, b"\5\0")]))
    assert [s.parameters for s in stage.ask(packet.sync_read(65, 1, [2, 1]))] == [b"\0", b"\1"]
    assert [s.parameters for s in stage.ask(packet.bulk_read([(3, 84, 2), (1, 65, 1)]))] == [b"\5\0", b"\1"]
    (fast,) = stage.ask(packet.fast_sync_read(65, 1, [1, 2]))
    assert fast.raw == packet.fast_status([(1, 0, b"\1"), (2, 0, b"\0")])
    (fast,) = stage.ask(packet.fast_bulk_read([(2, 84, 2), (1, 65, 1)]))
    assert fast.raw == packet.fast_status([(2, 0, b"\x80\2"), (1, 0, b"\1")])
    assert stage.ask(packet.fast_sync_read(65, 1, [3, 1])) == []  # an MX knows no fast read


@pytest.mark.parametrize(("chain", "ids"), [("wait", [1]), ("continue", [1, 3])])
def test_those_behind_a_missing_servo(chain, ids):
    stage = VirtualServos("xm430_w350", "xm430_w350", "xm430_w350", chain=chain)
    assert [s.id for s in stage.ask(packet.sync_read(132, 4, [1, 9, 3]))] == ids


def test_an_ax_beside_an_xm_on_one_wire():
    stage = VirtualServos("xm430_w350", "ax_12a")
    assert (stage.read(1, "present_position"), stage.read_1(2, "present_position")) == (2048, 512)
    assert stage.write_1(2, "goal_position", 700) == 0
    assert stage.read_1(2, "torque_enable") == 1  # by the goal
    stage.clock.advance(1.0)
    assert stage.read_1(2, "present_position") == pytest.approx(700, abs=2)
    assert stage.write_1(2, "goal_position", 1024) == 0x08
    stage.write_1(2, "ccw_angle_limit", 600)
    assert stage.write_1(2, "goal_position", 650) == 0x02
    assert stage.ask(packet.instruction(2, 0x31, protocol=1))[0].instruction == 0x55
    stage.raw(packet.sync_write(30, 4, {2: b"\0\2\0\0"}, protocol=1))
    assert stage.read_1(2, "goal_position") == 512


def test_a_shutdown_of_an_ax_ends_when_its_torque_is_switched_on():
    stage = VirtualServos("ax_12a")
    stage.write_1(1, "torque_enable", 1)
    stage.bus.servo(1).raise_error(0x20)
    assert (stage.read_1(1, "torque_enable"), stage.read_1(1, "torque_limit")) == (0, 0)
    assert stage.write_1(1, "goal_position", 600) == 0x20
    assert stage.read_1(1, "torque_enable") == 0
    assert stage.write_1(1, "torque_enable", 1) == 0
    assert (stage.read_1(1, "torque_enable"), stage.read_1(1, "torque_limit")) == (1, 1023)
    stage.clock.advance(1.0)
    assert stage.read_1(1, "present_position") == pytest.approx(600, abs=2)


def test_a_wheel():
    stage = VirtualServos("ax_12a")
    stage.write_1(1, "ccw_angle_limit", 0)
    stage.write_1(1, "torque_enable", 1)
    stage.write_1(1, "moving_speed", 1024 + 500)
    stage.clock.advance(1.0)
    assert stage.read_1(1, "present_speed") > 1024
    assert stage.bus.servo(1).drive.velocity < -1.0


@pytest.mark.parametrize(
    ("servos", "options", "words"),
    [
        ([], {}, "at least one"),
        ([(1, "xm430")], {}, "unknown servo model"),
        ([(253, "xm430_w350")], {}, "id 253"),
        ([(1, "xm430_w350"), (1, "xl430_w250")], {}, "used twice"),
        ([(1, "xm430_w350")], {"baud": 12345}, "baud rate 12345"),
        ([(1, "xm430_w350")], {"chain": "stop"}, "chain is 'stop'"),
    ],
)
def test_a_bus_that_cannot_be_is_refused(servos, options, words):
    with pytest.raises(ConfigError, match=words):
        VirtualBus(servos, **options)


def test_a_new_baud_rate_holds_from_the_next_packet_on():
    stage = VirtualServos()
    stage.bus.host_baud = 1_000_000
    assert stage.write(1, "baud_rate", 1) == 0
    assert stage.ask(packet.ping(1)) == []
    stage.bus.host_baud = 57_600
    assert len(stage.ask(packet.ping(1))) == 1


def test_a_fast_read_that_no_servo_has_room_for_is_not_answered():
    stage = VirtualServos(*["xm430_w350"] * 8)
    assert stage.ask(packet.fast_sync_read(0, 600, range(1, 9))) == []
    assert stage.ask(packet.fast_sync_read(0, 65535, [1, 2, 77])) == []
    assert len(stage.ask(packet.sync_read(0, 600, range(1, 9)))) == 8
    assert len(stage.ask(packet.fast_sync_read(0, 600, [1, 2]))) == 1


IDS = range(1, 21)
READ = {"sync": packet.sync_read(126, 10, IDS), "fast": packet.fast_sync_read(126, 10, IDS)}
WRITE = packet.sync_write(116, 4, {id: bytes(4) for id in IDS})


def cycle_time(kind, **pacing):
    stage = VirtualServos(*["xm430_w350"] * 20, pacing=Pacing(**pacing))
    delay = pacing.get("delay", 0.0)
    stage.bus.set_return_delay(delay)
    stage.bus.receive(WRITE + READ[kind])
    size, last = 0, 0.0
    while (due := stage.bus.due()) < math.inf:
        stage.clock.advance(due - stage.clock.now() + 1e-9)
        size += len(stage.bus.transmit())
        last = due
    assert size == {"sync": 420, "fast": 288}[kind]
    return last


@pytest.mark.parametrize(
    ("kind", "baud", "rate"),
    [("sync", 57_600, 10), ("sync", 1_000_000, 176), ("fast", 1_000_000, 229), ("fast", 4_500_000, 1032)],
)
def test_cycles_per_second_of_twenty_servos(kind, baud, rate):
    assert 1 / cycle_time(kind, baud=baud) == pytest.approx(rate, abs=0.6)


@pytest.mark.parametrize(("kind", "rate"), [("sync", 64), ("fast", 206)])
def test_the_factory_return_delay_is_dear(kind, rate):
    stage = VirtualServos(*["xm430_w350"] * 20, pacing=Pacing(baud=1_000_000, return_delay=True))
    stage.bus.receive(WRITE + READ[kind])
    last = 0.0
    while (due := stage.bus.due()) < math.inf:
        stage.clock.advance(due - stage.clock.now() + 1e-9)
        stage.bus.transmit()
        last = due
    assert 1 / last == pytest.approx(rate, abs=0.6)


def test_the_latency_of_an_adapter_holds_back_the_last_bytes():
    plain = cycle_time("sync", baud=1_000_000)
    held = cycle_time("sync", baud=1_000_000, usb_latency=0.016)
    assert 0.010 < held - plain <= 0.016
    assert 44 < 1 / held < 62


def test_without_pacing_all_is_there_at_once():
    assert cycle_time("sync") == 0.0
