# SPDX-License-Identifier: Apache-2.0
"""A kick has moved the ball, a grab has the thing in the hand, or the skill fails; what is not seen is said."""

import math
import re
from dataclasses import replace

import pytest
from motion_stage import DT, SMALL, SMALL_FILE, T1, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.motion.skills.native import Judging, Native
from embodiment_bridge.scene.entities import Known, Sighting

SKILLS = """\
  kick:
    kind: native
    channels: [waist]
    nominal_s: 1.0
    min_s: 0.5
    parameters: {thing: {longest: 9}, towards: {longest: 9}, x: {range: [-9, 9]}, y: {range: [-9, 9]},
                 direction: {range: [-3, 3]}}
  drop: {kind: native, channels: [arm_r], nominal_s: 1.0, min_s: 0.5}
"""
TEXT = SMALL_FILE.replace("channels: [hand_l], nominal_s: 1.0", "channels: [arm_l], nominal_s: 1.0") + SKILLS
BODY = parse_body(TEXT, "small.yaml")
BY_KEYFRAMES = (
    "{kind: motion, channels: [arm_l], nominal_s: 1.0, min_s: 0.5, keyframes: [{at: 1.0, left: -0.5}]}\n"
)
KEYFRAMES = parse_body(SMALL_FILE + f"  kick: {BY_KEYFRAMES}", "small.yaml")
UNSEEN = "done as commanded; this body cannot see the result"
HELD, OTHERS = (("owner", "small"),), (("owner", "robin"),)
SUCCEEDED, FAILED = SkillStatus.SUCCEEDED, SkillStatus.FAILED


class Act(Native):
    """A native skill of a second that the body believes to be done."""

    def __init__(self, *_) -> None:
        super().__init__()

    def step(self, dt: float) -> None:
        self.progress = min(self.progress + dt, 1.0)
        self.done = self.progress == 1.0


class Answered(Act, Judging):
    """One whose body tells by itself what came of it."""


class Scene(MovedBody):
    """A body that sees things, which are elsewhere from a moment on."""

    def __init__(self, body=BODY, native=Act, **things: Sighting) -> None:
        self.seen = {id_: Known(thing, 0.0, None, True) for id_, thing in things.items()}
        self.looks = 0
        super().__init__(body)
        starts = dict.fromkeys(("kick", "grab", "drop"), native)
        self.runner = MotionRunner(body, starts, self.things)
        self.run(2.0)

    def things(self):
        self.looks += 1
        return self.seen

    def move(self, x: float, y: float, z: float = 0.1, visible: bool = True, owner=()) -> None:
        thing = replace(self.seen["ball"].sighting, position=(x, y, z), properties=owner)
        self.seen = {**self.seen, "ball": Known(thing, 0.0, None, visible)}

    def do(self, name: str, *changes, after: float = 0.7, **parameters):
        """Do a skill; ``after`` s from its begin the ball is moved. Its last report, and how long it took in s."""
        begun = self.state.time
        self.runner.start(SkillRequest(name, name, parameters))
        self.run(after)
        if changes:
            self.move(*changes)
        return self.finish(name), self.state.time - begun


def ball(x: float = 1.0, y: float = 0.0, z: float = 0.1, owner=()) -> Sighting:
    return Sighting("ball", "ball", (x, y, z), (0.2, 0.2, 0.2), owner)


@pytest.mark.parametrize("body", [BODY, KEYFRAMES], ids=["native", "keyframes"])
@pytest.mark.parametrize("after", [0.7, 2.5])
def test_a_kick_that_moves_the_ball_succeeds_when_that_is_seen(body, after) -> None:
    report, took = Scene(body, ball=ball()).do("kick", 1.2, 0.1, after=after)
    assert (report.status, report.reason) == (SUCCEEDED, "")
    assert took == pytest.approx(max(1.0, after), abs=0.1)


@pytest.mark.parametrize("body", [BODY, KEYFRAMES], ids=["native", "keyframes"])
def test_a_kick_that_misses_fails_after_two_seconds_with_the_place_of_the_ball(body) -> None:
    report, took = Scene(body, ball=ball()).do("kick", 1.05, 0.0)
    assert (report.status, report.reason) == (FAILED, "'ball' has not moved: it is at 1.05 0.00 m")
    assert took == pytest.approx(3.0, abs=0.1)


