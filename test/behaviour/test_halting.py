# SPDX-License-Identifier: Apache-2.0
"""Halts: order, acknowledgement, deadline; and what a stop node ends: the whole run, or the nodes of a name."""

import pytest
from virtual_run import (
    Script,
    VirtualRun,
    body,
    box,
    delay,
    fail,
    forever,
    lines,
    loop,
    outcome,
    par,
    play,
    player,
    request,
    sel,
    seq,
    stop,
)

from embodiment_bridge.behaviour.engine.results import RunState
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualRequests
from embodiment_bridge.body.state import SkillStatus

THREE = ("HEAD_SHAKE", "WAIST_SHAKE", "EYE_RED")


def cancels(skills):
    return [call[1] for call in skills.calls if call[0] == "cancel"]


def starts(skills):
    return [call[1] for call in skills.calls if call[0] == "start"]


def test_running_siblings_are_halted_last_one_first():
    skills = Script()
    stage = VirtualRun(par(*[body(action) for action in THREE], delay(1), succeed_on_one=True), skills=skills)
    stage.to(1.0)
    assert cancels(skills) == ["eye_red", "waist_shake", "head_shake"]
    assert stage.ended == ("SUCCEEDED", 1.0)
    assert stage.seen("halted") == ["halted /2", "halted /1", "halted /0"]


def test_children_are_halted_before_their_parents():
    stage = VirtualRun(par(seq(par(body(), play())), delay(1), succeed_on_one=True), skills=Script())
    stage.to(1.0)
    assert stage.seen("halted") == ["halted /0/0/1", "halted /0/0/0", "halted /0/0", "halted /0"]


def test_a_parallel_waits_for_the_acknowledgement_and_then_the_next_begins():
    skills = Script()
    skills.obedient = False
    root = seq(par(body("HEAD_SHAKE"), delay(1), succeed_on_one=True), body("EYE_RED"))
    stage = VirtualRun(root, skills=skills)
    stage.to(1.7, step=0.1)
    assert cancels(skills) == ["head_shake"]
    assert starts(skills) == ["head_shake"]
    skills.end("head_shake", SkillStatus.CANCELED)
    stage.tick(1.8)
    assert starts(skills) == ["head_shake", "eye_red"]
    assert [e.t for e in stage.events if e.event == "success" and e.origin.pointer == "/0"] == [1.8]


def test_a_leaf_that_does_not_acknowledge_is_given_up_after_two_seconds():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(
        seq(par(body("HEAD_SHAKE"), delay(1), succeed_on_one=True), body("EYE_RED")), skills=skills
    )
    stage.to(2.9, step=0.1)
    assert starts(skills) == ["head_shake"]
    stage.to(3.1, step=0.1)
    assert starts(skills) == ["head_shake", "eye_red"]
    assert stage.run.warnings == ["/0/0: HALT_FORCED: did not acknowledge its halt within 2 s"]


def test_a_halted_node_is_not_ticked_again():
    skills = Script()
    stage = VirtualRun(seq(par(forever(body()), delay(1), succeed_on_one=True), delay(5)), skills=skills)
    stage.to(6.0)
    assert starts(skills) == ["head_shake"]
    assert stage.seen("start").count("start /0/0/0") == 1


def test_a_box_halts_what_overruns():
    skills = Script()
    stage = VirtualRun(seq(box(1, body("HEAD_SHAKE")), delay(1)), skills=skills)
    stage.to(1.0)
    assert cancels(skills) == ["head_shake"]
    stage.to(2.0)
    assert stage.ended == ("SUCCEEDED", 2.0)


def test_the_end_of_a_run_waits_for_rest():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(body(), skills=skills)
    stage.tick(0.0)
    stage.run.cancel("enough")
    assert stage.run.state is RunState.STOPPING
    assert stage.tick(0.5) is RunState.STOPPING
    skills.end("head_shake", SkillStatus.CANCELED)
    assert stage.tick(0.6) is RunState.ENDED
    assert stage.ended == ("CANCELED", 0.6)
    assert stage.run.ending.reason == "enough"


def test_a_run_that_cannot_come_to_rest_is_ended_by_the_deadline():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(par(body(), play()), skills=skills)
    stage.tick(0.0)
    stage.run.preempt()
    assert stage.tick(1.99) is RunState.STOPPING
    assert stage.tick(2.0) is RunState.ENDED
    assert stage.run.ending.outcome.value == "PREEMPTED"
    assert stage.run.warnings == ["/0: HALT_FORCED: did not acknowledge its halt within 2 s"]


def test_a_second_cancel_changes_nothing():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(body(), skills=skills)
    stage.tick(0.0)
    stage.run.cancel("first")
    stage.run.preempt("second")
    stage.tick(2.0)
    stage.run.cancel("third")
    assert stage.ended[0] == "CANCELED"
    assert stage.run.ending.reason == "first"
    assert cancels(skills) == ["head_shake"]


def test_canceling_while_a_parallel_waits_for_its_halt_asks_each_leaf_once():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(par(body(), delay(1), succeed_on_one=True), skills=skills)
    stage.to(1.0)
    stage.run.cancel()
    stage.tick(1.1)
    assert cancels(skills) == ["head_shake"]
    skills.end("head_shake", SkillStatus.CANCELED)
    assert stage.tick(1.2) is RunState.ENDED


