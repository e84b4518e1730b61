# SPDX-License-Identifier: Apache-2.0
"""The clock of a run; pause and resume: the clock stands, body and sound freeze, nothing is lost."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_run import Script, VirtualRun, body, delay, forever, loop, par, play, player, seq

from embodiment_bridge.behaviour.engine.clock import RunClock
from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.core.errors import ConfigError

PERFORMANCE = par(seq(play(), delay(1)), loop(20, seq(body(slot=0.4), delay(0.6))))  # 21 s


@given(pauses=st.lists(st.tuples(st.floats(0.1, 5.0), st.floats(0.0, 50.0)), max_size=4))
@settings(max_examples=40, deadline=None)
def test_a_pause_of_any_length_costs_exactly_its_length(pauses):
    stage = VirtualRun(PERFORMANCE)
    stage.tick(0.0)
    paused = 0.0
    for run_for, pause_for in pauses:
        stage.to(stage.now + run_for, step=0.1)
        if stage.run.state is not RunState.RUNNING:
            break
        before = stage.run.clock.seconds
        assert stage.run.pause()
        stage.to(stage.now + pause_for, step=1.0)
        assert stage.run.clock.seconds == before
        assert stage.run.resume()
        stage.tick(stage.now)
        assert stage.run.state is RunState.RUNNING
        paused += pause_for
    stage.to_end(0.1)
    assert stage.run.ending.outcome.value == "SUCCEEDED"
    assert stage.run.ending.t == pytest.approx(21.0, abs=0.11)  # the song's end is seen, at a tick
    assert stage.now == pytest.approx(21.0 + paused, abs=0.22)


def test_scheduled_lengths_are_exact_across_a_pause():
    stage = VirtualRun(loop(10, delay(1)))
    stage.to(3.5)
    stage.run.pause()
    stage.to(9.75, step=0.3)
    stage.run.resume()
    assert stage.tick(9.75) is RunState.RUNNING
    stage.to_end(0.1)
    assert stage.ended == ("SUCCEEDED", 10.0)
    assert stage.now == pytest.approx(16.25, abs=0.11)


def test_states_and_ticks():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(body(), skills=skills)
    assert stage.run.state is RunState.LOADING
    assert not stage.run.pause()  # nothing is under way
    assert stage.tick(0.0) is RunState.RUNNING
    assert stage.run.needs_tick
    assert stage.run.pause()
    assert stage.run.state is RunState.PAUSING
    assert stage.tick(0.1) is RunState.PAUSING  # the body does not say that it holds
    skills.held = True
    assert stage.tick(0.2) is RunState.PAUSED
    assert not stage.run.needs_tick
    assert stage.run.pause()  # again: no effect
    assert stage.tick(100.0) is RunState.PAUSED
    assert stage.run.resume()
    assert stage.run.state is RunState.RESUMING
    stage.tick(100.1)
    assert stage.run.state is RunState.RUNNING
    assert stage.run.resume()
    assert [call for call in skills.calls if call[0] == "hold"] == [("hold", True), ("hold", False)]


def test_the_clock_waits_for_the_body_to_go_on():
    skills = Script()
    stage = VirtualRun(seq(body(slot=2), delay(1)), skills=skills)
    stage.to(1.0)
    stage.run.pause()
    stage.tick(1.1)
    stage.run.resume()
    skills.held = True  # it is slow
    assert stage.tick(1.5) is RunState.RESUMING
    assert stage.run.clock.seconds == 1.0
    skills.held = False
    assert stage.tick(1.6) is RunState.RUNNING
    stage.tick(1.7)
    assert stage.run.clock.seconds == pytest.approx(1.1)


def test_a_body_that_cannot_hold_is_not_waited_for_longer_than_a_second():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(body(), skills=skills)
    stage.tick(0.0)
    stage.run.pause()
    assert stage.tick(0.9) is RunState.PAUSING
    assert stage.tick(1.0) is RunState.PAUSED
    assert stage.run.warnings == [": HOLD_FORCED: did not hold within 1 s: "]


def test_pause_during_pausing_and_resuming():
    stage = VirtualRun(forever(body(slot=1)))
    stage.to(0.5)
    stage.run.pause()
    assert stage.run.resume()  # at once again
    stage.run.pause()
    stage.tick(0.6)
    assert stage.run.state is RunState.PAUSED
    assert stage.run.resume()
    assert stage.run.pause()
    assert stage.tick(0.7) is RunState.PAUSED


def test_a_song_that_the_document_paused_stays_paused():
    stage = VirtualRun(par(play(), seq(delay(1), player("pause"), delay(4), player("resume"))))
    stage.to(2.0)
    stage.run.pause()
    stage.to(3.0)
    stage.run.resume()
    stage.to(4.0)
    assert stage.media.next_time() == float("inf")
    stage.to_end(0.05)
    assert stage.ended[1] == pytest.approx(24.0, abs=0.06)  # 20 s of song, 4 s of the document's own pause


def test_nothing_starts_while_paused():
    skills = Script()
    stage = VirtualRun(seq(delay(1), body()), skills=skills)
    stage.to(0.9, step=0.1)
    stage.run.pause()
    stage.to(5.0)
    assert [call for call in skills.calls if call[0] == "start"] == []


def test_cancel_while_paused_releases_the_body():
    skills = Script()
    stage = VirtualRun(body(), skills=skills)
    stage.tick(0.0)
    stage.run.pause()
    stage.tick(0.1)
    stage.run.cancel()
    assert stage.ended == ("CANCELED", 0.0)
    assert skills.calls[-2:] == [("cancel", "head_shake"), ("hold", False)]


def test_neither_pause_nor_resume_after_the_end():
    stage = VirtualRun(delay(1))
    stage.to_end(0.5)
    assert not stage.run.pause()
    assert not stage.run.resume()
    assert not stage.run.needs_tick


def test_a_port_that_cannot_hold_is_reported():
    class Rigid(Script):
        def hold(self, on):
            raise RuntimeError("no brakes")

    stage = VirtualRun(par(body(), play()), skills=Rigid())
    stage.tick(0.0)
    assert stage.run.pause()
    assert stage.run.warnings == [": HOLD_FAILED: RuntimeError: no brakes"]
    stage.to(1.5)
    assert stage.run.state is RunState.PAUSED
    assert stage.media.next_time() == float("inf")  # the other port was asked all the same


OUTSIDE = st.floats(-1e6, 1e6)


def test_counts_from_the_first_outside_time_on():
    clock = RunClock()
    clock.advance_to(1000.0)
    assert clock.seconds == 0.0
    clock.advance_to(1002.5)
    assert clock.seconds == 2.5


def test_stands_still_while_frozen_and_goes_on_without_a_jump():
    clock = RunClock()
    for outside in (10.0, 12.0):
        clock.advance_to(outside)
    clock.freeze()
    for outside in (13.0, 500.0):
        clock.advance_to(outside)
        assert clock.seconds == 2.0
    clock.thaw()
    clock.advance_to(501.0)
    assert clock.seconds == 3.0


def test_an_outside_clock_that_jumps_back_counts_as_no_time():
    clock = RunClock()
    for outside in (100.0, 104.0, 3.0):
        clock.advance_to(outside)
    assert clock.seconds == 4.0
    clock.advance_to(5.0)
    assert clock.seconds == 6.0


@given(st.lists(OUTSIDE, min_size=1, max_size=20))
def test_never_goes_back(times):
    clock = RunClock()
    last = 0.0
    for outside in times:
        clock.advance_to(outside)
        assert clock.seconds >= last
        last = clock.seconds


@pytest.mark.parametrize("outside", [math.nan, math.inf, -math.inf])
def test_refuses_a_time_that_is_no_number(outside):
    clock = RunClock()
    with pytest.raises(ConfigError, match="outside time"):
        clock.advance_to(outside)


@pytest.mark.parametrize(("t", "due"), [(1.0, True), (1.0 + 5e-7, True), (1.0 + 1e-5, False), (0.0, True)])
def test_due_allows_for_the_noise_of_sums(t, due):
    clock = RunClock()
    clock.advance_to(0.0)
    clock.advance_to(1.0)
    assert clock.due(t) is due
