# SPDX-License-Identifier: Apache-2.0
"""A skill that the tree has given up is not left running: the body is asked to cancel it, also when it accepts late."""

from types import SimpleNamespace

import pytest
from action_msgs.msg import GoalStatus
from embodiment_bridge.action import ExecuteSkill
from rclpy.task import Future

from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.nodes.base import goal_result
from embodiment_bridge.nodes.tree.runs import ros_leaves
from embodiment_bridge.nodes.tree.runs.ros_leaves import RosSkills

SHAKE = SkillRequest("1", "head_shake", slot_s=0.5)


class Accepted:
    """The handle of a goal."""

    accepted = True

    def __init__(self):
        self.cancels, self.asked, self.result = 0, 0, Future()

    def get_result_async(self):
        self.asked += 1
        return self.result

    def cancel_goal_async(self):
        self.cancels += 1


class FakeClient:
    """A body whose answers are the test's."""

    def __init__(self, node, kind, name):
        self.is_there, self.answer = True, Future()

    def server_is_ready(self):
        return self.is_there

    def send_goal_async(self, goal, feedback_callback):
        self.feedback = feedback_callback
        return self.answer


@pytest.fixture
def stage(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(ros_leaves, "ActionClient", FakeClient)
    for module in (ros_leaves, goal_result):
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    skills = RosSkills(SimpleNamespace(create_client=lambda *_: None))
    skills.start(SHAKE)
    return clock, skills, skills._client, Accepted()


def test_acceptance_that_comes_too_late_is_canceled(stage):
    clock, skills, client, goal = stage
    clock[0] += ros_leaves.ANSWER_WITHIN + 0.1
    report = skills.report(SHAKE.id)
    assert (report.status, report.reason) == (SkillStatus.FAILED, "the body did not answer within 15 s")
    client.answer.set_result(goal)
    assert goal.cancels == 1


def test_acceptance_in_time_is_not_canceled(stage):
    clock, skills, client, goal = stage
    clock[0] += ros_leaves.ANSWER_WITHIN - 0.1
    assert skills.report(SHAKE.id).status is SkillStatus.RUNNING
    client.answer.set_result(goal)
    clock[0] += 10.0
    assert skills.report(SHAKE.id).status is SkillStatus.RUNNING
    result = ExecuteSkill.Result(status=ExecuteSkill.Result.SUCCEEDED)
    goal.result.set_result(SimpleNamespace(status=GoalStatus.STATUS_SUCCEEDED, result=result))
    assert skills.report(SHAKE.id).status is SkillStatus.SUCCEEDED
    assert goal.cancels == 0


@pytest.mark.parametrize("accepts_before", [True, False])
def test_body_that_was_out_of_sight_is_asked_to_cancel(stage, accepts_before):
    clock, skills, client, goal = stage
    if accepts_before:
        client.answer.set_result(goal)
    client.is_there = False
    clock[0] += ros_leaves.GONE_AFTER + 0.1
    report = skills.report(SHAKE.id)
    assert (report.status, report.reason) == (SkillStatus.FAILED, "the body's node is gone")
    if not accepts_before:
        client.answer.set_result(goal)
    assert goal.cancels == 1


def test_skill_that_is_canceled_before_it_is_accepted_is_canceled_once(stage):
    _, skills, client, goal = stage
    skills.cancel(SHAKE.id)
    skills.cancel(SHAKE.id)
    client.answer.set_result(goal)
    skills.cancel(SHAKE.id)
    assert goal.cancels == 1


def test_skill_of_a_body_that_was_started_anew_fails(stage):
    clock, skills, client, goal = stage
    client.answer.set_result(goal)
    for _ in range(5):
        clock[0] += goal_result.FIRST_S - 0.1
        client.feedback(SimpleNamespace(feedback=ExecuteSkill.Feedback(progress=0.5)))
        assert skills.report(SHAKE.id).status is SkillStatus.RUNNING
    assert goal.asked == 1
    clock[0] += goal_result.FIRST_S + 0.1
    assert skills.report(SHAKE.id).status is SkillStatus.RUNNING
    assert goal.asked == 2
    unknown = SimpleNamespace(status=GoalStatus.STATUS_UNKNOWN, result=ExecuteSkill.Result())
    goal.result.set_result(unknown)
    report = skills.report(SHAKE.id)
    assert (report.status, report.reason) == (
        SkillStatus.FAILED,
        "the body's node knows no result: it was started anew, or was asked for the result more than 10 s after "
        "the end",
    )


def test_a_skill_of_which_nothing_is_heard_for_an_hour_is_asked_for_seldom(stage):
    clock, skills, client, goal = stage
    client.answer.set_result(goal)
    for _ in range(3600):
        clock[0] += 1.0
        assert skills.report(SHAKE.id).status is SkillStatus.RUNNING
    assert 100 < goal.asked < 130
