# SPDX-License-Identifier: Apache-2.0
"""An emergency stop waits for one answer at most: not for the rest of a request, nor for servos that are looked for."""

from math import tau

import pytest
from driver_stage import DrivenServos, servo

from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.bus import ServoBus
from embodiment_bridge.dynamixel.bus.client import BusClient, GivenWay

WRITE, SYNC_WRITE, PING = 3, 0x83, 1
TORQUE, MODE, GOAL = 64, 11, 116  # addresses


def what(raw: bytes) -> tuple[int, int, int]:
    """Instruction, address and (of a write of a byte, or the first of a sync write) the value."""
    where = 13 if raw[7] == SYNC_WRITE else 10
    return raw[7], int.from_bytes(raw[8:10], "little"), int.from_bytes(raw[where : where + 1], "little")


OFF = (SYNC_WRITE, TORQUE, 0)
ON = (WRITE, TORQUE, 1)


def stop_at(
    stage: DrivenServos, instruction: int, address: int | None = None, action: str = "torque_off"
) -> list[tuple[int, int, int]]:
    """Press the emergency stop when such a packet is on the wire; what is there from then on."""
    heard: list[tuple[int, int, int]] = []

    def note(_: float, way: str, raw: bytes) -> None:
        if way != "rx":
            return
        if not heard and (raw[7] != instruction or address not in (None, what(raw)[1])):
            return
        if not heard:
            stage.bus.emergency_stop(action)
        heard.append(what(raw))

    stage.virtual.on_packet = note
    return heard


def moved_by_hand(stages, mode: str, angle: float) -> DrivenServos:
    """A limp joint that was turned to ``angle`` (rad), while its servo has a goal of before."""
    stage = stages([servo(1, model="xm430_w350", mode=mode)])
    stage.bus = ServoBus(stage.bus.config, margin_s=1.0)  # no answer is too late, also on a busy machine
    stage.start(active=False)
    with stage.virtual.lock:
        stage.virtual.servo(1).drive.position = angle
    stage.until(lambda: abs(stage.reading(1).position - angle) < 0.01)
    return stage


def after_cycles(stage: DrivenServos, number: int) -> None:
    answers = stage.reading(1).answers
    stage.until(lambda: stage.reading(1).answers > answers + number)


def limp(stage: DrivenServos) -> bool:
    return not any(registers["torque_enable"] for registers in stage.virtual.snapshot().values())


def test_it_comes_between_the_looks_for_servos_that_are_driven_and_do_not_answer(stages) -> None:
    stage = stages([servo(id, on_shutdown="keep") for id in (1, 2, 3)]).start()
    stage.bus.stop()
    assert not limp(stage)
    stage.bus = ServoBus(stage.bus.config, margin_s=1.0)  # so long is each of them waited for
    stage.virtual.inject("drop_status")
    heard = stop_at(stage, PING)
    stage.bus.start()
    stage.until(lambda: limp(stage))
    assert heard[1] == OFF


def test_it_comes_before_the_rest_of_a_request_for_torque_which_is_not_done_later_either(stages) -> None:
    stage = stages()
    stage.bus = ServoBus(stage.bus.config, margin_s=1.0)  # no answer is too late, also on a busy machine
    stage.start(active=False)
    heard = stop_at(stage, WRITE, TORQUE)
    told = stage.asked(requests.SetTorque([], on=True))
    stage.until(lambda: bool(told))
    assert told == [(False, "an emergency stop was pressed or released meanwhile: ask again", 0)]
    stage.until(lambda: OFF in heard and limp(stage))
    stage.bus.emergency_stop("")
    cycles = stage.bus.servos[0].counters.answers
    stage.until(lambda: stage.bus.servos[0].counters.answers > cycles + 20)
    assert heard.count(ON) == 1
    assert limp(stage)


def test_a_servo_whose_mode_was_being_changed_has_its_old_one_when_it_is_driven_again(stages) -> None:
    stage = stages([servo(1)]).start()
    stop_at(stage, WRITE, MODE)
    told = stage.asked(requests.SetMode([], "velocity", force=False))
    stage.until(lambda: bool(told) and limp(stage))
    assert not told[0][0]
    stage.virtual.on_packet = None
    stage.bus.emergency_stop("")
    stage.until(lambda: not limp(stage))
    assert stage.virtual.snapshot()[1]["operating_mode"] == 3
    assert stage.reading(1).mode == "position"