@pytest.mark.parametrize(
    "asked",
    [{"direction": 0.5 * math.pi}, {"x": 1.0, "y": 4.0}, {"towards": "goal"}],
    ids=["direction", "place", "thing"],
)
@pytest.mark.parametrize(
    ("goes", "text"),
    [
        ((1.1, 1.0), ""),
        ((1.3, 0.3), ""),
        ((2.0, 0.0), "'ball' went 1.00 m, 9[0-9] degrees to the right of the asked way, to 2.00 0.00 m"),
        ((0.0, 0.0), "'ball' went 1.00 m, 9[0-9] degrees to the left of the asked way, to 0.00 0.00 m"),
    ],
)
def test_a_kick_has_to_go_the_asked_way(asked, goes, text) -> None:
    goal = Sighting("goal", "goal", (1.0, 5.0, 0.5))
    report, _ = Scene(ball=ball(), goal=goal).do("kick", *goes, **asked)
    assert report.status is (FAILED if text else SUCCEEDED)
    assert re.fullmatch(text, report.reason)


@pytest.mark.parametrize(
    ("name", "before", "after", "text"),
    [
        ("grab", ball(), (1.0, 0.0, 0.1, True, HELD), ""),
        ("grab", ball(), (1.0, 0.0, 0.16), ""),
        ("grab", ball(), (0.9, 0.2, 0.1), "'ball' is not in the hand: it is at 0.90 0.20 0.10 m"),
        (
            "grab",
            ball(),
            (1.0, 0.0, 0.1, True, OTHERS),
            "'ball' is not in the hand: it is at 1.00 0.00 0.10 m",
        ),
        ("drop", ball(owner=HELD), (1.0, 0.0, 0.1), ""),
        ("drop", ball(owner=HELD), (1.0, 0.0, 0.5, True, HELD), "'ball' is still in the hand"),
    ],
)
def test_a_grab_has_it_in_the_hand_and_a_drop_no_longer(name, before, after, text) -> None:
    report, _ = Scene(ball=before).do(name, *after)
    assert (report.status, report.reason) == (FAILED if text else SUCCEEDED, text)


@pytest.mark.parametrize("name", ["kick", "grab", "drop"])
def test_a_body_without_eyes_says_at_once_that_it_cannot_see_the_result(name) -> None:
    report, took = Scene().do(name)
    assert (report.status, report.reason) == (SUCCEEDED, UNSEEN)
    assert took == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("name", ["kick", "grab"])
def test_a_thing_out_of_view_is_looked_for_and_then_said_to_be_unseen(name) -> None:
    report, took = Scene(ball=ball()).do(name, 1.0, 0.0, 0.1, False)
    assert (report.status, report.reason) == (SUCCEEDED, UNSEEN)
    assert took == pytest.approx(3.0, abs=0.1)


def test_a_ball_that_comes_into_view_again_is_judged_from_where_it_was_remembered() -> None:
    scene = Scene(ball=ball())
    scene.move(1.0, 0.0, visible=False)
    assert scene.do("kick", 2.0, 0.0, after=2.0)[0].reason == ""


def test_a_ball_that_rolled_before_the_skill_began_to_move_was_not_kicked() -> None:
    scene = Scene(KEYFRAMES, ball=ball())
    scene.runner.start(SkillRequest("kick", "kick", {}))
    scene.move(3.0, 0.0)
    assert scene.finish("kick").status is FAILED


def test_a_hold_lets_no_time_pass_for_the_look_and_a_cancel_ends_it() -> None:
    scene = Scene(ball=ball())
    scene.runner.start(SkillRequest("kick", "kick", {}))
    scene.run(1.5)
    scene.runner.hold(True)
    scene.run(5.0)
    assert not scene.last("kick").status.ended
    scene.runner.hold(False)
    scene.run(0.5)
    assert not scene.last("kick").status.ended
    scene.runner.cancel("kick")
    scene.run(2 * DT)
    assert scene.status("kick") is SkillStatus.CANCELED


def test_what_the_body_is_told_by_itself_is_not_judged_again() -> None:
    report, took = Scene(native=Answered, ball=ball()).do("grab")
    assert (report.status, report.reason) == (SUCCEEDED, "")
    assert took == pytest.approx(1.0, abs=0.1)


def test_other_skills_ask_for_no_things() -> None:
    scene = Scene(ball=ball())
    looks = scene.looks
    scene.do("nod")
    assert scene.looks == looks


class Stiff(MovedBody):
    """A body of which a joint stays where it is, or is not sensed."""

    def __init__(self, joint: str, angle: float | None = None, body=SMALL) -> None:
        self.stuck: dict[str, float] = {}
        super().__init__(body)
        self.stuck[joint] = self.angle(joint) if angle is None else angle

    def step(self, dt: float = DT):
        targets = super().step(dt)
        position = list(self.state.position)
        for joint, angle in self.stuck.items():
            position[self.index[joint]] = angle
        self.state = replace(self.state, position=tuple(position))
        return targets


