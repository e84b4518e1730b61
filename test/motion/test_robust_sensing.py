# SPDX-License-Identifier: Apache-2.0
"""Holes in what is sensed, gaps in time, falls, and a body that is put somewhere else."""

import math
from dataclasses import replace

import pytest
from motion_stage import ARM, DT, HEIGHT, SMALL, T1, MovedBody

from embodiment_bridge.body.state import BodyState, SkillStatus
from embodiment_bridge.motion.joints.sensing import BASE_TIMEOUT_S, LONGEST_STEP_S, Sensed
from embodiment_bridge.motion.runner import PATIENCE_S, MotionRunner

NAN = math.nan


def sensed_state(*angles: float, **base: float) -> BodyState:
    return BodyState(0.0, angles, angles, has_base=bool(base), **base)


def test_last_good_value_stands_in_for_a_bad_one() -> None:
    sensed = Sensed([0.0, 0.0])
    sensed.update(sensed_state(0.1, NAN, base_position=(1.0, 2.0, 0.6), roll=0.1, pitch=0.2, yaw=0.3), DT)
    assert (sensed.position, sensed.joints_known) == ([0.1, 0.0], False)
    sensed.update(sensed_state(math.inf, 0.2, base_position=(NAN, 2.0, 0.6), roll=9.0), DT)
    assert (sensed.position, sensed.joints_known) == ([0.1, 0.2], True)
    assert (sensed.x, sensed.roll, sensed.pitch, sensed.yaw) == (1.0, 0.1, 0.2, 0.3)
    sensed.update(sensed_state(1.0, 1.0, 1.0), DT)  # of some other body
    assert sensed.position == [0.1, 0.2]


def test_rates_that_are_no_numbers_keep_the_last() -> None:
    sensed = Sensed([])
    sensed.update(sensed_state(base_position=(0.0, 0.0, 0.6), base_rates=(1.0, 2.0, 3.0)), DT)
    sensed.update(sensed_state(base_position=(0.0, 0.0, 0.6), base_rates=(NAN, 2.0, 3.0)), DT)
    assert sensed.rates == (1.0, 2.0, 3.0)


def test_old_base_is_not_used_for_balance() -> None:
    sensed = Sensed([])
    sensed.update(sensed_state(base_position=(0.0, 0.0, 0.6), roll=0.3), DT)
    assert sensed.hips(None)[0].roll == 0.3
    for _ in range(round(BASE_TIMEOUT_S / DT) + 1):
        sensed.update(sensed_state(base_position=(NAN, 0.0, 0.6)), DT)
    assert sensed.hips(None)[0].roll == 0.0


def test_yaw_goes_on_over_the_full_turn() -> None:
    sensed = Sensed([])
    for i in range(200):
        sensed.update(
            sensed_state(base_position=(0.0, 0.0, 0.6), yaw=math.remainder(0.1 * i, 2 * math.pi)), DT
        )
    assert sensed.yaw == pytest.approx(19.9)


def test_speed_is_seen_from_the_hips() -> None:
    sensed = Sensed([0.5])  # the waist turns the hips half a radian to the left
    for i in range(100):
        sensed.update(sensed_state(0.5, base_position=(0.0, 0.3 * i * DT, 0.6), yaw=math.pi / 2 - 0.5), DT)
    balance, yaw = sensed.hips(0)
    assert yaw == pytest.approx(math.pi / 2)
    assert (balance.ahead, balance.left) == pytest.approx((0.3, 0.0), abs=1e-6)


@pytest.mark.parametrize("missing", [1, 5, 20])
def test_speed_is_right_where_places_are_missing(missing: int) -> None:
    sensed = Sensed([])
    for i in range(200):
        base = {} if i % (missing + 1) else {"base_position": (0.3 * i * DT, 0.0, 0.6)}
        sensed.update(sensed_state(**base), DT)
        assert sensed.hips(None)[0].ahead < 0.31
    assert sensed.hips(None)[0].ahead == pytest.approx(0.3, abs=0.02)


