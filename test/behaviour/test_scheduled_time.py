# SPDX-License-Identifier: Apache-2.0
"""Lengths add up: each thing begins when the one before was to end, not when a tick noticed it."""

import pytest
from virtual_run import (
    SKILLS,
    SONG,
    Script,
    VirtualRun,
    body,
    box,
    delay,
    fail,
    forever,
    loop,
    outcome,
    par,
    play,
    seq,
)

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualSkills
from embodiment_bridge.body.state import SkillInfo

TEN_SECONDS = seq(*[delay(1)] * 10)
CYCLES = 50
TOTAL = 10.0 * CYCLES


@pytest.mark.parametrize("period", [0.1, 0.05, 0.02, 0.01])
@pytest.mark.parametrize("seed", [1, 2])
def test_five_hundred_steps_of_a_second_take_five_hundred_seconds(period, seed):
    stage = VirtualRun(loop(CYCLES, TEN_SECONDS), settings=Settings())
    noticed = stage.to_end(period, jitter=0.1, seed=seed)
    assert stage.run.ending.t == pytest.approx(TOTAL, abs=1e-6)
    assert TOTAL <= noticed <= TOTAL + 1.1 * period  # within one tick, however many steps


@pytest.mark.parametrize("period", [0.05, 0.02])
def test_a_row_of_body_actions_does_not_drift(period):
    """The body starts each slot at a tick and is seen to end at a later one: that must not add up either."""
    stage = VirtualRun(loop(CYCLES, seq(*[body(slot=1)] * 10)), settings=Settings())
    noticed = stage.to_end(period, jitter=0.1, seed=3)
    assert abs(noticed - TOTAL) <= 0.0002 * TOTAL
    assert stage.run.ending.t == pytest.approx(TOTAL, abs=1e-6)
    assert not stage.run.warnings


def test_the_body_gets_what_is_left_of_its_slot():
    skills = Script()
    stage = VirtualRun(seq(delay(1), body(slot=0.5)), skills=skills, settings=Settings())
    stage.tick(0.0)
    stage.tick(1.04)
    assert skills.calls == [("start", "head_shake", pytest.approx(0.46))]


def test_after_a_long_delay_the_slot_begins_anew():
    skills = Script()
    stage = VirtualRun(seq(delay(1), body(slot=0.5)), skills=skills, settings=Settings())
    stage.tick(0.0)
    stage.tick(3.0)
    assert skills.calls == [("start", "head_shake", 0.5)]
    skills.end("head_shake")
    stage.tick(3.4)
    assert stage.ended is None
    stage.tick(3.5)
    assert stage.ended == ("SUCCEEDED", 3.5)


@pytest.mark.parametrize(
    ("root", "end"),
    [
        (delay(0), 0.0),
        (delay(2.5), 2.5),
        (body(slot=0.7), 0.7),
        (body(), 1.0),
        (box(2, delay(0.5)), 2.0),
        (box(2, delay(5)), 2.0),
        (box(2, forever(body(slot=0.3))), 2.0),
        (loop(3, box(2, delay(0.5))), 6.0),
        (loop(7, delay(0.1)), 0.7),
        (seq(delay(0.1), delay(0.2), body(slot=0.3), play()), 20.6),
        (box(30, play(SONG)), 30.0),
        (loop(2, par(delay(1), seq(delay(0.5), delay(0.25)))), 2.0),
    ],
)
def test_lengths(root, end):
    assert outcome(root) == ("SUCCEEDED", end)


@pytest.mark.parametrize(
    ("child", "expected"),
    [
        (fail(1), ("FAILED", 1.0)),  # at once
        (fail(2), ("FAILED", 2.0)),  # at the very end: failure wins
        (fail(3), ("SUCCEEDED", 2.0)),  # cut off before it failed
        (seq(delay(1), fail(0.5)), ("FAILED", 1.5)),
    ],
)
def test_failure_in_a_box(child, expected):
    assert outcome(box(2, child)) == expected


def test_a_box_judges_by_scheduled_time_too():
    stage = VirtualRun(box(2, fail(2.01)))
    stage.tick(0.0)
    stage.tick(2.05)
    assert stage.ended == ("SUCCEEDED", 2.0)


def test_nothing_is_begun_at_the_instant_at_which_it_is_halted():
    skills = Script()
    root = par(forever(body("STEP_FORWARD", slot=1)), seq(delay(3), delay(0)), succeed_on_one=True)
    stage = VirtualRun(root, skills=skills)
    for t in (0.0, 1.0, 2.0, 3.0):
        skills.end("step_forward")
        stage.tick(t)
    assert stage.ended == ("SUCCEEDED", 3.0)
    assert skills.calls == [("start", "step_forward", 1)] * 3


def test_a_motion_longer_than_its_slot_is_not_cut():
    slow = {"head_shake": SkillInfo("head_shake", "motion", ("head",), 1.0, 0.8)}
    stage = VirtualRun(seq(body(slot=0.5), delay(1)), skills=VirtualSkills(slow))
    stage.to_end(0.1)
    assert stage.ended == ("SUCCEEDED", 1.8)
    assert stage.run.warnings == ["/0: SLOT_OVERRUN: head_shake took 0.3 s more than its slot of 0.5 s"]


def test_iterations_without_time_are_spread():
    stage = VirtualRun(forever(delay(0)))
    for tick in range(101):
        before = len(stage.seen("success"))
        stage.tick(tick * 0.01)
        assert len(stage.seen("success")) - before <= 1  # one each tick
    assert 48 <= len(stage.seen("success")) <= 52  # 50 a second
    assert [line.split(":")[1].strip() for line in stage.run.warnings] == ["BUSY_FOREVER"]


def test_short_iterations_keep_their_time():
    stage = VirtualRun(loop(500, delay(0.01)))
    stage.to_end(0.05)
    assert stage.ended == ("SUCCEEDED", 5.0)


def test_a_leap_of_the_clock_is_caught_up_with_in_bounded_ticks():
    stage = VirtualRun(loop(5000, delay(0.01)))
    stage.tick(0.0)
    ticks = 0
    while stage.ended is None:
        stage.tick(1e4)
        ticks += 1
        assert len(stage.run.take_events()) == 0  # VirtualRun has taken them
    assert 5 <= ticks <= 6  # 1000 iterations each
    assert stage.ended == ("SUCCEEDED", 50.0)


def test_skills_used_here_are_short_enough():
    assert all(info.min_s <= 0.3 for info in SKILLS.values())
