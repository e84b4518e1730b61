# SPDX-License-Identifier: Apache-2.0
"""Faults of a virtual bus: each is as the real one, is refused where it cannot be, and none ends the bus."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_stage import VirtualServos

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.faults import WIRE
from embodiment_bridge.dynamixel.virtual.line import VirtualClock
from embodiment_bridge.dynamixel.virtual.requests import MAX_FAULTS, Requests
from embodiment_bridge.dynamixel.wire import packet
from embodiment_bridge.dynamixel.wire.decoder import Packet, PacketDecoder, fast_blocks
from embodiment_bridge.dynamixel.wire.instructions import Instruction

PING = packet.ping(1)
GOOD = VirtualServos().raw(PING)
ALL = packet.sync_read(132, 4, [1, 2, 3])


def three(**options):
    return VirtualServos("xm430_w350", "xm430_w350", "xm430_w350", **options)


def ids(statuses):
    return [status.id for status in statuses]


@pytest.mark.parametrize(
    ("kind", "options", "answer"),
    [
        ("drop_status", {}, b""),
        ("drop_instruction", {}, b""),
        ("absent", {}, b""),
        ("baud_mismatch", {}, b""),
        ("corrupt_crc", {}, GOOD[:-1] + bytes((GOOD[-1] ^ 0xFF,))),
        ("truncate", {"bytes": 5}, GOOD[:-5]),
        ("empty_status", {"error": 7}, packet.status(1, 7)),
        ("echo", {}, PING + GOOD),
    ],
)
def test_fault_of_one_packet(kind, options, answer):
    stage = VirtualServos()
    stage.bus.inject(kind, count=1, id=None if kind == "echo" else 1, **options)
    assert stage.raw(PING) == answer
    assert stage.raw(PING) == GOOD
    assert stage.bus.statistics()["faults"] == {kind: 1}


def test_dropped_instruction_is_not_obeyed_but_one_whose_status_is_dropped_is():
    stage = VirtualServos()
    stage.bus.inject("drop_instruction", id=1, count=1)
    stage.raw(packet.write(1, 65, b"\1"))
    assert stage.read(1, "led") == 0
    stage.bus.inject("drop_status", id=1, count=1)
    stage.raw(packet.write(1, 65, b"\1"))
    assert stage.read(1, "led") == 1


@pytest.mark.parametrize("kind", ["delay_status", "slow"])
def test_late_status(kind):
    stage = VirtualServos(seed=3)
    stage.bus.inject(kind, id=1, seconds=0.02, count=1)
    assert stage.raw(PING) == b""
    assert 0 < stage.bus.due() <= 0.02
    stage.clock.advance(0.02)
    assert stage.bus.transmit() == GOOD


def test_two_servos_with_one_id_collide():
    stage = VirtualServos()
    stage.bus.inject("duplicate_id", id=1)
    answer = stage.raw(PING)
    assert answer
    assert not [each for each in PacketDecoder().feed(answer) if isinstance(each, Packet)]


def test_noise_hides_nothing_from_a_decoder():
    stage = VirtualServos(seed=1)
    stage.bus.inject("noise", id=1, leading=5, trailing=2, count=1)
    answer = stage.raw(PING)
    assert answer[5:-2] == GOOD


def test_broken_cable_silences_all_behind():
    stage = three()
    stage.bus.inject("chain_break", id=2)
    assert ids(stage.ask(packet.ping())) == [1]
    assert stage.ask(packet.ping(3)) == []
    stage.bus.heal()
    assert ids(stage.ask(packet.ping())) == [1, 2, 3]


def test_chain_waits_for_the_silent_one_or_goes_on():
    stage = three()
    stage.bus.inject("absent", id=2)
    assert ids(stage.ask(ALL)) == [1]
    stage.bus.inject("chain_continues")
    stage.raw(ALL)
    stage.clock.advance(0.01)  # of patience
    assert ids(three_rest(stage)) == [1, 3]


def three_rest(stage):
    stage.bus.receive(ALL)
    stage.clock.advance(0.01)
    return [found for found in PacketDecoder().feed(stage.bus.transmit()) if isinstance(found, Packet)][-2:]


def test_hardware_error_with_and_without_shutdown():
    stage = VirtualServos()
    stage.write(1, "torque_enable", 1)
    stage.bus.inject("hardware_error", id=1, bits=0x04, shutdown=False)
    assert (stage.read(1, "hardware_error_status"), stage.read(1, "torque_enable")) == (4, 1)
    stage.bus.inject("hardware_error", id=1, bits=0x01, shutdown=True)
    assert (stage.read(1, "hardware_error_status"), stage.read(1, "torque_enable")) == (5, 0)


def test_brown_out_reboots_all():
    stage = three()
    for id in (1, 2, 3):
        stage.write(id, "torque_enable", 1)
        stage.write(id, "profile_velocity", 20)
    stage.bus.inject("brown_out")
    assert stage.ask(packet.ping()) == []
    stage.clock.advance(0.4)
    assert ids(stage.ask(packet.ping())) == [1, 2, 3]
    assert [stage.read(2, name) for name in ("torque_enable", "profile_velocity")] == [0, 0]


@pytest.mark.parametrize(
    ("state", "moved"),
    [("stuck", (-1, 1)), ("stripped", (-1, 1)), ("free", (-1, 1)), ("reversed", (-5000, -50))],
)
def test_axis_that_does_not_obey(state, moved):
    stage = VirtualServos()
    stage.write(1, "torque_enable", 1)
    rule = stage.bus.inject("axis", id=1, state=state)
    stage.write(1, "goal_position", 2500)
    stage.clock.advance(0.3)
    assert moved[0] <= stage.read(1, "present_position") - 2048 <= moved[1]
    stage.bus.heal(rule)
    stage.clock.advance(2.5)
    assert stage.read(1, "present_position") == pytest.approx(2500, abs=6)


def test_wrong_model_and_firmware():
    stage = VirtualServos()
    rule = stage.bus.inject("wrong_identity", id=1, model_number=1060, firmware_version=40)
    assert stage.ask(PING)[0].parameters == b"\x24\x04\x28"
    stage.bus.heal(rule)
    assert stage.raw(PING) == GOOD


def test_unplugged_is_known_for_its_time():
    stage = VirtualServos()
    stage.bus.inject("unplug", id=1, after=1.0, duration=2.0)  # for all, whichever it names
    seen = []
    for _ in range(4):
        seen.append(stage.bus.unplugged)
        stage.clock.advance(1.0)
        stage.bus.update()
    assert seen == [False, True, True, False]


def test_refused_eeprom_and_stuck_register():
    stage = VirtualServos()
    rule = stage.bus.inject("eeprom_refused", id=1)
    assert stage.write(1, "velocity_limit", 100) == 7
    stage.bus.heal(rule)
    stage.bus.inject("register_stuck", id=1, register="led")
    assert (stage.write(1, "velocity_limit", 100), stage.write(1, "led", 1)) == (0, 0)
    assert (stage.read(1, "velocity_limit"), stage.read(1, "led")) == (100, 0)


def test_watchdog_trip():
    stage = VirtualServos()
    stage.bus.inject("watchdog_trip", id=1)
    assert stage.read(1, "bus_watchdog") == -1
    assert stage.write(1, "goal_position", 2000) == 4


@pytest.mark.parametrize(
    ("kind", "id", "watches"),
    [
        ("absent", 2, -1),
        ("chain_break", 1, -1),
        ("drop_instruction", 2, -1),
        ("absent", 3, 10),
        ("slow", 2, 10),
    ],
)
def test_watchdog_is_fed_by_what_its_servo_hears_alone(kind, id, watches):
    stage = three()
    stage.write(2, "bus_watchdog", 10)  # 0.2 s
    stage.write(2, "torque_enable", 1)
    rule = stage.bus.inject(kind, id=id)
    for _ in range(8):
        stage.clock.advance(0.05)
        stage.raw(packet.ping(1))
    stage.bus.heal(rule)
    assert stage.read(2, "bus_watchdog") == watches


def test_partial_fast_packet_gives_the_first_blocks():
    stage = three()
    stage.bus.inject("partial_fast", blocks=2, count=1)
    request = packet.fast_sync_read(132, 4, [1, 2, 3])
    answer = stage.raw(request)
    assert [block.id for block in fast_blocks(answer, [(1, 4), (2, 4), (3, 4)])] == [1, 2]
    assert PacketDecoder().feed(answer) == []
    stage.bus.inject("drop_status", id=3, count=1)
    assert stage.raw(request) == answer


@pytest.mark.parametrize(
    ("kind", "id", "left"),
    [
        ("corrupt_crc", 2, [1]),
        ("truncate", 3, [1, 2]),
        ("duplicate_id", 1, []),
        ("delay_status", 2, [1, 2, 3]),
    ],
)
def test_fault_of_one_servo_in_a_fast_answer(kind, id, left):
    stage = three()
    stage.bus.inject(kind, id=id, count=1)
    stage.bus.receive(packet.fast_sync_read(132, 4, [1, 2, 3]))
    if kind == "delay_status":
        assert stage.bus.transmit() == b""
        stage.clock.advance(0.02)
    answer = stage.bus.transmit()
    assert [block.id for block in fast_blocks(answer, [(1, 4), (2, 4), (3, 4)])] == left


def test_unstuffed_status_of_an_old_firmware():
    stage = VirtualServos()
    stage.write(1, "operating_mode", 1)
    for name, value in (("goal_current", -1), ("goal_velocity", -3)):
        stage.write(1, name, value)
    stage.bus.inject("unstuffed_status", id=1, count=1)
    read = packet.read(1, 102, 6)
    assert b"\xff\xff\xfd\xff" in stage.raw(read)
    assert b"\xff\xff\xfd\xfd" in stage.raw(read)


def test_bad_crc_is_met_with_silence():
    stage = VirtualServos()
    bad = PING[:-1] + b"\0"
    assert stage.raw(bad) == b""
    assert stage.bus.statistics()["rejected"]["crc"] == 1


def test_a_pause_inside_a_packet_ends_it():
    stage = VirtualServos()
    stage.raw(PING[:6])
    stage.clock.advance(0.1)
    assert stage.raw(PING) == GOOD
    assert stage.bus.statistics()["rejected"] == {"gap": 1}


def test_host_at_another_baud_rate_hears_nothing():
    stage = VirtualServos()
    stage.bus.host_baud = 57600
    assert stage.raw(PING) == b""
    stage.bus.host_baud = 1_000_000
    assert stage.raw(PING) == GOOD


def test_when_faults_strike():
    stage = three(seed=5)
    stage.bus.inject("drop_status", id=1, skip=2, count=3)
    assert [bool(stage.raw(PING)) for _ in range(8)] == [True, True, False, False, False, True, True, True]
    stage.bus.heal()
    stage.bus.inject("drop_status", id=2, after=1.0, duration=1.0)
    seen = []
    for _ in range(3):
        seen.append(bool(stage.raw(packet.ping(2))))
        stage.clock.advance(1.0)
    assert seen == [True, False, True]


def test_chance_can_be_repeated():
    def answers(seed):
        stage = VirtualServos(seed=seed)
        stage.bus.inject("drop_status", probability=0.3)
        return [bool(stage.raw(PING)) for _ in range(200)]

    assert answers(1) == answers(1) != answers(2)
    assert 110 < sum(answers(1)) < 170


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("drop_statu", {}, "unknown fault 'drop_statu'; did you mean 'drop_status'"),
        ("drop_status", {"id": 7}, "there is no servo 7"),
        ("drop_status", {"seconds": 1}, "unknown option of fault 'drop_status' 'seconds'"),
        ("drop_status", {"probability": 1.5}, "probability is 1.5"),
        ("drop_status", {"probability": float("nan")}, "probability is nan"),
        ("drop_status", {"after": -1}, "after is -1"),
        ("truncate", {"bytes": "four"}, "bytes is 'four'"),
        ("axis", {"state": "bent"}, "unknown state of an axis 'bent'"),
        ("register_stuck", {"register": "lcd"}, "unknown register of XM430-W350 'lcd'"),
        ("hardware_error", {"bits": 1, "shutdown": "no"}, "shutdown is 'no'"),
    ],
)
def test_fault_that_cannot_be_is_refused(kind, options, words):
    stage = VirtualServos()
    with pytest.raises(ConfigError, match=words):
        stage.bus.inject(kind, **options)
    assert stage.bus.faults.rules == []


def test_faults_asked_for_are_limited_and_those_over_make_room():
    clock = VirtualClock()
    bus = VirtualBus([(1, "xm430_w350")], clock=clock)
    requests = Requests({"arm": bus})
    for _ in range(MAX_FAULTS):
        assert requests.answer({"do": "fault", "kind": "watchdog_trip", "duration": 1})["ok"]
    assert "heal some first" in requests.answer({"do": "fault", "kind": "absent"})["error"]
    clock.advance(2.0)
    bus.update()
    assert requests.answer({"do": "faults"})["faults"] == []
    assert requests.answer({"do": "fault", "kind": "absent"})["ok"]


IDS = st.sampled_from([0, 1, 2, 3, 252, 254])
CODES = st.one_of(st.sampled_from([int(code) for code in Instruction]), st.integers(0, 255))
ADDRESSES = st.one_of(
    st.integers(0, 700), st.sampled_from([7, 8, 11, 12, 20, 63, 64, 98, 100, 102, 104, 116, 168, 224])
)
SPANS = st.tuples(ADDRESSES, st.integers(0, 140)).map(lambda s: b"".join(n.to_bytes(2, "little") for n in s))
PARAMETERS = st.one_of(
    st.binary(max_size=30),
    st.tuples(ADDRESSES, st.binary(max_size=8)).map(lambda s: s[0].to_bytes(2, "little") + s[1]),
    st.tuples(SPANS, st.binary(max_size=12)).map(b"".join),
    st.sampled_from([*packet.CLEARED.values(), *packet.BACKUPS.values()]),
)
SAID = st.one_of(
    st.tuples(IDS, CODES, PARAMETERS).map(lambda s: packet.instruction(*s)),
    st.tuples(IDS, CODES, PARAMETERS).map(lambda s: packet.instruction(*s, protocol=1)),
    st.binary(max_size=20),
)


@settings(max_examples=150)
@given(st.lists(st.tuples(SAID, st.sampled_from([0.0, 0.001, 0.5])), max_size=25))
def test_any_instructions_are_survived(said):
    stage = VirtualServos("xm430_w350", "xl330_m288", "ax_12a", voltage=6.5)
    decoder = PacketDecoder("both", (1, 2))
    for data, seconds in said:
        stage.bus.receive(data)
        stage.clock.advance(seconds)
        found = decoder.feed(stage.bus.transmit())
        assert all(isinstance(each, Packet) for each in found)
    shot = stage.bus.snapshot()
    assert len(stage.bus.servos.chain) == 3
    for servo in stage.bus.servos.chain:
        item = servo.table.item("goal_position")
        assert item.lower <= shot[servo.id]["goal_position"] <= item.upper or servo.protocol == 2
        assert len(servo.memory.bytes) == servo.table.size


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from(sorted(WIRE)), st.floats(0, 1)), max_size=6),
    st.lists(SAID, max_size=15),
    st.integers(0, 1000),
)
def test_any_faults_are_survived(faults, said, seed):
    stage = VirtualServos("xm430_w350", "xm430_w350", seed=seed)
    for kind, probability in faults:
        stage.bus.inject(kind, probability=probability)
    for data in said:
        stage.bus.receive(data)
        stage.clock.advance(0.002)
        stage.bus.transmit()
    stage.bus.heal()
    stage.clock.advance(60.0)
    stage.bus.transmit()
    stage.bus.update()
    assert len(stage.bus.snapshot()) <= 2