def test_speed_of_long_ago_does_not_count() -> None:
    sensed = Sensed([])
    for i in range(50):
        sensed.update(sensed_state(base_position=(0.3 * i * DT, 0.0, 0.6)), DT)
    for _ in range(50):
        sensed.update(sensed_state(), DT)
    sensed.update(sensed_state(base_position=(0.3, 0.0, 0.6)), DT)
    assert sensed.hips(None)[0].ahead == 0.0


def test_a_body_that_was_put_elsewhere_did_not_get_there_with_speed() -> None:
    sensed = Sensed([])
    for i in range(100):
        place = 0.3 * i * DT + (20.0 if i >= 50 else 0.0)
        sensed.update(sensed_state(base_position=(place, 0.0, 0.6)), DT)
        assert sensed.hips(None)[0].ahead < 0.31


@pytest.mark.parametrize("gap", [0.15, 0.3, 0.45])
def test_nor_did_it_in_a_gap_between_percepts(gap: float) -> None:
    sensed = Sensed([])
    for i in range(50):
        sensed.update(sensed_state(base_position=(0.3 * i * DT, 0.0, 0.6)), DT)
    sensed.update(sensed_state(base_position=(2.5, 0.0, 0.6)), gap)
    assert abs(sensed.hips(None)[0].ahead) < 0.31


@pytest.mark.parametrize("gap", [0.15, 0.4, 2.0])
def test_a_gap_in_time_does_not_look_like_speed(gap: float) -> None:
    sensed, time = Sensed([]), 0.0
    for dt in [*[DT] * 50, gap, *[DT] * 10]:
        time += dt
        sensed.update(sensed_state(base_position=(0.3 * time, 0.0, HEIGHT)), dt)
        assert sensed.hips(None)[0].ahead < 0.31
    assert sensed.hips(None)[0].ahead == pytest.approx(0.3, abs=0.05)


def test_turned_waist_turns_roll_into_pitch() -> None:
    sensed = Sensed([0.0])
    state = sensed_state(math.pi / 2, base_position=(0.0, 0.0, 0.6), roll=0.2, base_rates=(0.4, 0.0, 0.1))
    sensed.update(state, DT)
    balance, _ = sensed.hips(0)
    assert (balance.roll, balance.pitch) == pytest.approx(
        (0.0, -0.2)
    )  # the hips face what is the left of base_link
    assert balance.rates == pytest.approx((0.0, -0.4, 0.1))


def test_joints_are_limp_until_every_angle_is_known() -> None:
    runner = MotionRunner(SMALL)
    targets = runner.step(sensed_state(0.1, NAN, 0.2, 0.3), DT)
    assert (targets.kp, targets.kd, runner.status) == ((0.0,) * 4, (0.0,) * 4, "unknown")
    targets = runner.step(sensed_state(0.1, 0.2, 0.2, 0.3), DT)
    assert (targets.kp, runner.status) == ((10.0, 20.0, 30.0, 40.0), "standing")
    assert targets.position == pytest.approx((0.1, 0.2, 0.2, 0.3), abs=0.01)


def test_joint_that_is_never_sensed_is_taken_for_resting() -> None:
    runner = MotionRunner(SMALL)
    for _ in range(round(PATIENCE_S / DT)):
        targets = runner.step(sensed_state(0.1, NAN, 0.2, 0.3), DT)
    assert targets.kp[0] == 10.0
    assert targets.position[1] == 0.5


def test_joint_that_is_sensed_late_stays_where_it_is_found() -> None:
    runner = MotionRunner(SMALL, to_rest=False)
    for _ in range(round(PATIENCE_S / DT) + 1):
        runner.step(sensed_state(0.1, NAN, 0.2, 0.3), DT)
    assert runner.status == "standing"
    for _ in range(100):
        targets = runner.step(sensed_state(0.1, -0.4, 0.2, 0.3), DT)
        assert targets.position == pytest.approx((0.1, -0.4, 0.2, 0.3))


def test_joint_that_is_found_while_one_beside_it_slows_down_stays_where_it_is() -> None:
    runner = MotionRunner(ARM, to_rest=False)
    upper, fore = 0.0, NAN
    for _ in range(round(PATIENCE_S / DT) + 1):
        runner.step(sensed_state(upper, fore), DT)
    runner.drive(["upper"], {"position": [0.9]})
    for _ in range(5):
        upper = runner.step(sensed_state(upper, fore), DT).position[0]
    runner.stop()
    for _ in range(50):
        upper, told = runner.step(sensed_state(upper, 0.7), DT).position
        assert told == pytest.approx(0.7)
    assert 0.1 < upper < 0.4