def test_a_motion_of_which_a_joint_does_not_arrive_fails_after_a_second_with_joint_and_angles() -> None:
    body = Stiff("yaw")
    begun = body.state.time
    report = body.finish(body.start("look"))
    assert (report.status, report.reason) == (FAILED, "yaw is at 0.00 rad, not at 0.80")
    assert body.state.time - begun == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize(
    ("judged", "ends"), [(True, (FAILED, "yaw is at 0.00 rad, not at 0.80")), (False, (SUCCEEDED, ""))]
)
def test_points_of_which_a_joint_does_not_arrive_fail_unless_the_client_looks_himself(judged, ends) -> None:
    body = Stiff("yaw")
    report = body.finish(body.runner.follow(["yaw"], [TrajectoryPoint(1.0, (0.8,))], judged=judged))
    assert (report.status, report.reason) == ends


def test_a_joint_that_comes_late_is_waited_for_and_one_that_sags_a_little_counts() -> None:
    late = Stiff("yaw")
    look = late.start("look")
    late.run(1.5)
    assert not late.last(look).status.ended
    late.stuck.clear()
    late.run(2 * DT)
    assert (late.last(look).status, late.last(look).reason) == (SUCCEEDED, "")
    sagging = Stiff("yaw", 0.65)
    assert sagging.finish(sagging.start("look")).status is SUCCEEDED


def test_a_joint_that_is_not_sensed_is_moved_as_commanded_and_that_is_said() -> None:
    body = Stiff("yaw", math.nan)
    report = body.finish(body.start("look"))
    assert (report.status, report.reason) == (SUCCEEDED, UNSEEN)


def test_fingers_that_a_thing_stops_have_gripped_and_say_where() -> None:
    text = SMALL_FILE.replace("left: {channel: arm_l,", "left: {channel: hand_l,")
    text = text.replace("lift: {kind: motion, channels: [arm_l]", "lift: {kind: motion, channels: [hand_l]")
    text = text.replace(
        "channels: [head, waist, arm_l, arm_r]\njoints", "channels: [head, waist, hand_l, arm_r]\njoints"
    )
    text = text.replace("[arm_l, arm_r]", "[hand_l, arm_r]").replace(
        "[head, waist, arm_l, arm_r]", "[hand_l]"
    )
    body = Stiff("left", body=parse_body(text, "small.yaml"))
    report = body.finish(body.start("lift"))
    assert (report.status, report.reason) == (SUCCEEDED, "left is at 0.00 rad, not at -0.50")


def test_a_canceled_motion_does_not_wait_for_a_joint_that_is_stuck() -> None:
    body = Stiff("yaw")
    look = body.start("look")
    body.run(1.2)
    body.runner.cancel(look)
    assert body.finish(look).status is SkillStatus.CANCELED


def lost(body: MovedBody) -> None:
    """From now on the body does not know where it is."""
    body.state = replace(body.state, has_base=False)
    body.run(1.0)


def test_a_walk_without_a_pose_is_done_as_commanded_and_that_is_said() -> None:
    body = MovedBody(T1)
    assert body.finish(body.start("walk", duration=1.0)).reason == ""
    lost(body)
    report = body.finish(body.start("walk", duration=1.0))
    assert (report.status, report.reason) == (SUCCEEDED, UNSEEN)
    assert body.finish(body.start("get_up")).reason == UNSEEN


@pytest.mark.parametrize("name", ["kick", "step_forward"])
@pytest.mark.parametrize("falls", [False, True])
def test_a_body_that_still_sways_is_waited_for_up_to_a_second_and_its_fall_fails_the_skill(
    name, falls
) -> None:
    body = MovedBody(T1)
    body.finish(body.start(name))
    usual = body.state.time
    body = MovedBody(T1)
    skill = body.start(name)
    body.state = replace(body.state, base_rates=(0.0, 0.6, 0.0))
    body.run(usual - body.state.time + 0.5)
    assert not body.last(skill).status.ended
    if falls:
        body.state = replace(body.state, pitch=1.5)
    report = body.finish(skill, limit=1.0)
    assert (report.status, report.reason) == ((FAILED, "fallen") if falls else (SUCCEEDED, report.reason))


def test_a_body_that_stands_still_does_not_wait() -> None:
    body = MovedBody(T1)
    kick = body.start("kick")
    body.finish(kick)
    swayed = MovedBody(T1)
    kick = swayed.start("kick")
    swayed.state = replace(swayed.state, base_rates=(0.0, 0.6, 0.0))
    swayed.finish(kick)
    assert swayed.state.time - body.state.time == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize(
    ("after", "told"), [(0.6, "fallen 0.6 s after the end of 'step_forward'"), (4.0, "")]
)
def test_a_fall_soon_after_a_motion_names_the_motion(after: float, told: str) -> None:
    body = MovedBody(T1)
    body.finish(body.start("step_forward"))
    body.run(after)
    upright = body.state
    body.state = replace(body.state, pitch=1.5)
    body.run(DT)
    assert (body.runner.status, body.runner.remark) == ("fallen", told)
    body.state = replace(body.state, pitch=upright.pitch)
    body.run(3.0)
    assert body.runner.remark == ""
