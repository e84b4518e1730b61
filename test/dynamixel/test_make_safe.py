# SPDX-License-Identifier: Apache-2.0
"""The end of a driver: no joint that is to be limp stays driven, whatever its servo says; what is not sure is told."""

import threading
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from driver_stage import DrivenServos, servo

from embodiment_bridge.dynamixel.bus import making_safe
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import Answer
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.making_safe import make_safe, safe_packets
from embodiment_bridge.dynamixel.bus.port import Port, open_port
from embodiment_bridge.dynamixel.bus.servo import BusState, Servo, make_servo
from embodiment_bridge.dynamixel.tables.table_reader import table
from embodiment_bridge.dynamixel.wire import packet

PATIENCE_S = "embodiment_bridge.dynamixel.bus.bus.PATIENCE_S"  # of a stop
ASKED_FOR_S = 2.0  # by a stop, as docs/faults.md says
ALL = {f"j{id}" for id in range(1, 6)}
SILENT, DRIVEN = "does not answer", "says that its torque is on"


def torque(stage: DrivenServos) -> list[int]:
    return [stage.register(id, "torque_enable") for id in stage.virtual.snapshot()]


@pytest.mark.fault(
    "two at once",
    body="dynamixel",
    reaction="ended while no answer comes: limp all the same; told after 2 s which joints did not say so",
)
@pytest.mark.parametrize("kind", ["drop_status", "corrupt_crc"])
def test_servos_that_hear_and_do_not_answer_are_limp_and_told(stages, kind) -> None:
    stage = stages().start()
    stage.virtual.inject(kind)
    begun = time.monotonic()
    stage.bus.stop()
    assert time.monotonic() - begun >= ASKED_FOR_S
    assert torque(stage) == [0] * 5
    assert stage.bus.unsafe == dict.fromkeys(ALL, SILENT)


def test_one_servo_that_was_given_up_is_limp_and_told(stages) -> None:
    stage = stages().start()
    stage.virtual.inject("drop_status", id=2)
    stage.until(lambda: stage.reading(2).silent)
    stage.bus.stop()
    assert torque(stage) == [0] * 5
    assert stage.bus.unsafe == {"j2": SILENT}


def test_servos_behind_a_cable_that_was_just_mended_are_limp(stages, monkeypatch) -> None:
    monkeypatch.setattr(PATIENCE_S, 30.0)
    stage = stages().start()
    rule = stage.virtual.inject("chain_break", id=2)
    stage.until(lambda: stage.bus.state is BusState.DEGRADED and all(stage.reading(i).silent for i in (2, 5)))
    stage.virtual.heal(rule)
    stage.bus.stop()
    assert torque(stage) == [0] * 5
    assert not stage.bus.unsafe


def test_a_servo_that_keeps_its_torque_is_told(stages) -> None:
    stage = stages().start()
    stage.virtual.inject("register_stuck", id=3, register="torque_enable")
    stage.bus.stop()
    assert torque(stage) == [0, 0, 1, 0, 0]
    assert stage.bus.unsafe == {"j3": DRIVEN}


@pytest.mark.fault(
    "two at once",
    body="dynamixel",
    reaction="ended while questions and answers are lost: asked again until every joint says that it is limp",
)
def test_servos_that_hear_every_other_time_are_limp_for_sure(stages, monkeypatch) -> None:
    monkeypatch.setattr(PATIENCE_S, 30.0)
    stage = stages().start()
    stage.virtual.inject("drop_instruction", probability=0.5)
    stage.virtual.inject("drop_status", probability=0.3)
    stage.bus.stop()
    assert torque(stage) == [0] * 5
    assert not stage.bus.unsafe


@pytest.mark.fault(
    "two at once",
    body="dynamixel",
    reaction="ended while it is unplugged: opened once more, and made safe when it is back 0.2 s later",
)
def test_a_port_that_is_lost_is_opened_once_more(stages, monkeypatch) -> None:
    monkeypatch.setattr(PATIENCE_S, 30.0)
    stage = stages().start()
    rule = stage.virtual.inject("unplug")
    stage.until(lambda: stage.bus.state is BusState.LOST)
    plug_in = threading.Timer(0.2, stage.virtual.heal, [rule])
    plug_in.start()
    stage.bus.stop()
    plug_in.join()
    assert torque(stage) == [0] * 5
    assert not stage.bus.unsafe


@pytest.mark.fault(
    "two at once",
    body="dynamixel",
    reaction="ended while it is unplugged, and not back for 2 s: told for each joint that it may still be driven",
)
def test_a_port_that_stays_away_is_told_for_each_joint(stages) -> None:
    stage = stages().start()
    stage.virtual.inject("unplug")
    stage.until(lambda: stage.bus.state is BusState.LOST)
    begun = time.monotonic()
    stage.bus.stop()
    assert time.monotonic() - begun >= ASKED_FOR_S
    assert set(stage.bus.unsafe) == ALL
    assert stage.link in stage.bus.unsafe["j1"]
    assert stage.bus.state is BusState.CLOSED