def test_body_that_goes_to_its_rest_pose_takes_a_joint_there_that_is_sensed_late() -> None:
    runner = MotionRunner(SMALL)
    for _ in range(round(PATIENCE_S / DT) + 1):
        runner.step(sensed_state(0.1, NAN, 0.2, 0.3), DT)
    for _ in range(100):
        targets = runner.step(sensed_state(0.1, -0.4, 0.2, 0.3), DT)
    assert targets.position == pytest.approx((0.0, 0.5, 0.0, 0.0))


def test_body_goes_to_its_rest_pose_from_wherever_it_is_found() -> None:
    stage = MovedBody(SMALL, settle=0.0)
    stage.state = replace(stage.state, position=(0.9, -0.9, 0.4, -2.0))
    first = stage.step().position
    assert first == pytest.approx((0.9, -0.9, 0.4, -1.0), abs=0.01)
    stage.run(2.0)
    assert stage.targets.position == pytest.approx((0.0, 0.5, 0.0, 0.0))


@pytest.mark.parametrize("dt", [0.0, -1.0, NAN, math.inf, -math.inf])
def test_step_without_time_changes_nothing(dt: float) -> None:
    stage = MovedBody()
    stage.start("nod")
    stage.run(0.3)
    before = stage.targets
    after = stage.runner.step(stage.state, dt)
    assert after.position == before.position


def test_after_a_gap_a_motion_goes_on_where_it_was_and_joints_from_where_they_are() -> None:
    stage = MovedBody()
    request = stage.start("nod", 4.0)
    stage.run(1.0)
    before, commanded = stage.last(request).progress, stage.targets.position
    usual = max(abs(speed) for speed in stage.targets.velocity) * DT
    stage.step(5.0)
    moved = [abs(b - a) for a, b in zip(commanded, stage.targets.position, strict=True)]
    assert 0.0 < max(moved) < 1.5 * usual  # as much as in any step
    stage.run(0.2)
    assert stage.last(request).progress - before <= (0.2 + 3 * DT) / 4.0
    assert stage.finish(request).status is SkillStatus.SUCCEEDED


def test_a_joint_that_was_moved_in_a_gap_comes_back_no_faster_than_it_may() -> None:
    stage = MovedBody()
    stage.start("nod", 4.0)
    stage.run(1.0)
    joints = stage.body.joints
    elsewhere = tuple(joint.lower for joint in joints)
    stage.runner.step(replace(stage.state, position=elsewhere), 5.0)
    for joint, place, target in zip(joints, elsewhere, stage.runner.commanded, strict=True):
        assert abs(target - place) <= joint.velocity * DT + 1e-9


def test_a_body_that_is_always_slow_goes_on_a_tenth_of_a_second_each_time() -> None:
    stage = MovedBody()
    request = stage.start("nod", 4.0)
    stage.run(0.5)
    before = stage.last(request).progress
    for _ in range(11):
        stage.step(0.5)
    assert stage.last(request).progress - before == pytest.approx(10 * LONGEST_STEP_S / 4.0, abs=0.06)


@pytest.mark.parametrize(
    "lying",
    [{"base_position": (0.0, 0.0, 0.2)}, {"pitch": 1.2}, {"roll": -1.2}],
    ids=["low", "pitch", "roll"],
)
def test_fall_fails_skills_that_need_the_legs_and_no_others(lying) -> None:
    stage = MovedBody(T1)
    walk, shake = stage.start("walk", duration=9.0), stage.start("head_shake", 3.0)
    stage.run(0.5)
    assert stage.runner.status == "walking"
    stage.state = replace(stage.state, **lying)
    stage.step()
    assert (stage.status(walk), stage.last(walk).reason) == (SkillStatus.FAILED, "fallen")
    assert stage.runner.status == "fallen"
    assert stage.runner.set_velocity(0.1, 0.0) is False
    step = stage.start("step_forward")
    stage.step()
    assert stage.status(step) is SkillStatus.FAILED
    assert stage.finish(shake).status is SkillStatus.SUCCEEDED
    stage.state = replace(stage.state, base_position=(0.0, 0.0, HEIGHT), roll=0.0, pitch=0.0)
    stage.step()
    assert stage.runner.status == "fallen"
    stage.run(1.0)
    assert stage.runner.status == "standing"
    assert stage.finish(stage.start("stand")).status is SkillStatus.SUCCEEDED


