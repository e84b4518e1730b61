# SPDX-License-Identifier: Apache-2.0
"""A run is paused by people, breakpoints and the watch on clients: each ends its own pause, and the body rests."""

import pytest
from run_executor_stage import DEAD_MAN, LAG_S, SHAKES, PerformerStage
from std_msgs.msg import String

from embodiment_bridge.mock.hardware import LAG_S as LAG_OF_BODY_S
from embodiment_bridge.motion.skills.holds import HOLD_S
from embodiment_bridge.nodes.base.services import HELD_ALREADY
from embodiment_bridge.nodes.body.keep_alive import CLIENT_S, LOOK_S, PER_LIMIT
from embodiment_bridge.nodes.tree.runs.run_controls import GONE_S, SHARE

CLIENT = "mcp/1.1"
AT_REST_WITHIN = 0.7  # s, promised in docs/language_model.md
WAITS = {"on_new": "queue"}
LONG_DELAY = {"type": "delay", "duration": 60}


@pytest.fixture
def stage(monkeypatch):
    made = PerformerStage(monkeypatch)
    made.passes(0.1)
    return made


def begin(stage, document=None, **wishes):
    """A run of a client that is heard."""
    assert stage.goal("a", document, source=CLIENT, **wishes) == ""
    stage.passes(0.5, heard=[CLIENT])


def silence(stage):
    stage.passes(1.0)
    assert stage.state("a") == "PAUSED"


def test_the_watch_ends_its_own_pause(stage):
    begin(stage)
    silence(stage)
    stage.passes(5.0)
    stage.passes(1.0, heard=[CLIENT])
    assert (stage.state("a"), stage.warnings("a")) == ("RUNNING", [])


def test_a_run_is_paused_early_enough_for_the_body_to_rest_in_time(stage):
    begin(stage)
    heard = stage.now
    while stage.state("a") == "RUNNING":
        stage.passes(LOOK_S)
        assert stage.now - heard < 10.0
    slowing_down = HOLD_S + 2.0 * LAG_OF_BODY_S
    assert stage.now - heard + slowing_down <= AT_REST_WITHIN


def test_a_client_of_which_three_of_four_signs_are_lost_is_not_paused(stage):
    begin(stage)
    period = CLIENT_S / PER_LIMIT
    assert SHARE * DEAD_MAN / period >= 5.0
    for _ in range(100):
        for _ in range(int(4.0 * period / LOOK_S)):
            stage.passes(LOOK_S)
        stage.node.hear(String(data=CLIENT))
        assert stage.state("a") == "RUNNING"


def test_a_pause_of_a_person_stays_when_the_client_was_silent_meanwhile(stage):
    begin(stage)
    assert stage.control("pause") == "pausing"
    silence(stage)
    stage.passes(1.0, heard=[CLIENT])
    assert stage.state("a") == "PAUSED"
    assert stage.control("resume") == "going on"
    stage.passes(1.0, heard=[CLIENT])
    assert stage.state("a") == "RUNNING"


@pytest.mark.parametrize("controls", [["pause"], ["resume", "pause"], ["step", "pause"]])
def test_a_person_who_pauses_during_the_silence_keeps_the_pause(stage, controls):
    begin(stage)
    silence(stage)
    for control in controls:
        stage.control(control)
    stage.passes(1.0, heard=[CLIENT])
    assert stage.state("a") == "PAUSED"


def test_a_breakpoint_stays_one_when_the_client_was_silent_meanwhile(stage):
    steps = {"type": "sequence", "behaviors": [{"type": "delay", "duration": 0.2}, SHAKES]}
    begin(stage, steps, breakpoints=["/behaviors/1"])
    silence(stage)
    stage.passes(1.0, heard=[CLIENT])
    assert stage.state("a") == "PAUSED"
    assert stage.control("resume") == "going on"
    stage.passes(1.0, heard=[CLIENT])
    assert stage.state("a") == "RUNNING"


def test_a_client_that_stays_silent_loses_its_run_and_the_next_one_begins(stage):
    begin(stage)
    assert stage.goal("b", **WAITS) == ""
    silence(stage)
    stage.passes(GONE_S)
    stage.gives_up()
    stage.passes(1.0)
    assert (stage.told("a"), stage.state("b")) == (["CANCELED"], "RUNNING")


