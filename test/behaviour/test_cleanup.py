# SPDX-License-Identifier: Apache-2.0
"""A clean-up runs once, whatever the end was, and has two seconds."""

import pytest
from virtual_run import (
    ONE_ALL,
    Script,
    VirtualRun,
    body,
    box,
    delay,
    fail,
    forever,
    guard,
    lastly,
    lines,
    outcome,
    par,
    reactive,
    seq,
    stop,
    timeout,
)  # fmt: skip

from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.bml.nodes.leaves import Stop

CLEAN = delay(0.5, name="clean")


@pytest.mark.parametrize(
    ("root", "expected"),
    [
        (lastly(delay(1), CLEAN), ("SUCCEEDED", 1.5)),
        (lastly(fail(1), CLEAN), ("FAILED", 1.5)),
        (lastly(delay(1), fail(0.5)), ("SUCCEEDED", 1.5)),
        (lastly(delay(1), delay(9)), ("SUCCEEDED", 3.0)),
        (lastly(delay(1), forever(delay(0.3))), ("SUCCEEDED", 3.0)),
        (lastly(timeout(1, delay(9)), CLEAN), ("FAILED", 1.5)),
        (lastly(stop(), CLEAN), ("STOPPED", 0.5)),
        (par(lastly(delay(9), CLEAN), seq(delay(2), stop())), ("STOPPED", 2.5)),
        (par(lastly(delay(9), delay(5)), seq(delay(2), stop())), ("STOPPED", 4.0)),
        (par(lastly(delay(9), CLEAN), delay(2), **ONE_ALL), ("SUCCEEDED", 2.5)),
        (seq(timeout(2, lastly(delay(9), CLEAN))), ("FAILED", 2.5)),
        (seq(box(2, lastly(delay(9), CLEAN)), delay(1)), ("SUCCEEDED", 3.5)),
        (
            par(lastly(delay(9), CLEAN, name="a"), seq(delay(2), Stop(pointer="", target="a"))),
            ("SUCCEEDED", 2.5),
        ),
        (timeout(1, lastly(lastly(delay(9), CLEAN), CLEAN)), ("FAILED", 2.0)),
        (seq(guard("no", lastly(delay(1), CLEAN)), delay(1)), ("SUCCEEDED", 1.0)),
        (lastly(guard("no", delay(1)), CLEAN), ("SUCCEEDED", 0.5)),
    ],
)
def test_outcome(root, expected):
    assert outcome(root) == expected


@pytest.mark.parametrize("cut", [0.5, 1.0, 1.25])
def test_it_runs_once_whenever_it_is_cut(cut):
    seen = lines(par(lastly(delay(1), CLEAN), delay(cut), **ONE_ALL))
    assert [line["event"] for line in seen if line.get("name") == "clean"] == ["start", "success"]


def test_child_is_at_rest_before_the_clean_up_begins():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(timeout(1, lastly(body("HAND_ROLL"), body("RESET"))), skills=skills)
    stage.to(1.5)
    assert ("start", "reset", 0.0) not in skills.calls
    skills.end("hand_roll")
    stage.tick(2.0)
    assert skills.calls[-1] == ("start", "reset", 0.0)
    assert stage.run.ending is None
    skills.end("reset")
    stage.tick(2.5)
    assert stage.ended == ("FAILED", 2.5)


@pytest.mark.parametrize(("end", "outcome"), [("cancel", "CANCELED"), ("preempt", "PREEMPTED")])
def test_run_is_stopping_until_clean(end, outcome):
    stage = VirtualRun(lastly(forever(delay(1)), body("RESET", slot=1)))
    stage.to(3.25)
    getattr(stage.run, end)()
    assert stage.run.state is RunState.STOPPING
    stage.to_end(0.25)
    assert stage.ended == (outcome, 4.25)
    assert stage.seen("start").count("start /finally") == 1


def test_a_second_cancel_and_a_cancel_during_the_clean_up_change_nothing():
    stage = VirtualRun(lastly(delay(9), delay(1)))
    stage.to(1.0)
    stage.run.cancel()
    stage.tick(1.5)
    stage.run.cancel()
    stage.run.preempt()
    stage.to_end(0.5)
    assert stage.run.ending.outcome.value == "CANCELED"
    assert stage.ended[1] == 2.0
    assert stage.seen("start").count("start /finally") == 1


