# SPDX-License-Identifier: Apache-2.0
"""The queue between the executor and the thread that moves a body: what waits in it while the body is lost."""

from pathlib import Path

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.motion.runner import MotionRunner
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