def test_a_bus_that_was_never_there_has_nothing_to_tell(tmp_path, stages) -> None:
    stage = stages()
    stage.bus = ServoBus(replace(stage.bus.config, port_name=str(tmp_path / "none")))
    stage.bus.start()
    stage.until(lambda: stage.bus.state is BusState.LOST)
    stage.bus.stop()
    assert stage.bus.unsafe == {}


def test_a_driver_that_is_ended_while_it_looks_for_its_servos_makes_safe(stages) -> None:
    stage = stages()
    for id in stage.virtual.snapshot():  # driven by somebody before
        stage.virtual.receive(packet.write(id, 64, b"\1"))
    asked: list[bool] = []
    stage.virtual.on_packet = lambda *_: asked or (asked.append(True), stage.bus.stop_soon())
    stage.bus.start()
    stage.until(lambda: bool(asked))
    stage.bus.stop()
    assert torque(stage) == [0] * 5
    assert stage.bus.connects == 0


def test_the_other_policies_stay_as_they_are(stages) -> None:
    servos = [servo(1), servo(2, model="xm430_w350", mode="velocity", on_shutdown="hold"), servo(3)]
    stage = stages([*servos, servo(4, on_shutdown="keep"), servo(5, on_shutdown="hold")]).start()
    stage.drive_until(lambda: stage.register(2, "goal_velocity") > 0, j2=Target(0.0, 1.0), j5=Target(0.4))
    stage.virtual.inject("drop_status")
    stage.bus.stop()
    assert torque(stage) == [0, 1, 0, 1, 1]
    assert stage.register(2, "goal_velocity") == 0
    assert set(stage.bus.unsafe) == {"j1", "j3"}


class SlowPort(Port):
    """The process is stopped in a read, once."""

    sleep_s = 0.0

    def read(self, timeout: float) -> bytes:
        seconds, self.sleep_s = self.sleep_s, 0.0
        time.sleep(seconds)
        return super().read(timeout)


@pytest.mark.parametrize("rate_hz", [100.0, 100_000.0])  # also where goals are prepared a cycle ahead
def test_after_a_gap_a_joint_goes_on_from_where_it_is_and_softly(stages, rate_hz) -> None:
    config = servo(1, velocity=2.0, soft_start_s=0.5)
    stage = stages([config], rate_hz=rate_hz)
    opened: list[SlowPort] = []

    def slowly(name: str, baud_rate: int) -> SlowPort:
        port = open_port(name, baud_rate)
        opened.append(SlowPort(name, port.fileno(), port.close))
        return opened[-1]

    stage.bus = ServoBus(stage.bus.config, margin_s=0.03, open_port=slowly)
    stage.start()
    goals: list[tuple[float, int]] = []

    def note(_: float, way: str, raw: bytes) -> None:
        if way == "rx" and raw[7] == 0x83 and raw[8:10] == b"\x74\0":
            goals.append((time.monotonic(), int.from_bytes(raw[13:17], "little", signed=True)))

    stage.virtual.on_packet = note
    stage.drive_until(lambda: stage.reading(1).position > 0.3, j1=Target(1.4))
    opened[-1].sleep_s = 1.0
    stage.drive_until(lambda: stage.reading(1).position > 1.0, j1=Target(1.4))
    gap = max(range(1, len(goals)), key=lambda i: goals[i][0] - goals[i - 1][0])
    assert goals[gap][0] - goals[gap - 1][0] > 0.8
    before, held, *after = (goal for _, goal in goals[gap - 1 :])
    assert held == before
    steps = [b - a for a, b in zip([held, *after], after, strict=False)]
    assert steps[0] < 13  # counts: 0.02 rad, where the speed of 2 rad/s would take it 0.2 rad in one step


OFF, ON, REFUSED = b"\0", b"\1", b""


def a_servo(id: int, model: str = "xm430_w350", **fields) -> Servo:
    return make_servo(servo(id, model=model, **fields), table(model))


def wheel(id: int, model: str = "xm430_w350") -> Servo:
    return a_servo(id, model, mode="velocity", on_shutdown="hold")


def off(*ids: int) -> dict[int, bytes]:
    return dict.fromkeys(ids, b"\0")


KEPT, HELD = a_servo(3, on_shutdown="keep"), a_servo(4, on_shutdown="hold")
LIMP = packet.sync_write(64, 1, off(1, 2))
STILL = packet.sync_write(104, 4, {4: bytes(4)})
OLD_LIMP = packet.sync_write(24, 1, off(5), protocol=1)
OLD_STILL = packet.sync_write(32, 2, {6: bytes(2)}, protocol=1)
EVERY, EVERY_OLD = packet.write(254, 64, b"\0"), packet.write(254, 24, b"\0", protocol=1)