@pytest.mark.parametrize("first", ["pause", "silence"])
def test_what_is_queued_does_not_begin_in_the_pause_of_a_person(stage, first):
    begin(stage)
    assert stage.goal("b", **WAITS) == ""
    if first == "silence":
        silence(stage)
    stage.control("pause")
    silence(stage)
    stage.gives_up()
    stage.passes(2.0)
    assert (stage.told("a"), stage.state("b")) == (["CANCELED"], "LOADING")
    assert stage.control("resume") == "going on"
    stage.passes(1.0)
    assert stage.state("b") == "RUNNING"


def test_at_a_breakpoint_nobody_has_to_resume_for_what_is_queued(stage):
    begin(stage, breakpoints=[""])
    assert stage.goal("b", **WAITS) == ""
    silence(stage)
    stage.gives_up()
    stage.passes(1.0)
    assert (stage.told("a"), stage.state("b")) == (["CANCELED"], "RUNNING")


@pytest.mark.parametrize("heard", [[], [CLIENT]])
def test_when_the_paused_run_is_canceled_the_next_one_begins(stage, heard):
    begin(stage)
    assert stage.goal("b", **WAITS) == ""
    silence(stage)
    stage.run_executor.cancel(stage.runs["a"].goal)
    stage.passes(1.0, heard)
    assert (stage.told("a"), stage.state("b")) == (["CANCELED"], "RUNNING")
    assert stage.goal("c") == ""
    stage.passes(1.0)
    assert stage.state("c") == "RUNNING"


@pytest.mark.parametrize("silent", [True, False])
def test_a_person_who_pauses_while_a_run_winds_down_keeps_the_next_one_from_beginning(stage, silent):
    begin(stage)
    assert stage.goal("b", **WAITS) == ""
    if silent:
        silence(stage)
    stage.run_executor.cancel(stage.runs["a"].goal)
    assert stage.control("pause") == (HELD_ALREADY if silent else "paused: nothing begins")
    stage.passes(1.0)
    assert (stage.told("a"), stage.state("b")) == (["CANCELED"], "LOADING")
    assert stage.control("resume") == "going on"
    stage.passes(1.0)
    assert stage.state("b") == "RUNNING"


def test_a_pause_of_a_person_outlasts_the_stop_of_everything(stage):
    begin(stage)
    stage.control("pause")
    stage.passes(1.0, heard=[CLIENT])
    assert stage.control("stop") == "stopping a; paused"
    stage.passes(1.0, heard=[CLIENT])
    assert stage.told("a") == ["CANCELED"]
    assert stage.control("stop") == "nothing runs; paused"
    assert stage.goal("b") == ""
    stage.passes(1.0)
    assert (stage.state("b"), stage.run_executor.diagnose()[0]) == ("LOADING", "idle, paused")
    assert stage.control("resume") == "going on"
    stage.passes(1.0)
    assert stage.state("b") == "RUNNING"


def test_a_pause_of_a_person_in_that_of_the_watch_stays_after_the_stop(stage):
    begin(stage)
    silence(stage)
    assert stage.control("pause") == HELD_ALREADY
    assert stage.control("stop") == "stopping a; paused"
    stage.passes(1.0)
    assert stage.control("stop") == "nothing runs; paused"


def test_a_pause_of_the_watch_ends_with_the_stop_of_everything(stage):
    begin(stage)
    silence(stage)
    assert stage.control("stop") == "stopping a"  # and no pause stays
    stage.passes(1.0)
    assert stage.control("stop") == "nothing runs"
    assert stage.goal("b") == ""
    stage.passes(1.0)
    assert (stage.told("a"), stage.state("b")) == (["CANCELED"], "RUNNING")


def test_a_pause_ends_with_the_deactivation_of_the_node(stage):
    stage.control("pause")
    stage.run_executor.stop("the node was deactivated")
    assert stage.goal("b") == ""
    stage.passes(1.0)
    assert stage.state("b") == "RUNNING"