def test_cancel_before_the_first_tick_starts_nothing():
    skills = Script()
    stage = VirtualRun(body(), skills=skills)
    stage.run.cancel()
    assert stage.ended == ("CANCELED", 0.0)
    assert stage.tick(1.0) is RunState.ENDED
    assert skills.calls == []


@pytest.mark.parametrize("ending", [delay(1), fail(1)])
def test_no_leaf_outlives_a_parallel(ending):
    stage = VirtualRun(par(play(), forever(body(slot=0.3)), ending, succeed_on_one=True))
    stage.to_end(0.1)
    assert stage.media.next_time() == stage.skills.next_time() == float("inf")


def test_a_stop_waits_for_rest_as_well():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(par(body(), seq(delay(1), stop())), skills=skills)
    assert stage.to(1.0) is RunState.STOPPING
    skills.end("head_shake", SkillStatus.CANCELED)
    stage.tick(1.3)
    assert stage.ended == ("STOPPED", 1.3)


@pytest.mark.parametrize(
    "root",
    [
        stop(),
        seq(stop(), delay(5)),
        seq(stop(), fail(0)),
        sel(stop(), delay(5)),
        loop(3, stop()),
        par(stop(), delay(5)),
        par(delay(5), fail(5), stop(), fail_on_all=True),
    ],
)
def test_without_target_the_whole_run_is_stopped(root):
    assert outcome(root) == ("STOPPED", 0.0)


def test_deep_inside_it_stops_everything():
    root = par(forever(body(slot=1)), play(), seq(delay(3), loop(2, seq(par(stop())))))
    assert outcome(root) == ("STOPPED", 3.0)


def test_nothing_after_the_stop_happens():
    skills = Script()
    stage = VirtualRun(seq(delay(1), stop(), player("stop"), body()), skills=skills)
    stage.to_end(0.5)
    assert skills.calls == []
    assert not [e for e in stage.events if e.origin.pointer in ("/2", "/3")]


def test_a_stop_at_the_very_end_of_its_parallel_still_stops():
    root = seq(par(delay(2), seq(delay(2), stop()), succeed_on_one=True), body())
    assert outcome(root) == ("STOPPED", 2.0)


def test_a_stop_that_a_late_tick_reaches_after_its_parallel_was_over_does_not():
    root = seq(par(delay(2), seq(delay(2.01), stop()), succeed_on_one=True), delay(1))
    stage = VirtualRun(root)
    stage.tick(0.0)
    stage.tick(2.05)
    assert stage.ended is None
    stage.tick(3.0)
    assert stage.ended == ("SUCCEEDED", 3.0)


def test_a_target_ends_with_success_and_what_follows_goes_on():
    root = seq(par(play(name="song"), seq(delay(2), stop("song"), delay(1))), delay(1))
    assert outcome(root) == ("SUCCEEDED", 4.0)


def test_a_target_that_would_fail_ends_with_success():
    root = seq(par(seq(delay(9), fail(0), name="doomed"), seq(delay(2), stop("doomed"))))
    assert outcome(root) == ("SUCCEEDED", 2.0)


def test_the_target_may_be_round_the_stop():
    root = seq(forever(seq(delay(1), delay(1), stop("break")), name="break"), delay(1))
    assert outcome(root) == ("SUCCEEDED", 3.0)


def test_a_target_leaf_ends_once_and_with_success():
    stage = VirtualRun(par(body(slot=9, name="act"), seq(delay(1), stop("act"))))
    stage.to_end(0.5)
    assert [e.event for e in stage.events if e.origin.name == "act"] == ["start", "success"]
    assert stage.ended == ("SUCCEEDED", 1.0)


def test_all_running_nodes_of_the_name_are_ended():
    root = par(*[delay(9, name="same")] * 3, seq(delay(1), stop("same")))
    assert outcome(root) == ("SUCCEEDED", 1.0)


def test_a_fetch_may_be_the_target():
    fetch = seq(request("http://cloud.example/slow"), name="fetch")
    stage = VirtualRun(par(fetch, seq(delay(0.1), stop("fetch"))), requests=VirtualRequests({}))
    stage.to_end(0.1)
    assert stage.ended == ("SUCCEEDED", 0.1)


def test_a_target_that_does_not_run_is_no_failure_but_a_warning():
    seen = lines(seq(delay(1, name="past"), stop("past"), delay(1)))
    assert seen[-1] == {"outcome": "SUCCEEDED", "t": 2.0}
    assert [line["code"] for line in seen if line.get("event") == "warning"] == ["NO_TARGET"]


def test_a_target_waits_for_rest():
    skills = Script()
    skills.obedient = False
    stage = VirtualRun(par(body(name="act"), seq(delay(1), stop("act"))), skills=skills)
    stage.to(1.5)
    assert stage.ended is None
    skills.end("head_shake")
    stage.tick(1.6)
    assert stage.ended == ("SUCCEEDED", 1.6)
