# SPDX-License-Identifier: Apache-2.0
"""A goal is followed to its end, whatever becomes of its server; one that is given up is not left running."""

from types import SimpleNamespace

import pytest
from action_msgs.msg import GoalStatus
from embodiment_bridge.action import ExecuteActionPlan, ExecuteBml
from goal_fakes import FakeServer
from rclpy.task import Future

from embodiment_bridge.nodes.base import goal_client
from embodiment_bridge.nodes.base.goal_client import DocumentClient, PlanClient
from embodiment_bridge.robot import runs
from embodiment_bridge.robot.runs import Run, Runs

NOT_KNOWN = f"the behaviour-tree node {goal_client.NOT_KNOWN}"


@pytest.fixture
def server(monkeypatch):
    return FakeServer(monkeypatch)


@pytest.fixture
def sent(server):
    ends = []
    sent = DocumentClient(server.node()).send(ExecuteBml.Goal(), on_end=ends.append)
    sent.ends = ends
    return sent


def test_goal_that_is_accepted_too_late_is_lost_and_canceled(server, sent):
    server.passes(goal_client.ANSWER_WITHIN - 0.2)
    assert sent.result is None
    server.passes(0.4)
    assert sent.lost == sent.result.reason == "the behaviour-tree node did not answer within 15 s"
    assert server.goal.cancels == 1  # the answer may be lost
    server.accepts()
    assert (server.goal.cancels, sent.answered, sent.ends) == (
        2,
        True,
        [sent],
    )  # the goal may have come later


def test_goal_that_is_accepted_in_time_is_not_canceled(server, sent):
    server.passes(goal_client.ANSWER_WITHIN - 0.2)
    server.accepts()
    server.passes(10.0)
    assert (sent.result, server.goal.cancels) == (None, 0)
    result = ExecuteBml.Result(outcome="SUCCEEDED")
    server.goal.ends(GoalStatus.STATUS_SUCCEEDED, result)
    assert (sent.result, sent.lost, sent.ends) == (result, "", [sent])


def test_goal_that_is_refused_is_not_lost(server, sent):
    server.answer.set_result(SimpleNamespace(accepted=False))
    assert (sent.result.outcome, sent.lost, sent.answered) == ("REJECTED", "", True)


def test_cancel_before_the_answer_is_done_after_it(server, sent):
    sent.cancel()
    assert server.goal.cancels == 0
    server.accepts()
    assert server.goal.cancels == 1


@pytest.mark.parametrize("accepted", [True, False])
def test_goal_of_a_server_that_is_gone_is_lost_within_a_second(server, sent, accepted):
    if accepted:
        server.accepts()
    server.passes(5.0)
    server.is_there = False
    server.passes(0.2)
    assert sent.result is None
    server.passes(0.4)
    assert (sent.result.outcome, sent.lost) == ("ERROR", "the behaviour-tree node is gone")
    if not accepted:
        server.accepts()
    assert server.goal.cancels == 1  # it may be there after all, and nobody follows the goal any more


@pytest.mark.parametrize("accepted", [True, False], ids=["accepted", "its acceptance was lost"])
def test_goal_that_was_given_up_is_canceled_when_its_server_is_seen_again(server, sent, accepted):
    if accepted:
        server.accepts()
    server.passes(1.0)
    server.is_there = False
    server.passes(60.0)
    assert sent.lost
    before = server.goal.cancels
    server.is_there = True
    server.passes(0.2)
    assert server.goal.cancels == before + 1
    server.passes(2.0 * goal_client.FIRST_S)
    assert server.goal.cancels > before + 1  # that question was lost, too
    before = server.goal.cancels
    server.answers_cancel("it")
    server.passes(60.0)
    assert (server.goal.cancels, sent.cancel_taken, server.looks) == (before, True, [])


def test_cancel_that_was_lost_is_asked_for_again_while_the_server_tells_of_the_goal(server, sent):
    server.accepts()
    sent.cancel()
    for _ in range(25):
        server.passes(0.2)
        server.tells(ExecuteBml.Feedback())
    assert 2 <= server.goal.cancels <= 4


def test_goals_that_were_given_up_are_not_kept_without_bound(server):
    client = DocumentClient(server.node())
    for _ in range(goal_client.MOST_LOST + 50):
        client.send(ExecuteBml.Goal())
    server.is_there = False
    server.passes(1.0)
    server.is_there = True
    server.passes(0.2)
    assert server.goal.cancels == goal_client.MOST_LOST