def test_a_person_who_lets_a_run_go_on_during_the_silence_sees_it_canceled_later(stage):
    begin(stage)
    silence(stage)
    assert stage.control("resume") == "going on"
    stage.passes(1.0)
    assert stage.state("a") == "RUNNING"
    stage.gives_up()
    stage.passes(1.0)
    assert stage.told("a") == ["CANCELED"]


def test_a_run_that_ends_when_its_client_is_given_up_ends_as_it_does(stage):
    begin(stage, {"type": "delay", "duration": 1.0})
    silence(stage)
    assert stage.control("resume") == "going on"
    stage.now += 1.0  # no tick in between
    stage.gives_up()
    assert stage.told("a") == ["SUCCEEDED"]


def test_each_client_is_told_the_end_once(stage):
    begin(stage, LONG_DELAY)
    assert stage.goal("b", **WAITS) == ""
    silence(stage)
    assert "stopping" in stage.control("stop")
    assert (stage.told("a"), stage.told("b")) == (["CANCELED"], ["CANCELED"])


@pytest.fixture
def paused(monkeypatch):
    """A run that has been paused for a while; nobody looked at it."""
    made = PerformerStage(monkeypatch)
    made.goal("a")
    made.passes(0.5)
    assert made.control("pause") == "pausing"
    made.passes(0.5)
    assert made.state("a") == "PAUSED"
    assert made.goal("b", on_new="queue") == ""
    made.passes(5.0)
    return made


def veto(paused):
    paused.vetoed = True
    paused.run_executor.tick()


@pytest.mark.parametrize(
    "end",
    [
        lambda paused: paused.control("stop"),
        lambda paused: paused.run_executor.cancel(paused.runs["a"].goal),
        lambda paused: paused.run_executor.stop("the node was deactivated"),
        veto,
    ],
    ids=["stop", "cancel", "deactivate", "veto"],
)
def test_a_paused_run_ends_when_the_body_is_at_rest(paused, end):
    end(paused)
    paused.passes(0.1)
    assert (paused.state("a"), paused.told("a")) == ("STOPPING", [])
    paused.passes(LAG_S)
    assert (paused.told("a"), paused.warnings("a")) == (["CANCELED"], [])


@pytest.mark.parametrize("control", ["resume", "step"])
def test_the_clock_of_a_paused_run_waits_for_the_body_to_go_on(paused, control):
    elapsed = paused.runs["a"].run.clock.seconds
    paused.control(control)
    paused.passes(0.1)
    assert (paused.state("a"), paused.runs["a"].run.clock.seconds) == ("RESUMING", elapsed)
    paused.passes(LAG_S)
    assert (paused.state("a"), paused.warnings("a")) == ("RUNNING", [])


def test_a_run_of_a_client_that_stays_silent_ends_when_the_body_is_at_rest(monkeypatch):
    paused = PerformerStage(monkeypatch)
    paused.goal("a", source=CLIENT)
    paused.passes(0.5, heard=[CLIENT])
    paused.passes(5.0)
    assert paused.state("a") == "PAUSED"
    paused.gives_up()
    assert (paused.state("a"), paused.told("a")) == ("STOPPING", [])
    paused.passes(0.5)
    assert (paused.told("a"), paused.warnings("a")) == (["CANCELED"], [])


def test_what_is_vetoed_does_not_begin_anything_more(monkeypatch):
    paused = PerformerStage(monkeypatch)
    shake = {"type": "body", "action": "HEAD_SHAKE"}
    paused.goal("a", {"type": "sequence", "behaviors": [{"type": "delay", "duration": 0.52}, shake]})
    while paused.runs["a"].run.clock.seconds < 0.49:
        paused.passes(0.05)  # with the next tick the delay is over
    paused.vetoed = True
    paused.passes(0.5)
    assert paused.told("a") == ["CANCELED"]
    assert paused.started("a") == 0


def test_a_goal_that_was_canceled_while_it_waited_ends_no_other_run(monkeypatch):
    paused = PerformerStage(monkeypatch)
    paused.goal("a")
    paused.passes(0.5)
    assert paused.goal("b", canceled=True) == ""
    assert paused.told("b") == ["CANCELED"]
    paused.passes(0.5)
    assert (paused.state("a"), paused.told("b"), paused.warnings("a")) == ("RUNNING", ["CANCELED"], [])
