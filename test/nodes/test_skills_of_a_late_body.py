# SPDX-License-Identifier: Apache-2.0
"""A skill whose body is not (yet) in sight, or is killed, over real DDS."""

import subprocess
import sys
import time

import pytest
from waiting import GRAPH, spin_until

from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.launching.executables import mock_body
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.tree.runs import run_ports
from embodiment_bridge.nodes.tree.runs.run_ports import RosSkills

SHAKE = SkillRequest("1", "head_shake", slot_s=0.5)
WALK = SkillRequest("1", "step_forward", {"distance": 5.0})
NODE = "import sys; from embodiment_bridge.cli.command_line import main; sys.exit(main())"
SOON = 12.0  # s; it takes 2 to 3, and took 30 with the lease of the middleware


@pytest.fixture
def stage():
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


def test_body_that_comes_into_sight_a_moment_later_does_it(stage, monkeypatch):
    monkeypatch.setattr(run_ports, "BODY_WITHIN", GRAPH)
    runtime, skills = stage
    skills.start(SHAKE)
    assert skills.report(SHAKE.id).status is SkillStatus.RUNNING
    runtime.add(mock_body(context=runtime.context, namespace="/late"))
    found = outcome(runtime, skills)
    assert found.status is SkillStatus.SUCCEEDED, found.reason


def test_body_that_does_not_come_is_named(stage, monkeypatch):
    monkeypatch.setattr(run_ports, "BODY_WITHIN", 0.2)
    runtime, skills = stage
    skills.start(SHAKE)
    found = outcome(runtime, skills)
    assert found.status is SkillStatus.FAILED
    assert found.reason == "skill 'head_shake': no body offers execute_skill in this namespace"


def test_waiting_for_a_body_can_be_ended(stage):
    runtime, skills = stage
    skills.start(SHAKE)
    skills.cancel(SHAKE.id)
    assert outcome(runtime, skills).status is SkillStatus.CANCELED


@pytest.mark.fault("killed", body=("mock",), reaction="a skill of a body that was killed fails within 3 s")
def test_skill_of_a_body_that_is_killed_fails_soon(stage):
    runtime, skills = stage
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
