# SPDX-License-Identifier: Apache-2.0
"""How skills end, and how the node ends then."""

from dataclasses import replace

import pytest
from virtual_run import SKILLS, Foretold, Script, VirtualRun, body, delay, forever, par, seq

from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualSkills
from embodiment_bridge.bml.nodes.body import Body
from embodiment_bridge.bml.nodes.node import Document
from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError


@pytest.mark.parametrize(
    ("status", "expected", "reason", "warning"),
    [
        (SkillStatus.SUCCEEDED, "SUCCEEDED", "", ": REMARK: as foretold"),
        (SkillStatus.SKIPPED, "SUCCEEDED", "", ": SKIPPED: as foretold"),
        (SkillStatus.REPLACED, "SUCCEEDED", "", ": REPLACED: as foretold"),
        (SkillStatus.FAILED, "FAILED", "as foretold", None),
        (SkillStatus.CANCELED, "FAILED", "head_shake was canceled from outside: as foretold", None),
    ],
)
def test_each_status(status, expected, reason, warning):
    stage = VirtualRun(body(slot=1), skills=Foretold([status]))
    stage.to_end(0.25)
    assert stage.ended == (expected, 1.0)
    assert stage.run.ending.reason == reason
    assert stage.run.warnings == ([warning] if warning else [])


@pytest.mark.parametrize("status", [SkillStatus.SUCCEEDED, SkillStatus.SKIPPED, SkillStatus.REPLACED])
def test_an_early_end_keeps_the_slot(status):
    skills = Script()
    stage = VirtualRun(body(slot=2), skills=skills)
    stage.to(0.5)
    skills.end("head_shake", status)
    stage.to(1.9)
    assert stage.ended is None
    stage.tick(2.04)
    assert stage.ended == ("SUCCEEDED", 2.0)


@pytest.mark.parametrize("status", [SkillStatus.FAILED, SkillStatus.CANCELED])
def test_a_failure_is_one_at_once(status):
    skills = Script()
    stage = VirtualRun(body(slot=2), skills=skills)
    stage.to(0.5)
    skills.end("head_shake", status)
    stage.tick(0.6)
    assert stage.ended == ("FAILED", 0.6)


def test_what_the_body_is_asked_for():
    asked = []

    class Listening(Script):
        def start(self, request):
            asked.append(request)
            super().start(request)

    root = Body(pointer="", kind="emotion", action="HAPPY", duration_s=1.5, intensity=0.5)
    happy = replace(SKILLS["head_shake"], name="happy")
    stage = VirtualRun(Document(root), skills=Listening(), known={"happy": happy})
    stage.tick(0.0)
    assert asked == [SkillRequest("run/1", "happy", {"intensity": 0.5}, 1.5, "run")]


def test_ids_are_never_used_twice():
    ids = []

    class Listening(Foretold):
        def start(self, request):
            ids.append(request.id)
            super().start(request)

    stage = VirtualRun(
        par(forever(body("EYE_RED", 0.2)), forever(body(slot=0.3)), delay(3)), skills=Listening([])
    )
    stage.skills.statuses.extend([SkillStatus.SUCCEEDED] * 100)
    stage.to(2.9, step=0.1)
    assert len(ids) == len(set(ids)) > 20


def test_two_actions_on_one_channel():
    stage = VirtualRun(par(body("EYE_RED", 2), seq(delay(1), body("EYE_BLUE", 0.5))))
    stage.to_end(0.25)
    assert stage.ended == ("SUCCEEDED", 2.0)
    assert stage.run.warnings == ["/0: REPLACED: eye_blue took eye from eye_red"]


def test_loops_that_fight_for_a_channel_do_not_spin():
    stage = VirtualRun(par(forever(body("EYE_RED", 1)), forever(body("EYE_BLUE", 1))))
    stage.to(10.0, step=0.02)
    assert stage.seen("start").count("start /0/0") == 11


def test_a_body_that_refuses_is_a_failure_with_its_words():
    class Unwilling(Script):
        def start(self, request):
            raise CommandError("no body is there")

    stage = VirtualRun(body(), skills=Unwilling())
    stage.tick(0.0)
    assert stage.ended == ("FAILED", 0.0)
    assert stage.run.ending.reason == "no body is there"


class TestVirtualSkills:
    def test_length_is_the_slot_but_not_less_than_the_minimum(self):
        slow = replace(SKILLS["head_shake"], min_s=0.8, nominal_s=3.0)
        for slot, length in ((2.0, 2.0), (0.5, 0.8), (0.0, 3.0)):
            skills = VirtualSkills({"head_shake": slow})
            skills.start(SkillRequest("a", "head_shake", slot_s=slot))
            assert skills.next_time() == length

    def test_a_missing_channel_takes_exactly_its_slot(self):
        lacking = replace(SKILLS["head_shake"], min_s=0.8, available=False)
        skills = VirtualSkills({"head_shake": lacking})
        skills.start(SkillRequest("a", "head_shake", slot_s=0.5))
        skills.advance_to(0.5)
        assert skills.report("a").status is SkillStatus.SKIPPED

    def test_unknown_skill_and_unknown_request(self):
        skills = VirtualSkills({})
        skills.start(SkillRequest("a", "fly"))
        assert skills.report("a").reason == "this body has no skill 'fly'"
        assert skills.report("b").status is SkillStatus.FAILED
        skills.cancel("b")

    def test_hold_moves_the_end(self):
        skills = VirtualSkills(SKILLS)
        skills.start(SkillRequest("a", "head_shake", slot_s=1.0))
        skills.advance_to(0.25)
        skills.hold(True)
        skills.advance_to(5.0)
        assert skills.report("a").held
        assert skills.next_time() == float("inf")
        skills.hold(False)
        assert skills.next_time() == 5.75
