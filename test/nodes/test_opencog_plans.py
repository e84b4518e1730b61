# SPDX-License-Identifier: Apache-2.0
"""What an OAC has asked of its body ends with the plan, with the bridge, and with the OAC."""

from types import SimpleNamespace

import pytest
from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.msg import ActionPlan as PlanMessage

from embodiment_bridge.nodes.opencog import opencog_plans
from embodiment_bridge.nodes.opencog.opencog_plans import OpencogPlans, PlanWishes
from embodiment_bridge.protocols.opencog.xml.events import ActionPlan
from embodiment_bridge.protocols.opencog.xml.parts import PlanAction


class FakeClient:
    """A behaviour tree that runs whatever it is sent."""

    server_is_there = True

    def __init__(self):
        self.sent = []

    def send(self, goal, on_feedback=None, on_end=None):
        made = SimpleNamespace(
            canceled=False, result=None, end=lambda result: on_end(SimpleNamespace(result=result))
        )
        made.cancel = lambda: setattr(made, "canceled", True)
        self.sent.append(made)
        return made


@pytest.fixture
def stage():
    client, reports = FakeClient(), []
    return OpencogPlans(client, PlanWishes(), "test", reports.append, print), client, reports


def take(plans, name, sequence):
    plans.take(ActionPlan(name, "fido", "", (PlanAction("walk", sequence),)), PlanMessage())


def test_commands_are_canceled_with_the_bridge_and_with_the_oac(stage):
    plans, client, _ = stage
    for end in (lambda: plans.close("deactivated"), lambda: plans.forget(1)):
        plans.command(PlanMessage())
        plans.command(PlanMessage())
        end()
        assert [goal.canceled for goal in client.sent] == [True, True]
        client.sent.clear()


def test_command_that_has_ended_is_not_kept(stage):
    plans, client, _ = stage
    for _ in range(3):
        plans.command(PlanMessage())
        client.sent[-1].result = ExecuteActionPlan.Result(outcome="SUCCEEDED")
    assert len(plans._commands) <= 1


def test_actions_that_wait_behind_a_failed_one_of_their_plan_are_canceled(stage):
    plans, client, reports = stage
    take(plans, "4", 1)
    take(plans, "4", 2)
    first, second = client.sent
    first.end(ExecuteActionPlan.Result(outcome="FAILED", reason="it fell"))
    assert (reports[-1].sequence, reports[-1].reason) == (None, "it fell")
    assert (first.canceled, second.canceled) == (False, True)
    second.end(ExecuteActionPlan.Result(outcome="CANCELED"))
    assert len(reports) == 1


def test_actions_that_wait_for_a_tree_behind_one_that_was_given_up_are_over(stage, monkeypatch):
    plans, client, reports = stage
    clock = [100.0]
    monkeypatch.setattr(opencog_plans, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    client.server_is_there = False
    take(plans, "4", 1)
    clock[0] += 1.0
    take(plans, "4", 2)
    clock[0] += opencog_plans.SERVER_WITHIN - 0.5
    plans.look_after()
    assert [(report.sequence, report.status) for report in reports] == [(None, "error")]
    assert plans.running == 0
    client.server_is_there = True
    take(plans, "4", 1)
    assert len(client.sent) == 1