def test_body_that_does_not_know_its_base_never_falls_and_still_walks() -> None:
    stage = MovedBody(T1, settle=0.0)
    stage.state = replace(stage.state, has_base=False, base_position=(0.0, 0.0, 0.0))
    stage.run(1.0)
    assert stage.runner.status == "standing"
    report = stage.finish(stage.start("step_forward", distance=0.5))
    assert report.status is SkillStatus.SUCCEEDED


@pytest.mark.parametrize(
    ("how", "status"),
    [
        ({"base_position": (0.0, 0.0, -2.0), "height_estimated": True}, "standing"),
        ({"base_position": (0.0, 0.0, -2.0)}, "fallen"),
        ({"pitch": 1.2, "height_estimated": True}, "fallen"),
        ({"pitch": 1.2, "has_base": False, "has_tilt": True}, "fallen"),
        ({"pitch": 1.2, "has_base": False}, "standing"),
        ({"pitch": NAN, "has_base": False, "has_tilt": True}, "standing"),
    ],
    ids=["estimated low", "low", "estimated and tilted", "tilt alone", "nothing known", "no number"],
)
def test_tilt_decides_where_the_height_is_only_estimated_or_not_known(how, status) -> None:
    stage = MovedBody(T1, settle=0.0)
    stage.run(0.1)
    stage.state = replace(stage.state, **how)
    stage.step()
    assert stage.runner.status == status


def test_reset_starts_from_where_the_body_is_now() -> None:
    stage = MovedBody(T1)
    request = stage.start("walk", duration=9.0)
    stage.run(1.0)
    there = replace(stage.state, position=(0.0,) * 23, base_position=(5.0, 5.0, HEIGHT), yaw=2.0)
    stage.runner.reset(there)
    assert stage.runner.status == "unknown"
    stage.state = there
    first = stage.step().position
    assert (stage.status(request), stage.last(request).reason) == (
        SkillStatus.FAILED,
        "the body was placed anew",
    )
    assert max(map(abs, first)) < 0.02
    stage.run(1.5)
    assert stage.runner.status == "standing"
    assert stage.angle("Left_Shoulder_Roll") == pytest.approx(-1.3)


def nodding(stage: MovedBody) -> None:
    stage.start("nod")
    stage.run(0.4)


def replaced(stage: MovedBody) -> None:
    """The right arm comes to rest: its skill has just ended."""
    stage.start("wave")
    stage.run(1.4)
    stage.start("lift")
    stage.run(0.04)


def driven(stage: MovedBody) -> None:
    stage.runner.drive(["left"], {"position": [0.9]})
    stage.run(0.1)


ELSEWHERE = (0.3, -0.2, -0.4, 0.6)  # where somebody has moved the joints meanwhile


@pytest.mark.parametrize("move", [nodding, replaced, driven])
def test_joints_that_moved_when_the_body_was_lost_stay_where_they_are_found_again(move) -> None:
    stage = MovedBody(settle=0.1, to_rest=False)
    move(stage)
    assert max(abs(b - a) for a, b in zip(*stage.track[-2:], strict=True)) > 0.2 * DT
    stage.runner.abandon("lost")
    stage.state = replace(stage.state, position=ELSEWHERE)
    stage.runner.reset(stage.state)
    stage.track.clear()
    stage.run(1.0)
    for position in stage.track:
        assert position == pytest.approx(ELSEWHERE)


def test_a_command_without_a_position_is_for_where_the_joint_is_found_again() -> None:
    stage = MovedBody(settle=0.1, to_rest=False)
    nodding(stage)
    stage.state = replace(stage.state, position=ELSEWHERE)
    stage.runner.reset(stage.state)
    stage.runner.drive(["yaw"], {"effort": [0.5]})
    stage.track.clear()
    stage.run(0.5)
    assert stage.angles("yaw") == pytest.approx([0.3] * 25)