@pytest.mark.parametrize(
    ("servos", "packets"),
    [
        ([], b""),
        ([a_servo(1), a_servo(2)], LIMP + EVERY),
        ([a_servo(1), a_servo(2), KEPT], LIMP),  # no broadcast: one keeps its torque
        ([KEPT, HELD], b""),
        ([wheel(4)], STILL),
        ([a_servo(5, "ax_12a"), wheel(4)], OLD_LIMP + EVERY_OLD + STILL),
        ([a_servo(5, "ax_12a"), wheel(6, "ax_12a")], OLD_LIMP + OLD_STILL),
        ([a_servo(1), a_servo(2), a_servo(5, "ax_12a")], LIMP + OLD_LIMP + EVERY + EVERY_OLD),
        (
            [a_servo(4, "xl430_w250", mode="current", on_shutdown="hold"), wheel(4)],
            STILL,
        ),  # it has no such mode
        (  # no broadcast: they have it at different addresses
            [a_servo(1), a_servo(7, "ph42_020_s300")],
            packet.sync_write(64, 1, off(1)) + packet.sync_write(512, 1, off(7)),
        ),
    ],
)
def test_packets_that_make_safe(servos, packets) -> None:
    assert safe_packets(servos) == packets


class Script:
    """In place of the client of a bus: gives the written answers one after the other, and each takes a second."""

    def __init__(self, *answers) -> None:
        self.answers = list(answers)
        self.now = 0.0
        self.asked: list[tuple[int, ...]] = []
        self.calls: list[str | bytes] = []

    def hold(self, data: bytes) -> None:
        self.calls.append(data)

    def flush(self) -> None:
        self.calls.append("flush")

    def settle(self) -> None:
        self.calls.append("settle")

    def sync_read(self, address: int, size: int, ids: list[int]) -> dict[int, Answer]:
        answer = self._asked(address, size, *ids)
        return {id: Answer(0, data) for id, data in answer.items()}

    def read(self, id: int, address: int, size: int) -> Answer | None:
        answer = self._asked(address, size, id)
        return None if answer is None else Answer(0, answer)

    def _asked(self, *question: int):
        self.calls.append("ask")
        self.asked.append(question)
        self.now += 1.0
        return self.answers.pop(0)


TWO = (64, 1, 1, 2)
FIRST, SECOND = (64, 1, 1), (64, 1, 2)


@pytest.mark.parametrize(
    ("servos", "deadline", "dialogue", "unsafe"),
    [
        ([1, 2], 9.0, [(TWO, {1: OFF, 2: OFF})], {}),
        ([1, 2], 9.0, [(TWO, {1: OFF}), (SECOND, OFF)], {}),
        ([1, 2], 9.0, [(TWO, {2: OFF}), (FIRST, OFF)], {}),
        ([1, 2], 9.0, [(TWO, {1: REFUSED, 2: OFF}), (FIRST, OFF)], {}),
        ([1], 9.0, [(FIRST, {}), (FIRST, REFUSED), (FIRST, {1: OFF})], {}),
        ([1], 9.0, [(FIRST, {}), (FIRST, None), (FIRST, {1: OFF})], {}),
        ([1, 2], 9.0, [(TWO, {1: ON, 2: OFF}), (FIRST, {1: OFF})], {}),
        ([1], 2.0, [(FIRST, {1: ON}), (FIRST, {1: ON})], {"j1": DRIVEN}),
        ([1], 2.0, [(FIRST, {}), (FIRST, None)], {"j1": SILENT}),
        ([1, 2], 1.0, [(TWO, {})], {"j1": SILENT, "j2": SILENT}),  # too late to ask one by one
        ([1, 2], 2.0, [(TWO, {}), (FIRST, ON)], {"j1": DRIVEN, "j2": SILENT}),
        ([a_servo(5, "ax_12a")], 9.0, [((24, 1, 5), OFF)], {}),
        ([1, KEPT, HELD], 9.0, [(FIRST, {1: OFF})], {}),
        ([KEPT, HELD, wheel(6)], 9.0, [], {}),
        ([1, a_servo(7, "ph42_020_s300")], 9.0, [(FIRST, {1: OFF}), ((512, 1, 7), {7: OFF})], {}),
    ],
)
def test_servos_are_asked_until_their_torque_is_off(monkeypatch, servos, deadline, dialogue, unsafe) -> None:
    servos = [a_servo(one) if isinstance(one, int) else one for one in servos]
    for one in servos:
        one.torque = one.wanted = True
    client = Script(*(answer for _, answer in dialogue))
    monkeypatch.setattr(making_safe, "time", SimpleNamespace(monotonic=lambda: client.now))
    assert make_safe(client, servos, deadline) == unsafe
    assert client.asked == [question for question, _ in dialogue]
    packets = safe_packets(servos)
    assert client.calls == [packets, "flush", "settle", *[packets, "ask"] * len(dialogue)]
    driven = {one.config.joint for one in servos if one.config.on_shutdown != "off"} | unsafe.keys()
    assert {one.config.joint for one in servos if one.torque} == driven
    assert {one.config.joint for one in servos if one.wanted} == driven
