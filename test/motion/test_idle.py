# SPDX-License-Identifier: Apache-2.0
"""A body with nothing to do breathes and looks around; it is still when held, stopped, fallen or busy."""

import itertools
import math
from dataclasses import replace
from typing import NamedTuple

import pytest
from motion_stage import HEIGHT, T1, T1_FILE, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.stance import UPRIGHT
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.motion.runner import MotionRunner

ROLL, KNEE, HIP_ROLL = "Left_Shoulder_Roll", "Left_Knee_Pitch", "Left_Hip_Roll"
YAW, PITCH = "AAHead_yaw", "Head_pitch"
LIVELY_S = 14.0  # s: longer than a shift of the weight


class Seen(NamedTuple):
    kind: str
    position: tuple[float, float, float]
    size: tuple[float, float, float] = (0.1, 0.1, 0.1)


def alive(things=None, body: BodyDescription = T1, *, idle: bool = True) -> MovedBody:
    stage = MovedBody(body)
    stage.runner = MotionRunner(body, {}, lambda: things or {}, idle=idle)
    stage.run(2.5)
    stage.track.clear()
    return stage


def moves(stage: MovedBody, joint: str, seconds: float = LIVELY_S) -> float:
    """How far a joint moves to and fro, rad."""
    stage.track.clear()
    stage.run(seconds)
    return max(stage.angles(joint)) - min(stage.angles(joint))


def test_it_breathes_shifts_its_weight_and_looks_around() -> None:
    stage = alive()
    stage.run(3.0)
    assert moves(stage, ROLL) > 0.03
    assert moves(stage, KNEE) > 0.02
    assert moves(stage, HIP_ROLL) > 0.05
    assert moves(stage, YAW) > 0.1
    assert stage.runner.status == "standing"


def test_nothing_jumps() -> None:
    stage = alive({"ball": Seen("ball", (1.0, 0.5, 0.1))})
    stage.run(9.0)
    stage.start("head_shake")
    stage.start("hand_pitch")
    stage.run(4.0)
    stage.start("walk", distance=0.4)
    stage.run(8.0)
    upper = [joint for joint in T1.joints if joint.channel != "legs"]
    for joint in upper:
        angles = stage.angles(joint.name)
        fastest = max(abs(b - a) for a, b in itertools.pairwise(angles))
        assert fastest < 0.02 * joint.velocity - 1e-6, joint.name


@pytest.mark.parametrize("off", ["no parameter", "not in the file"])
def test_it_is_still_unless_asked(off: str) -> None:
    stage = alive(body=replace(T1, idle=None)) if off == "not in the file" else alive(idle=False)
    assert [moves(stage, joint) for joint in (ROLL, KNEE, YAW)] == pytest.approx([0.0] * 3, abs=1e-9)


@pytest.mark.parametrize("source", ["", "somebody"])
def test_a_hold_keeps_it_still(source: str) -> None:
    stage = alive()
    stage.run(7.0)
    stage.runner.hold(True, source)
    stage.run(0.5)
    assert [moves(stage, joint) for joint in (ROLL, KNEE, YAW)] == pytest.approx([0.0] * 3, abs=1e-9)
    stage.runner.hold(False, source)
    assert moves(stage, ROLL) > 0.03


def test_who_walks_while_another_one_is_held_does_so_without_the_idle_stance_and_stays_so() -> None:
    stage = alive()
    stage.run(8.0)
    legs = stage.runner._legs
    stage.runner.hold(True, "somebody")
    stage.run(0.5)
    assert legs._idle.sway != 0.0
    walk = stage.start("walk", distance=0.4)
    stage.run(1.0)
    assert stage.runner.status == "walking"
    assert legs._idle == UPRIGHT
    stage.finish(walk)
    stage.run(6.0)
    assert legs._idle == UPRIGHT  # it is to be still
    stage.runner.hold(False, "somebody")
    stage.run(2.5)
    assert legs._idle == UPRIGHT
    stage.run(4.0)
    assert legs._idle != UPRIGHT


@pytest.mark.parametrize("busy", ["", "head_shake", "walk"])
def test_a_stop_keeps_it_still_until_something_is_asked(busy: str) -> None:
    stage = alive()
    stage.run(7.0)
    if busy:
        stage.start(busy)
        stage.run(1.0)
    stage.runner.stop()
    stage.run(2.0)  # what ran comes to rest, and has its channels until then
    assert [moves(stage, joint) for joint in (ROLL, KNEE, YAW)] == pytest.approx([0.0] * 3, abs=1e-9)
    stage.finish(stage.start("waist_shake"))
    stage.run(4.0)
    assert moves(stage, ROLL) > 0.03