@pytest.mark.parametrize("angle", [0.8, 0.8 + tau])  # the servo forgets the turn when its torque comes on
def test_a_hold_that_comes_together_with_the_torque_holds_the_joint_where_it_is(stages, angle) -> None:
    stage = moved_by_hand(stages, "position", angle)
    stop_at(stage, WRITE, TORQUE, "hold")
    stage.bus.activate(True)
    stage.until(lambda: stage.reading(1).torque)
    after_cycles(stage, 60)
    assert stage.register(1, "torque_enable")
    assert abs(stage.register(1, "goal_position") - round(2048 + 0.8 / tau * 4096)) <= 1
    assert abs(stage.virtual.servo(1).drive.position - angle) < 0.01


@pytest.mark.parametrize("mode", ["velocity", "current", "pwm"])
def test_a_hold_that_comes_together_with_the_torque_leaves_no_motor_without_its_watchdog(
    stages, mode
) -> None:
    stage = moved_by_hand(stages, mode, 0.8)
    stop_at(stage, WRITE, TORQUE, "hold")
    armed: list[int] = []
    stop = stage.virtual.on_packet

    def note(when: float, way: str, raw: bytes) -> None:
        stop(when, way, raw)
        if way == "rx" and what(raw) == ON:
            armed.append(stage.register(1, "bus_watchdog"))

    stage.virtual.on_packet = note
    stage.bus.activate(True)
    stage.until(lambda: bool(armed))  # the torque counts as on already while it is under way
    assert armed[0] == 3  # 5 cycles of 10 ms, rounded up to 20 ms


def test_a_joint_that_does_not_say_where_it_is_after_its_torque_came_on_stays_there(stages) -> None:
    stage = moved_by_hand(stages, "position", 0.8 + tau)
    on: list[str] = []
    goals: list[int] = []

    def note(_: float, way: str, raw: bytes) -> None:
        if len(on) < 2 and (on or (way == "rx" and what(raw) == ON)):
            on.append(way)
            if len(on) == 2:  # the torque is answered; the next question is not
                stage.virtual.inject("drop_status", id=1, count=1)
        elif on and way == "rx" and what(raw)[:2] == (SYNC_WRITE, GOAL):
            goals.append(int.from_bytes(raw[13:17], "little", signed=True))

    stage.virtual.on_packet = note
    stage.bus.activate(True)
    stage.until(lambda: len(goals) > 60)
    assert {abs(goal - round(2048 + 0.8 / tau * 4096)) <= 1 for goal in goals} == {True}


class DeadWire:
    """Nobody answers on it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def read(self, timeout: float) -> bytes:
        return b""

    def discard(self) -> int:
        return 0


def test_a_client_that_gives_way_asks_nothing_and_still_writes() -> None:
    wire = DeadWire()
    client = BusClient(wire, 1_000_000, margin_s=0.0)
    client.give_way = lambda: True
    for ask in (
        lambda: client.ping(1),
        lambda: client.read(1, 64, 1),
        lambda: client.fast_sync_read(64, 1, (1,)),
    ):
        with pytest.raises(GivenWay):
            ask()
    assert wire.written == []
    client.sync_write(TORQUE, 1, {1: b"\0"})
    assert len(wire.written) == 1


def test_a_stop_while_servos_get_their_torque_comes_after_the_answer_that_is_waited_for(stages) -> None:
    stage = stages([servo(id) for id in range(1, 9)])
    stage.bus = ServoBus(stage.bus.config, margin_s=1.0)  # no answer is too late, also on a busy machine
    stage.start()
    for _ in range(10):
        stage.until(lambda: all(reading.torque for reading in stage.bus.readings()))
        stage.bus.emergency_stop("torque_off")
        stage.until(lambda: not any(stage.register(id, "torque_enable") for id in range(1, 9)))
        after: list[tuple[int, int]] = []
        begun: list[bool] = []

        def see(when: float, direction: str, raw: bytes, after=after, begun=begun) -> None:
            if direction != "rx":
                return
            if begun:
                after.append((raw[7], raw[8]))
            elif (raw[7], raw[8], raw[10]) == (WRITE, TORQUE, 1):
                begun.append(True)
                stage.bus.emergency_stop("torque_off")

        stage.virtual.on_packet = see
        stage.bus.emergency_stop("")
        stage.until(lambda after=after: (SYNC_WRITE, TORQUE) in after)
        stage.virtual.on_packet = None
        assert after.index((SYNC_WRITE, TORQUE)) == 0
        stage.until(lambda: not any(stage.register(id, "torque_enable") for id in range(1, 9)))
        stage.bus.emergency_stop("")
