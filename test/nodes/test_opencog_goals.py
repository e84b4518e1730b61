# SPDX-License-Identifier: Apache-2.0
"""What an OAC and its feelings ask of a body is asked again where it is lost, and ends with plan, bridge and OAC."""

from types import SimpleNamespace

import pytest
from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.msg import ActionPlan as PlanMessage

from embodiment_bridge.nodes.opencog import opencog_feelings, opencog_plans
from embodiment_bridge.nodes.opencog.opencog_feelings import OpencogMood
from embodiment_bridge.nodes.opencog.opencog_plans import OpencogPlans, PlanWishes
from embodiment_bridge.protocols.opencog.world.feelings import rules_of
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
    plans.close("deactivated")
    assert sum(goal.canceled for goal in client.sent) <= 1


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


JOY = {"happiness": 0.9}
SKILLS = ("happy", "neutral")


class MoodTree:
    """A behaviour tree whose answers are the test's."""

    def __init__(self, *_):
        self.server_is_there, self.result, self.sent, self.canceled = True, None, [], 0
        MoodTree.newest = self

    def cancel(self):
        self.canceled += 1

    def send(self, document, **_):
        self.result = None
        self.sent.append(document)

    def end(self, outcome):
        self.result = SimpleNamespace(outcome=outcome)


@pytest.fixture
def shown(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(opencog_feelings, "BmlClient", MoodTree)
    monkeypatch.setattr(opencog_feelings, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    mood = OpencogMood(SimpleNamespace(), "", rules_of(["happiness=happy"]), 1.0, "test", print)

    def pass_s(seconds):
        for _ in range(round(2 * seconds)):
            clock[0] += 0.5
            mood.look_after(JOY, SKILLS)

    mood.look_after(JOY, SKILLS)
    assert len(MoodTree.newest.sent) == 1
    return MoodTree.newest, pass_s


def test_emotion_that_is_lost_is_asked_for_when_there_is_a_tree_again(shown):
    client, pass_s = shown
    client.server_is_there = False
    client.end("ERROR")
    pass_s(5.0)
    assert len(client.sent) == 1
    client.server_is_there = True
    pass_s(1.0)
    assert len(client.sent) == 2


def test_emotion_that_takes_long_is_waited_for(shown):
    client, pass_s = shown
    pass_s(20.0)
    assert len(client.sent) == 1
    client.end("SUCCEEDED")
    pass_s(10.0)
    assert len(client.sent) == 1  # it is shown


def test_emotion_that_is_asked_for_ends_with_what_asked(monkeypatch):
    monkeypatch.setattr(opencog_feelings, "BmlClient", MoodTree)
    mood = OpencogMood(SimpleNamespace(), "", rules_of(["happiness=happy"]), 1.0, "test", print)
    mood.close()
    assert MoodTree.newest.canceled == 0
    mood.look_after(JOY, SKILLS)
    mood.close()
    assert MoodTree.newest.canceled == 1