def test_a_fallen_body_is_still() -> None:
    stage = alive()
    stage.run(7.0)
    stage.state = replace(stage.state, pitch=1.5, base_position=(0.0, 0.0, 0.1))
    stage.run(2.0)
    assert stage.runner.status == "fallen"
    assert [moves(stage, joint) for joint in (ROLL, YAW)] == pytest.approx([0.0] * 2, abs=1e-9)


def test_a_skill_has_its_channel_for_itself() -> None:
    stage, still = alive(), alive(idle=False)
    for one in (stage, still):
        one.run(8.0)
        one.start("hand_pitch", 6.0)
        one.run(0.5)
        one.track.clear()
        one.run(5.0)
    assert stage.angles("Right_Shoulder_Pitch") == pytest.approx(
        still.angles("Right_Shoulder_Pitch"), abs=0.01
    )


def test_a_head_that_a_skill_left_somewhere_stays_there() -> None:
    stage = alive()
    stage.finish(stage.start("disgusted"))
    stage.run(0.5)
    assert moves(stage, YAW) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(("x", "y", "yaw"), [(2.0, 1.0, 0.4636), (1.0, -1.0, -0.7854), (-2.0, 0.1, None)])
def test_it_looks_at_the_ball_before_it(x: float, y: float, yaw: float | None) -> None:
    stage = alive({"ball": Seen("ball", (x, y, 0.1))})
    stage.run(7.0)
    if yaw is None:
        assert abs(stage.angle(YAW)) < 0.35
        return
    assert stage.angle(YAW) == pytest.approx(yaw, abs=0.02)
    eye = HEIGHT + T1.idle.gaze.height
    assert stage.angle(PITCH) == pytest.approx(math.atan2(eye - 0.1, math.hypot(x, y)), abs=0.02)


def test_it_looks_at_who_speaks_for_a_while_rather_than_at_the_ball() -> None:
    stage = alive({"ball": Seen("ball", (2.0, 1.0, 0.1))})
    stage.run(7.0)
    stage.runner.hear(-1.0)
    stage.run(3.0)
    assert stage.angle(YAW) == pytest.approx(-1.0, abs=0.02)
    stage.run(5.0)
    assert stage.angle(YAW) == pytest.approx(0.4636, abs=0.02)


def test_a_voice_that_the_head_has_heard_is_beside_where_the_head_faces() -> None:
    stage = alive({"ball": Seen("ball", (2.0, 1.0, 0.1))})
    stage.run(7.0)
    assert stage.angle(YAW) == pytest.approx(0.4636, abs=0.02)
    stage.runner.hear(-1.0 - 0.4636, by_head=True)
    stage.run(3.0)
    assert stage.angle(YAW) == pytest.approx(-1.0, abs=0.03)


def test_it_looks_into_its_turn_and_at_the_arm_that_moves() -> None:
    stage = alive()
    stage.run(5.0)
    stage.runner.set_velocity(0.0, 0.9, timeout=3.0)
    stage.run(1.5)
    assert stage.angle(YAW) > 0.3
    stage.run(4.0)
    for _ in range(8):
        stage.runner.drive([ROLL], {"position": [-1.2]})
        stage.run(0.2)
    assert stage.angle(YAW) > 0.2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("yaw: AAHead_yaw", "yaw: Waist", "idle.gaze.yaw: unknown value 'Waist'"),
        (
            "{Left_Shoulder_Pitch: -0.04",
            "{Left_Knee_Pitch: -0.04",
            "idle.breath: unknown key 'Left_Knee_Pitch'",
        ),
        (
            "Left_Shoulder_Pitch: -0.04",
            "Left_Shoulder_Pitch: -0.4",
            "Left_Shoulder_Pitch: -0.4 is not within -0.2..0.2",
        ),
        ("height: 0.32}", "height: 0.32, colour: 1}", "idle.gaze: unknown key 'colour'"),
    ],
)
def test_a_fault_in_idle_is_named(old: str, new: str, message: str) -> None:
    text = T1_FILE.read_text()
    assert old in text
    with pytest.raises(ConfigError, match=message):
        parse_body(text.replace(old, new, 1), "t1.yaml")
