# SPDX-License-Identifier: Apache-2.0
"""Skills for a fallen body: from which side, in which time, and what when the body does not get up."""

from contextlib import suppress
from dataclasses import replace

import pytest
from motion_stage import HEIGHT, T1, T1_FILE, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.state import BodyState, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.motion.skills.fall import FallDetector
from embodiment_bridge.protocols.soccer.requests import Beaming

RISE = """
  rise:
    kind: motion
    channels: [legs]
    nominal_s: 1.0
    min_s: 1.0
    lying:
      front: [{at: 0.5, Left_Knee_Pitch: 1.0}, {at: 1.0, Left_Knee_Pitch: 0.5}]
      back: []
"""
FRONT, BACK, LOW = 1.5, -1.5, (0.0, 0.0, 0.15)


def body_with(skill: str):
    before, after = T1_FILE.read_text().split("\nskills:\n")
    return parse_body(f"{before}\nskills:\n{skill}{after}", "t1.yaml")


@pytest.fixture
def stage() -> MovedBody:
    return MovedBody(body_with(RISE))


def lay(stage: MovedBody, pitch: float) -> None:
    stage.state = replace(stage.state, base_position=LOW, pitch=pitch)
    stage.step()


def put_up(stage: MovedBody) -> None:
    stage.state = replace(stage.state, base_position=(0.0, 0.0, HEIGHT), pitch=0.0)


@pytest.mark.parametrize("slot", [0.0, 4.0])
def test_moves_while_fallen_and_succeeds_when_up(stage, slot) -> None:
    lay(stage, FRONT)
    rise = stage.start("rise", slot)
    stage.run(0.5)
    assert stage.angle("Left_Knee_Pitch") == pytest.approx(1.0, abs=0.05)
    put_up(stage)
    assert stage.finish(rise).status is SkillStatus.SUCCEEDED
    assert stage.runner.status == "standing"


def test_fails_when_the_body_still_lies(stage) -> None:
    lay(stage, FRONT)
    report = stage.finish(stage.start("rise"))
    assert (report.status, report.reason) == (SkillStatus.FAILED, "the body is still fallen")


def test_tries_again_before_it_fails(stage) -> None:
    lay(stage, FRONT)
    rise = stage.start("rise")
    stage.run(1.6)
    assert stage.angle("Left_Knee_Pitch") == pytest.approx(1.0, abs=0.1), (
        "the first keyframe of the second try"
    )
    put_up(stage)
    assert stage.finish(rise).status is SkillStatus.SUCCEEDED


def test_second_try_fails_where_it_lies_on_the_other_side(stage) -> None:
    lay(stage, FRONT)
    rise = stage.start("rise")
    stage.run(0.5)
    lay(stage, BACK)
    report = stage.finish(rise)
    assert report.status is SkillStatus.FAILED
    assert "no motion for a body that lies on its back" in report.reason


def test_canceled_one_is_not_tried_again(stage) -> None:
    lay(stage, FRONT)
    rise = stage.start("rise")
    stage.run(0.5)
    stage.runner.cancel(rise)
    stage.run(1.0)
    assert stage.status(rise) is SkillStatus.CANCELED


def test_side_without_motion_is_refused_at_once(stage) -> None:
    lay(stage, BACK)
    with pytest.raises(CommandError, match="no motion for a body that lies on its back"):
        stage.start("rise")


@pytest.mark.parametrize(
    ("pitch", "side"), [(1.5, "front"), (0.0, "front"), (-0.49, "front"), (-0.51, "back"), (-1.5, "back")]
)
def test_body_on_its_side_gets_up_as_from_its_front(pitch, side) -> None:
    detector, sensed = FallDetector(T1.fall), Sensed([0.0])
    position = (0.0,)
    sensed.update(BodyState(0.0, position, position, (0.0, 0.0, 0.2), 1.5, pitch, 0.0, has_base=True), 0.02)
    detector.update(sensed, 0.02)
    assert (detector.fallen, detector.side) == (True, side)


def test_fallen_body_is_put_elsewhere_and_its_get_up_replaced() -> None:
    sent: list[bool] = []
    runner = MotionRunner(T1, {"beam": lambda *_: Beaming(lambda: sent.append(True))})
    angles = tuple(joint.rest for joint in T1.joints)
    lying = BodyState(0.0, angles, angles, LOW, 0.0, FRONT, 0.0, has_base=True)
    for _ in range(10):
        runner.step(lying, 0.02)
    runner.start(SkillRequest("1", "get_up", {}, 0.0))
    runner.step(lying, 0.02)
    runner.start(SkillRequest("2", "beam", {"x": -5.0, "y": 1.0}, 0.0))
    for _ in range(200):
        runner.step(lying, 0.02)
    ends = {report.id: report.status for report in runner.take_reports() if report.status.ended}
    assert (runner.status, sent) == ("fallen", [True])
    assert ends == {"1": SkillStatus.REPLACED, "2": SkillStatus.SUCCEEDED}


