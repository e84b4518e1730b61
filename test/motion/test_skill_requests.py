# SPDX-License-Identifier: Apache-2.0
"""What a runner refuses, and that a refusal changes nothing."""

import math

import pytest
from motion_stage import SMALL, T1, MovedBody

from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.skills import skill_table

WRONG = [
    (SMALL, "nodd", {}, 0.0, r"unknown skill 'nodd'; did you mean 'nod'\? \(known: .*bow.*wave"),
    (SMALL, "NOD", {}, 0.0, "unknown skill 'NOD'"),
    (SMALL, "grab", {}, 0.0, "skill 'grab' is done by body 'small' itself"),
    (SMALL, "nod", {"far": 1.0}, 0.0, r"unknown parameter of skill 'nod' 'far' \(known: none\)"),
    (SMALL, "nod", {}, -1.0, "slot of skill 'nod' is -1.0 s, not within 0..86400 s"),
    (SMALL, "nod", {}, math.nan, "slot of skill 'nod' is nan s"),
    (SMALL, "nod", {}, math.inf, "slot of skill 'nod' is inf s"),
    (T1, "step_forward", {"distanse": 0.1}, 0.0, "'distanse'; did you mean 'distance'"),
    (
        T1,
        "step_forward",
        {"distance": 9.0},
        0.0,
        "'distance' of skill 'step_forward' is 9.0, not within 0.03..5 m",
    ),
    (T1, "step_forward", {"distance": math.nan}, 0.0, "is nan, not within"),
    (T1, "step_forward", {"distance": "far"}, 0.0, "is 'far', not within"),
    (T1, "walk", {"distance": 1.0, "speed": -0.1}, 0.0, "distance 1 m cannot be walked at speed -0.1 m/s"),
    (T1, "walk", {"distance": 1.0, "speed": 0.0}, 0.0, "cannot be walked at speed 0"),
]


@pytest.mark.parametrize(("body", "name", "parameters", "slot", "message"), WRONG)
def test_wrong_request_is_refused_and_disturbs_nothing(body, name, parameters, slot, message) -> None:
    stage = MovedBody(body, settle=1.2)
    running = stage.start("reset", 5.0)
    with pytest.raises(CommandError, match=message):
        stage.runner.start(SkillRequest("new", name, parameters, slot))
    stage.run(0.5)
    assert stage.status(running) is SkillStatus.RUNNING
    assert stage.last("new") is None


def test_number_given_as_text_is_a_number() -> None:
    MovedBody(T1).runner.start(SkillRequest("a", "step_forward", {"distance": "0.2"}))


def test_id_that_is_running_is_refused() -> None:
    stage = MovedBody()
    stage.runner.start(SkillRequest("a", "nod"))
    with pytest.raises(CommandError, match="a skill with id 'a' is running"):
        stage.runner.start(SkillRequest("a", "bow"))
    assert stage.finish("a").status is SkillStatus.SUCCEEDED
    stage.runner.start(SkillRequest("a", "bow"))


def test_requests_are_refused_while_nobody_takes_reports() -> None:
    runner = MovedBody().runner
    for number in range(skill_table.PENDING_LIMIT // 2):  # each start also replaces the one before
        runner.start(SkillRequest(str(number), "nod"))
    runner.start(SkillRequest("last", "nod"))
    with pytest.raises(CommandError, match="reports wait to be taken"):
        runner.start(SkillRequest("one too many", "nod"))
    assert len(runner.take_reports()) >= skill_table.PENDING_LIMIT
    runner.start(SkillRequest("now", "nod"))


@pytest.mark.parametrize(("forward", "turn"), [(math.nan, 0.0), (0.0, math.inf)])
def test_velocity_must_be_finite(forward: float, turn: float) -> None:
    with pytest.raises(CommandError, match="is not finite"):
        MovedBody(T1).runner.set_velocity(forward, turn)


def test_body_without_gait_takes_no_velocity() -> None:
    with pytest.raises(CommandError, match="body 'small' does not walk"):
        MovedBody().runner.set_velocity(0.1, 0.0)
