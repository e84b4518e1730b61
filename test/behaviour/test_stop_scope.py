# SPDX-License-Identifier: Apache-2.0
"""What a stop node ends: the whole run, or the nodes of a name."""

import pytest
from virtual_run import (
    Script,
    VirtualRun,
    body,
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

from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualRequests


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