def test_server_that_tells_of_the_goal_is_not_gone(server, sent):
    server.accepts()
    server.is_there = False
    for _ in range(50):
        server.passes(0.2)
        server.tells(ExecuteBml.Feedback())
    assert sent.result is None


def test_server_that_is_out_of_sight_after_a_pause_of_the_client_is_not_gone(server, sent):
    server.accepts()
    server.passes(1.0)
    server.is_there = False
    server.now += 60.0  # the pause
    server.passes(1.0)
    server.is_there = True
    server.passes(10.0)
    assert sent.result is None
    server.is_there = False
    server.passes(1.0)
    assert sent.lost


def test_goal_that_is_sent_after_a_pause_does_not_hide_it(server):
    client = DocumentClient(server.node())
    first = client.send(ExecuteBml.Goal())
    server.accepts()
    server.passes(1.0)
    server.is_there = False
    server.now += 60.0  # the pause
    client.send(ExecuteBml.Goal())
    server.passes(1.0)
    assert first.result is None


def test_goals_that_are_sent_meanwhile_do_not_keep_a_lost_one(server):
    client = DocumentClient(server.node())
    first = client.send(ExecuteBml.Goal())
    server.is_there = False
    for _ in range(5):
        client.send(ExecuteBml.Goal())
        server.passes(0.2)
    assert first.lost


def test_feedback_is_told_once_the_goal_is_accepted_and_not_kept_when_it_is_lost(server):
    client, told = DocumentClient(server.node()), []
    client.send(ExecuteBml.Goal(), told.append)
    early, late = ExecuteBml.Feedback(elapsed=1.0), ExecuteBml.Feedback(elapsed=2.0)
    server.tells(early)
    assert told == []
    server.accepts()
    server.tells(late)
    assert told == [early, late]
    server.answer = Future()
    sent = client.send(ExecuteBml.Goal(), told.append)
    server.passes(goal_client.ANSWER_WITHIN + 0.2)
    server.tells(late)
    assert (bool(sent.lost), sent._early) == (True, [])
    server.accepts()
    assert told == [early, late]


def test_cancel_before_the_answer_is_sent_before_early_feedback_is_told(server):
    cancels = []
    sent = DocumentClient(server.node()).send(
        ExecuteBml.Goal(), lambda _: cancels.append(server.goal.cancels)
    )
    server.tells(ExecuteBml.Feedback())
    sent.cancel()
    server.accepts()
    assert cancels == [1]


def test_server_that_was_started_anew_says_so_soon(server, sent):
    server.accepts()
    for _ in range(5):
        server.passes(goal_client.FIRST_S - 0.2)
        server.tells(ExecuteBml.Feedback())
    assert server.goal.asked == 1
    server.passes(goal_client.FIRST_S + 0.2)
    assert server.goal.asked == 2
    server.goal.ends(GoalStatus.STATUS_UNKNOWN)
    assert (sent.result.outcome, sent.lost) == ("ERROR", NOT_KNOWN)


def test_goal_of_which_nothing_is_heard_for_an_hour_is_asked_for_seldom(server, sent):
    server.accepts()
    server.passes(3600.0)
    assert sent.result is None
    assert 100 < server.goal.asked < 130


def test_a_plan_that_is_lost_has_a_result(server):
    sent = PlanClient(server.node()).send(ExecuteActionPlan.Goal())
    server.accepts()
    server.goal.ends(GoalStatus.STATUS_UNKNOWN)
    assert (sent.result.outcome, sent.result.reason) == ("ERROR", NOT_KNOWN)


def test_a_run_that_is_lost_has_an_outcome(server, monkeypatch):
    quiet = SimpleNamespace(tell=lambda _: None, rest=lambda _: None)
    monkeypatch.setattr(runs, "KeepAlive", lambda *_: quiet)
    client, run = Runs(server.node(), "test"), Run("{}")
    client.send(run, "replace", 0, suspendable=False)
    assert run.run_id == ""
    server.accepts()
    assert len(run.run_id) == 8
    server.goal.ends(GoalStatus.STATUS_UNKNOWN)
    outcome = run.ended.result(0)
    assert (outcome.outcome, outcome.reason) == (runs.LOST, NOT_KNOWN)
    assert client.running == ()