def test_standing_body_has_nothing_to_do(stage) -> None:
    stage.track.clear()
    rise = stage.start("rise")
    assert stage.finish(rise).status is SkillStatus.SUCCEEDED
    assert max(abs(a - stage.angle("Left_Knee_Pitch")) for a in stage.angles("Left_Knee_Pitch")) < 0.02


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("      back: []\n", "", "lying.back: missing"),
        ("back: []", "side: []", "unknown key 'side'"),
        ("min_s: 1.0", "min_s: 0.1", "rise.min_s"),
        ("at: 1.0", "at: 0.9", "lying.front"),
        ("    lying:", "    keyframes: [{at: 1.0, Left_Knee_Pitch: 0.5}]\n    lying:", "rise.keyframes"),
        ("back: []", "back: 3", "lying.back"),
    ],
)
def test_bad_files_are_refused(old, new, text) -> None:
    with pytest.raises(ConfigError, match=text):
        body_with(RISE.replace(old, new))


def test_body_that_cannot_fall_has_no_such_skill() -> None:
    joint = "{channel: head, range: [-1, 1], velocity: 2, effort: 1, kp: 1, kd: 1}"
    small = f"body: b\nchannels: [head]\njoints:\n  a: {joint}\n"
    skill = "  up: {kind: motion, channels: [head], nominal_s: 2, min_s: 2, lying: {front: [], back: []}}\n"
    with pytest.raises(ConfigError, match=r"up\.lying"):
        parse_body(f"{small}skills:\n{skill}", "b.yaml")


def test_t1_says_what_it_can() -> None:
    assert set(T1.skills["get_up"].lying) == {"front", "back"}


def test_gets_up_by_itself_and_tries_again() -> None:
    stage = MovedBody(T1)
    stage.runner = MotionRunner(T1, auto_get_up=True)
    stage.run(2.0)
    assert not stage.reports
    lay(stage, BACK)
    stage.run(0.8)
    assert not stage.reports  # it may still roll over
    stage.run(0.5)
    assert stage.status("auto_get_up 1") is SkillStatus.RUNNING
    stage.run(3.0 * T1.skills["get_up"].nominal_s + 1.2)
    assert stage.status("auto_get_up 1") is SkillStatus.FAILED
    assert stage.status("auto_get_up 2") is SkillStatus.RUNNING
    put_up(stage)
    stage.run(5.0)
    assert stage.status("auto_get_up 2") is SkillStatus.SUCCEEDED
    assert stage.status("auto_get_up 3") is None


def test_does_not_get_up_by_itself_unless_told_to_nor_beside_a_client() -> None:
    stage = MovedBody(T1)
    lay(stage, BACK)
    stage.run(3.0)
    assert not stage.reports
    stage.runner = MotionRunner(T1, auto_get_up=True)
    stage.run(0.5)
    asked = stage.start("get_up")
    stage.run(2.0)
    assert {report.id for report in stage.reports} == {asked}


def test_what_cannot_be_done_lying_does_not_keep_it_down() -> None:
    stage = MovedBody(T1)
    stage.runner = MotionRunner(T1, auto_get_up=True)
    lay(stage, FRONT)
    for _ in range(6):
        tried = stage.start("step_forward")
        stage.run(0.5)
        assert stage.status(tried) is SkillStatus.FAILED
    assert stage.status("auto_get_up 1") is SkillStatus.RUNNING
    put_up(stage)
    assert stage.finish("auto_get_up 1").status is SkillStatus.SUCCEEDED


def test_a_hold_keeps_it_down() -> None:
    stage = MovedBody(T1)
    stage.runner = MotionRunner(T1, auto_get_up=True)
    stage.run(1.0)
    stage.runner.hold(True)
    lay(stage, FRONT)
    stage.run(3.0)
    assert not stage.reports
    stage.runner.hold(False)
    stage.run(1.5)
    assert stage.status("auto_get_up 1") is SkillStatus.RUNNING


def test_a_stop_keeps_it_down_until_something_is_asked() -> None:
    stage = MovedBody(T1)
    stage.runner = MotionRunner(T1, auto_get_up=True)
    stage.run(1.0)
    lay(stage, FRONT)
    stage.run(1.5)
    assert stage.status("auto_get_up 1") is SkillStatus.RUNNING
    stage.runner.stop()
    stage.run(4.0)
    assert stage.status("auto_get_up 1") is SkillStatus.CANCELED
    assert stage.status("auto_get_up 2") is None
    assert stage.runner.stopped
    for ask in (
        lambda: stage.start("step_forward"),
        lambda: stage.runner.set_velocity(0.2, 0.0),
        lambda: stage.runner.walk_to(1.0, 0.0, 0.0),
    ):
        stage.runner.stop()
        stage.run(2.0)
        begun = len(stage.reports)
        with suppress(CommandError):  # a fallen body does not walk, but it may get up for it
            ask()
        stage.run(1.5)
        assert any(report.id.startswith("auto_get_up") for report in stage.reports[begun:])


def test_a_side_without_a_motion_is_waited_out_by_a_body_that_gets_up_by_itself() -> None:
    get_up = T1.skills["get_up"]
    one_sided = replace(get_up, lying={**get_up.lying, "back": ()})
    body = replace(T1, skills={**T1.skills, "get_up": one_sided})
    stage = MovedBody(body)
    stage.runner = MotionRunner(body, auto_get_up=True)
    lay(stage, BACK)
    stage.run(3.0)
    assert stage.runner.status == "fallen"
    assert not stage.reports
    lay(stage, FRONT)
    stage.run(1.5)
    assert [report.status for report in stage.reports][:1] == [SkillStatus.RUNNING]
    assert stage.reports[0].id.startswith("auto_get_up")
