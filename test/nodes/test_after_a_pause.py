# SPDX-License-Identifier: Apache-2.0
"""After a pause of any length a run waits for its body as it does without one, although nothing ticked meanwhile."""

import pytest
from run_executor_stage import LAG_S, PerformerStage

CLIENT = "mcp/1.1"


@pytest.fixture
def stage(monkeypatch):
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


def veto(stage):
    stage.vetoed = True
    stage.run_executor.tick()


@pytest.mark.parametrize(
    "end",
    [
        lambda stage: stage.control("stop"),
        lambda stage: stage.run_executor.cancel(stage.runs["a"].goal),
        lambda stage: stage.run_executor.stop("the node was deactivated"),
        veto,
    ],
    ids=["stop", "cancel", "deactivate", "veto"],
)
def test_a_paused_run_ends_when_the_body_is_at_rest(stage, end):
    end(stage)
    stage.passes(0.1)
    assert (stage.state("a"), stage.told("a")) == ("STOPPING", [])
    stage.passes(LAG_S)
    assert (stage.told("a"), stage.warnings("a")) == (["CANCELED"], [])


@pytest.mark.parametrize("control", ["resume", "step"])
def test_the_clock_of_a_paused_run_waits_for_the_body_to_go_on(stage, control):
    elapsed = stage.runs["a"].run.clock.seconds
    stage.control(control)
    stage.passes(0.1)
    assert (stage.state("a"), stage.runs["a"].run.clock.seconds) == ("RESUMING", elapsed)
    stage.passes(LAG_S)
    assert (stage.state("a"), stage.warnings("a")) == ("RUNNING", [])


def test_a_run_of_a_client_that_stays_silent_ends_when_the_body_is_at_rest(monkeypatch):
    stage = PerformerStage(monkeypatch)
    stage.goal("a", source=CLIENT)
    stage.passes(0.5, heard=[CLIENT])
    stage.passes(5.0)
    assert stage.state("a") == "PAUSED"
    stage.gives_up()
    assert (stage.state("a"), stage.told("a")) == ("STOPPING", [])
    stage.passes(0.5)
    assert (stage.told("a"), stage.warnings("a")) == (["CANCELED"], [])


def test_what_is_vetoed_does_not_begin_anything_more(monkeypatch):
    stage = PerformerStage(monkeypatch)
    shake = {"type": "body", "action": "HEAD_SHAKE"}
    stage.goal("a", {"type": "sequence", "behaviors": [{"type": "delay", "duration": 0.52}, shake]})
    while stage.runs["a"].run.clock.seconds < 0.49:
        stage.passes(0.05)  # with the next tick the delay is over
    stage.vetoed = True
    stage.passes(0.5)
    assert stage.told("a") == ["CANCELED"]
    assert stage.started("a") == 0


def test_a_goal_that_was_canceled_while_it_waited_ends_no_other_run(monkeypatch):
    stage = PerformerStage(monkeypatch)
    stage.goal("a")
    stage.passes(0.5)
    assert stage.goal("b", canceled=True) == ""
    assert stage.told("b") == ["CANCELED"]
    stage.passes(0.5)
    assert (stage.state("a"), stage.told("b"), stage.warnings("a")) == ("RUNNING", ["CANCELED"], [])