def test_cancel_while_the_clean_up_of_a_normal_end_runs_lets_it_finish():
    stage = VirtualRun(seq(lastly(delay(1), delay(1)), delay(9)))
    stage.to(1.5)
    stage.run.cancel()
    stage.to_end(0.25)
    assert stage.run.ending.outcome.value == "CANCELED"
    assert stage.seen("start").count("start /0/finally") == 1
    assert "success /0/finally" in stage.seen()


def test_cancel_during_a_pause_lets_the_body_go_for_the_clean_up():
    skills = Script()
    stage = VirtualRun(lastly(body(), body("RESET")), skills=skills)
    stage.tick(0.0)
    stage.run.pause()
    stage.tick(5.0)
    stage.run.cancel()
    assert skills.calls[-3:] == [("cancel", "head_shake"), ("hold", False), ("start", "reset", 0.0)]
    stage.tick(6.0)
    assert stage.run.state is RunState.STOPPING
    skills.end("reset")
    assert stage.tick(6.5) is RunState.ENDED


def test_a_clean_up_that_does_not_end_is_cut_off():
    skills = Script()
    stage = VirtualRun(timeout(1, lastly(body(), body("RESET"))), skills=skills)
    stage.to_end(0.25)
    assert stage.ended == ("FAILED", 3.0)
    assert skills.calls[-1] == ("cancel", "reset")
    assert any("FINALLY_CUT" in line for line in stage.run.warnings)


def test_a_body_that_never_rests_does_not_keep_the_clean_up_away():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(lastly(body(), body("RESET")), skills=skills)
    stage.tick(0.0)
    stage.run.cancel()
    end = stage.to_end(0.25)
    assert ("start", "reset", 0.0) in skills.calls
    assert end <= 6.5  # 2 s for the child, 2 s for the clean-up, 2 s for its own halt


def test_failure_of_the_clean_up_is_a_warning():
    stage = VirtualRun(lastly(delay(1), fail(0.5)))
    stage.to_end(0.25)
    assert any("FINALLY_FAILED" in line for line in stage.run.warnings)
    assert stage.ended == ("SUCCEEDED", 1.5)


def test_reactive_selector_waits_for_the_clean_up_of_the_lower_child():
    stage = VirtualRun(reactive(guard("alarm", delay(1)), lastly(delay(9), delay(1))))
    stage.to(2.0)
    stage.board.write("alarm", True)
    stage.to_end(0.25)
    assert stage.ended[0] == "SUCCEEDED"
    assert stage.ended[1] == 4.0


def test_loop_runs_it_once_for_each_execution():
    seen = lines(seq(par(forever(lastly(delay(1), delay(0.5))), delay(4), **ONE_ALL)))
    starts = [line["t"] for line in seen if line.get("event") == "start" and line["node"].endswith("finally")]
    assert starts == [1.0, 2.5, 4.0]


def test_a_halt_does_not_touch_a_clean_up_that_is_under_way():
    skills = Script()
    stage = VirtualRun(lastly(delay(1), body("RESET")), skills=skills)
    stage.to(1.5)
    stage.run.cancel()
    stage.tick(2.0)
    assert skills.calls == [("start", "reset", 0.0)]
    skills.end("reset")
    stage.tick(2.5)
    assert stage.run.ending.outcome.value == "CANCELED"
    assert skills.calls == [("start", "reset", 0.0)]


def test_a_slow_halt_and_a_slow_clean_up_have_their_time_one_after_the_other():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(lastly(body(), body("RESET")), skills=skills)
    stage.tick(0.0)
    stage.run.cancel()
    stage.to(1.5)
    skills.end("head_shake")
    stage.to(3.0)
    assert stage.run.state is RunState.STOPPING
    skills.end("reset")
    stage.tick(3.25)
    assert stage.run.ending.outcome.value == "CANCELED"
    assert not stage.run.warnings


def test_cancel_during_a_pause_lets_a_clean_up_that_was_under_way_go_on():
    stage = VirtualRun(lastly(delay(1), delay(1)))
    stage.to(1.5)
    stage.run.pause()
    stage.tick(5.0)
    stage.run.cancel()
    assert stage.tick(5.1) is RunState.STOPPING
    assert stage.tick(5.6) is RunState.ENDED
    assert "success /finally" in stage.seen()


def test_a_clean_up_that_is_over_waits_for_a_longer_one_beside_it():
    short = lastly(fail(0), delay(0.2))
    long = lastly(fail(0.1), delay(9))
    assert outcome(par(fail(0.1), box(1, long), seq(short))) == ("FAILED", 2.1)
