# SPDX-License-Identifier: Apache-2.0
"""Cycles without a pause between them: answers are looked at while the next question is on the wire."""

import time
from functools import partial

import pytest
from driver_stage import DrivenServos, servo

from embodiment_bridge.dynamixel.bus import requests
from embodiment_bridge.dynamixel.bus.cycle import Target
from embodiment_bridge.dynamixel.bus.servo import BusState

FAST_READ, SYNC_WRITE = 0x8A, 0x83
TORQUE, GOAL = 64, 116  # addresses


@pytest.fixture
def stages(running):
    return partial(running, rate_hz=100_000.0)


def to_02(stage: DrivenServos) -> None:
    """All joints at 0.2 rad."""
    stage.drive_until(
        lambda: all(abs(reading.position - 0.2) < 0.02 for reading in stage.bus.readings()),
        **{f"j{config.id}": Target(0.2) for config in stage.configs},
    )


def off(stage: DrivenServos, id: int) -> int:
    """How far what was read is from what the servo has, ticks."""
    return stage.reading(id).ticks - stage.virtual.snapshot()[id]["present_position"]


@pytest.mark.parametrize("models", [("xm430_w350",) * 3, ("xm430_w350", "xl430_w250", "ax_12a")])
def test_values_and_goals_are_those_of_the_servos(stages, models) -> None:
    stage = stages([servo(id, model=model) for id, model in enumerate(models, 1)])
    to_02(stage)
    ids = [config.id for config in stage.configs]
    stage.until(
        lambda: all(stage.age(id) < 0.05 and abs(off(stage, id)) <= 2 for id in ids)
    )  # they may move yet
    stage.until(lambda: all(reading.answers > 20 for reading in stage.bus.readings()))


def test_goals_change_no_faster_than_the_joint_may(stages) -> None:
    stage = stages([servo(1, velocity=0.5), servo(2)])
    goals: list[tuple[float, int]] = []

    def see(when: float, direction: str, raw: bytes) -> None:
        if direction == "rx" and raw[7] == SYNC_WRITE and raw[8] == GOAL:
            goals.append((when, int.from_bytes(raw[13:17], "little", signed=True)))

    stage.virtual.on_packet = see
    stage.drive_until(lambda: stage.reading(1).position > 0.2, j1=Target(0.3))
    stage.virtual.on_packet = None
    (first, low), (last, high) = goals[0], goals[-1]
    assert high - low > 100
    assert high - low <= 0.5 * (last - first + 0.2) * 4096 / 6.28  # a command is late by a cycle, or some


def test_an_emergency_stop_waits_for_one_cycle_at_most(stages) -> None:
    stage = stages()
    to_02(stage)
    heard: list[tuple[int, int]] = []

    def see(when: float, direction: str, raw: bytes) -> None:
        if direction == "rx":
            heard.append((raw[7], raw[8]))

    stage.virtual.on_packet = see
    for _ in range(10):
        heard.clear()
        stage.bus.emergency_stop("torque_off")
        stage.until(lambda: (SYNC_WRITE, TORQUE) in heard)
        before = heard[: heard.index((SYNC_WRITE, TORQUE))]
        # One question was on its way already, and one goes out before the call is seen.
        assert sum(code == FAST_READ for code, _ in before) <= 2
        time.sleep(0.02)
        assert (SYNC_WRITE, GOAL) not in heard[len(before) :]
        stage.until(lambda: not any(reading.torque for reading in stage.bus.readings()))  # it is confirmed
        stage.bus.emergency_stop("")
        stage.until(lambda: all(reading.torque for reading in stage.bus.readings()))


def test_requests_are_done_and_looks_are_taken(stages) -> None:
    stage = stages()
    to_02(stage)
    answers = stage.asked(requests.SetTorque(["j2"], on=False))
    stage.until(lambda: bool(answers) and not stage.reading(2).torque)
    assert answers[0][0]
    assert stage.register(2, "torque_enable") == 0
    stage.until(lambda: stage.reading(1).voltage > 0.0)
    stage.virtual.inject("hardware_error", id=3, bits=0x20, shutdown=True)
    stage.until(lambda: "overload" in stage.reading(3).reason)


def test_a_servo_that_falls_silent_is_noticed_and_stops_no_other(stages) -> None:
    stage = stages()
    to_02(stage)
    rule = stage.virtual.inject("absent", id=3)
    stage.until(lambda: stage.bus.state is BusState.DEGRADED)
    assert stage.bus.reason == "no answer from j3"
    assert abs(stage.reading(3).position - 0.2) < 0.03
    stage.until(lambda: all(stage.age(id) < 0.1 for id in (1, 2, 4, 5)))
    stage.virtual.heal(rule)
    stage.until(lambda: stage.bus.state is BusState.ACTIVE)
