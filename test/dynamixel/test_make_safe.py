# SPDX-License-Identifier: Apache-2.0
"""The end of a driver: no joint that is to be limp stays driven, whatever its servo says; what is not sure is told."""

import threading
import time
from dataclasses import replace

import pytest
from driver_stage import DrivenServos, servo

from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.port import Port, open_port
from embodiment_bridge.dynamixel.bus.servo import BusState
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
