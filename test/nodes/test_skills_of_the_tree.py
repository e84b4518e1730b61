# SPDX-License-Identifier: Apache-2.0
"""A skill of the tree whose body is not in sight, gone, started anew or silent fails, and is canceled once."""

import subprocess
import sys
import time
from types import SimpleNamespace

import pytest
from action_msgs.msg import GoalStatus
from embodiment_bridge.action import ExecuteSkill
from goal_fakes import FakeServer
from waiting import GRAPH, spin_until

from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.launching.executables import mock_body
from embodiment_bridge.nodes.base import goal_client
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.runs import run_ports
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


WALK = SkillRequest("1", "step_forward", {"distance": 5.0})
NODE = "import sys; from embodiment_bridge.cli.command_line import main; sys.exit(main())"
SOON = 12.0  # s; it takes 2 to 3, and took 30 with the lease of the middleware


@pytest.fixture
def graph():
    with Runtime() as runtime:
        node = runtime.add(Watcher(context=runtime.context, namespace="/late"))
        skills = RosSkills(node)
        yield runtime, skills


def outcome(runtime, skills):
    last = []

    def ended():
        last.append(skills.report(SHAKE.id))
        return last[-1].status.ended

    spin_until(runtime, ended)
    return last[-1]


def test_body_that_comes_into_sight_a_moment_later_does_it(graph, monkeypatch):
    monkeypatch.setattr(run_ports, "BODY_WITHIN", GRAPH)
    runtime, skills = graph
    skills.start(SHAKE)
    assert skills.report(SHAKE.id).status is SkillStatus.RUNNING
    runtime.add(mock_body(context=runtime.context, namespace="/late"))
    found = outcome(runtime, skills)
    assert found.status is SkillStatus.SUCCEEDED, found.reason


def test_body_that_does_not_come_is_named(graph, monkeypatch):
    monkeypatch.setattr(run_ports, "BODY_WITHIN", 0.2)
    runtime, skills = graph
    skills.start(SHAKE)
    found = outcome(runtime, skills)
    assert found.status is SkillStatus.FAILED
    assert found.reason == "skill 'head_shake': no body offers execute_skill in this namespace"


def test_waiting_for_a_body_can_be_ended(graph):
    runtime, skills = graph
    skills.start(SHAKE)
    skills.cancel(SHAKE.id)
    assert outcome(runtime, skills).status is SkillStatus.CANCELED


@pytest.mark.fault("killed", body=("mock",), reaction="a skill of a body that was killed fails within 3 s")
def test_skill_of_a_body_that_is_killed_fails_soon(graph):
    runtime, skills = graph
    words = [sys.executable, "-c", NODE, "node", "mock_body", "--ros-args", "-r", "__ns:=/late"]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as body:
        try:
            skills.start(WALK)
            runtime.spin(lambda: skills.report(WALK.id).progress > 0.0)
        finally:
            body.kill()
    begun = time.monotonic()
    found = outcome(runtime, skills)
    assert (found.status, found.reason) == (SkillStatus.FAILED, "the body's node is gone")
    assert time.monotonic() - begun < SOON
