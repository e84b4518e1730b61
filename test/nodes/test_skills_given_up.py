# SPDX-License-Identifier: Apache-2.0
"""A skill of the tree fails when its body is gone, was started anew or does not answer, and is canceled once."""

from types import SimpleNamespace

import pytest
from action_msgs.msg import GoalStatus
from embodiment_bridge.action import ExecuteSkill
from goal_fakes import FakeServer

from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.nodes.base import goal_client
from embodiment_bridge.nodes.tree.runs.run_ports import RosSkills

SHAKE = SkillRequest("1", "head_shake", slot_s=0.5)


@pytest.fixture
def stage(monkeypatch):
    body = FakeServer(monkeypatch)
    skills = RosSkills(body.node(create_client=lambda *_: None))
    skills.start(SHAKE)
    return body, skills


def gone(body):
    body.accepts()
    body.is_there = False
    body.passes(1.0)


def anew(body):
    body.accepts()
    body.passes(goal_client.FIRST_S + 0.2)
    body.goal.ends(GoalStatus.STATUS_UNKNOWN, ExecuteSkill.Result())


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (gone, "the body's node is gone"),
        (anew, f"the body's node {goal_client.NOT_KNOWN}"),
        (lambda body: body.passes(16.0), "the body's node did not answer within 15 s"),
        (
            lambda body: body.answer.set_result(SimpleNamespace(accepted=False)),
            "the body's node refused the goal",
        ),
    ],
)
def test_skill_that_nobody_will_end_has_failed(stage, fault, reason):
    body, skills = stage
    assert skills.report(SHAKE.id).status is SkillStatus.RUNNING
    fault(body)
    report = skills.report(SHAKE.id)
    assert (report.status, report.reason) == (SkillStatus.FAILED, reason)


def test_progress_and_end_of_a_skill(stage):
    body, skills = stage
    body.accepts()
    body.tells(ExecuteSkill.Feedback(progress=0.5))
    assert skills.report(SHAKE.id).progress == 0.5
    body.goal.ends(GoalStatus.STATUS_SUCCEEDED, ExecuteSkill.Result(status=ExecuteSkill.Result.SUCCEEDED))
    assert skills.report(SHAKE.id).status is SkillStatus.SUCCEEDED
    assert body.goal.cancels == 0


def test_skill_that_is_canceled_before_it_is_accepted_is_canceled_once(stage):
    body, skills = stage
    skills.cancel(SHAKE.id)
    skills.cancel(SHAKE.id)
    body.accepts()
    skills.cancel(SHAKE.id)
    assert body.goal.cancels == 1
