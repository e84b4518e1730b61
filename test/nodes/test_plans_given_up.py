# SPDX-License-Identifier: Apache-2.0
"""A plan or run that its client has given up is not left running: it is canceled, also when it is accepted late."""

from types import SimpleNamespace

import pytest
from action_msgs.msg import GoalStatus
from embodiment_bridge.action import ExecuteActionPlan, ExecuteBml
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from embodiment_bridge.nodes.base import goal_result
from embodiment_bridge.nodes.tree import plan_client
from embodiment_bridge.nodes.tree.plan_client import PlanClient
from embodiment_bridge.robot import runs
from embodiment_bridge.robot.runs import Run, Runs


class Accepted:
    """The handle of a goal."""

    accepted = True
    goal_id = UUID()

    def __init__(self):
        self.cancels, self.asked, self.result = 0, 0, Future()

    def get_result_async(self):
        self.asked += 1
        return self.result

    def cancel_goal_async(self):
        self.cancels += 1
        return Future()


class FakeClient:
    """A behaviour tree whose answers are the test's."""

    def __init__(self, node, kind, name):
        self.is_there, self.answer = True, Future()

    def server_is_ready(self):
        return self.is_there

    def send_goal_async(self, goal, feedback_callback):
        return self.answer


@pytest.fixture
def clock(monkeypatch):
    made = [100.0]
    for module in (plan_client, runs):
        monkeypatch.setattr(module, "ActionClient", FakeClient)
    for module in (plan_client, runs, goal_result):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: made[0]))
    quiet = SimpleNamespace(tell=lambda _: None, rest=lambda _: None)
    monkeypatch.setattr(runs, "KeepAlive", lambda *_: quiet)
    return made


@pytest.fixture
def plan(clock):
    client = PlanClient(SimpleNamespace())
    return client, client.send(ExecuteActionPlan.Goal())


@pytest.fixture
def run(clock):
    client = Runs(SimpleNamespace(create_timer=lambda *_, **__: None), "test")
    made = Run("{}")
    client.send(made, "replace", 0)
    return client, made


def test_plan_that_is_accepted_too_late_is_canceled(clock, plan):
    client, sent = plan
    clock[0] += plan_client.ANSWER_WITHIN + 0.1
    client.look_after()
    assert (sent.result.outcome, sent.result.reason) == (
        "ERROR",
        "the behaviour-tree node did not answer within 15 s",
    )
    goal = Accepted()
    client._client.answer.set_result(goal)
    assert goal.cancels == 1


def test_plan_that_is_accepted_in_time_is_not_canceled(clock, plan):
    client, sent = plan
    clock[0] += plan_client.ANSWER_WITHIN - 0.1
    client.look_after()
    goal = Accepted()
    client._client.answer.set_result(goal)
    clock[0] += 10.0
    client.look_after()
    assert (sent.result, goal.cancels) == (None, 0)


def test_run_that_is_accepted_too_late_is_canceled(clock, run):
    client, made = run
    clock[0] += runs.ANSWER_WITHIN + 0.1
    client._look()
    assert made.ended.result(0).reason == "the behaviour-tree node did not answer within 15 s"
    goal = Accepted()
    client._client.answer.set_result(goal)
    assert goal.cancels == 1


def test_run_that_is_accepted_in_time_is_not_canceled(clock, run):
    client, made = run
    clock[0] += runs.ANSWER_WITHIN - 0.1
    client._look()
    goal = Accepted()
    client._client.answer.set_result(goal)
    clock[0] += 10.0
    client._look()
    assert (made.ended.done(), goal.cancels) == (False, 0)
    result = ExecuteBml.Result(outcome="SUCCEEDED")
    goal.result.set_result(SimpleNamespace(status=GoalStatus.STATUS_SUCCEEDED, result=result))
    assert made.ended.result(0).outcome == "SUCCEEDED"


@pytest.mark.parametrize("kind", ["plan", "run"])
def test_what_a_node_that_was_started_anew_does_not_know_has_ended(clock, plan, run, kind):
    client, sent = {"plan": plan, "run": run}[kind]
    look = client.look_after if kind == "plan" else client._look
    goal = Accepted()
    client._client.answer.set_result(goal)
    clock[0] += goal_result.FIRST_S + 0.1
    look()
    look()
    assert goal.asked == 2
    goal.result.set_result(SimpleNamespace(status=GoalStatus.STATUS_UNKNOWN, result=None))
    end = sent.result if kind == "plan" else sent.ended.result(0)
    assert end.outcome == ("ERROR" if kind == "plan" else runs.LOST)
    assert end.reason == f"the behaviour-tree node {goal_result.NOT_KNOWN}"
