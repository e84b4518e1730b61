# SPDX-License-Identifier: Apache-2.0
"""The queue between the executor and the thread that moves a body: what waits in it while the body is lost."""

from dataclasses import replace
from pathlib import Path

import pytest

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.description import Skill
from embodiment_bridge.body.state import BodyState, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.motion.skills.native import Judging
from embodiment_bridge.nodes.body.skill_queue import TOO_LATE, SkillQueue

BODY = read_body(Path(__file__).parents[2] / "config/bodies/desk_humanoid.yaml")
REST = tuple(joint.rest for joint in BODY.joints)


def test_what_is_requested_while_the_body_is_lost_does_not_move_it_when_it_is_back() -> None:
    reports: list[SkillReport] = []
    refused: list[str] = []
    runner = MotionRunner(BODY)
    queue = SkillQueue(runner, reports.append)
    queue.step(BodyState(0.0, REST, REST))
    queue.lost("the link was lost")
    queue.start(SkillRequest("1", "head_shake"))
    queue.post(lambda runner: runner.drive(["head_yaw"], {"position": [0.5]}), refused.append)
    queue.ask(lambda runner: runner.stop(), lambda runner, state: True, refused.append)
    queue.hold(True)
    queue.joined()
    assert reports == [SkillReport("1", SkillStatus.FAILED, reason=TOO_LATE)]
    assert refused == [TOO_LATE]
    for count in range(50):
        queue.step(BodyState(0.02 * count, REST, REST))
    assert len(reports) == 1
    assert (runner.stopped, runner.held) == (True, True)


class Told(Judging):
    """A skill of which the body says at once how it ended."""

    def __init__(self, failure: str) -> None:
        super().__init__()
        self._told = failure

    def step(self, dt: float) -> None:
        self.done, self.failure = True, self._told


@pytest.mark.parametrize(
    ("told", "status"), [("", SkillStatus.SUCCEEDED), ("nothing is there", SkillStatus.FAILED)]
)
def test_what_the_body_has_told_counts_although_it_is_lost_before_the_slot_is_over(told, status) -> None:
    reports: list[SkillReport] = []
    grab = Skill("grab", "native", ("hand_r",), 1.0, 0.0)
    body = replace(BODY, skills={**BODY.skills, "grab": grab})
    queue = SkillQueue(MotionRunner(body, {"grab": lambda skill, values, slot: Told(told)}), reports.append)
    for number, name in enumerate(("grab", "head_shake")):
        queue.start(SkillRequest(str(number), name))
    for count in range(5):
        queue.step(BodyState(0.02 * count, REST, REST))
    queue.lost("the link was lost")
    ends = {report.id: (report.status, report.reason) for report in reports if report.status.ended}
    assert ends == {"0": (status, told), "1": (SkillStatus.FAILED, "the link was lost")}
