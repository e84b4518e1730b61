# SPDX-License-Identifier: Apache-2.0
"""Keyframe motions: where they are when, from any start, in any slot."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from motion_stage import DT, SMALL, T1, MovedBody

from embodiment_bridge.body.description import Joint, Keyframe
from embodiment_bridge.body.motion_section import shortest_motion, shortest_move
from embodiment_bridge.motion.joints.keyframes import Motion, Piece, piece_to, pieces_of
from embodiment_bridge.motion.joints.move import STOP_S, Brake, Move, Stop, Way

FAST = Joint("fast", "head", -3.0, 3.0, 10.0, 1.0, 1.0, 1.0)
SLOW = Joint("slow", "head", -3.0, 3.0, 1.0, 1.0, 1.0, 1.0)
HEAVY = Joint("heavy", "head", -3.0, 3.0, 10.0, 1.0, 1.0, 1.0, acceleration=20.0)
ANGLE = st.floats(-2, 2)


def path(motion: Way, dt: float) -> list[float]:
    out = [0.0]
    angles = []
    while not motion.done:
        motion.advance(dt)
        motion.write(out)
        angles.append(out[0])
    return angles


@given(ANGLE, ANGLE, st.floats(0.1, 3))
def test_piece_starts_and_ends_as_told(start: float, goal: float, duration: float) -> None:
    dt = duration / 1000
    angles = [start, *path(Motion([0], [start], [Piece(duration, (goal,))]), dt)]
    assert angles[-1] == goal
    for a, b in (angles[:2], angles[-2:]):
        assert (b - a) / dt == pytest.approx(0.0, abs=0.05)
    accelerations = [(c - 2 * b + a) / dt**2 for a, b, c in zip(angles, angles[1:], angles[2:], strict=False)]
    assert abs(accelerations[-1]) < 2.0 * (1 + abs(goal - start)) / duration**2


def braking(joint: Joint, start: float, speed: float, room: float = math.inf) -> Brake:
    return Brake([joint], {0: start}, {0: speed}, {0: room})


@given(st.floats(-5, 5), st.floats(0, 1))
def test_stop_never_turns_back_nor_goes_further_than_the_room_that_it_has(speed: float, room: float) -> None:
    angles = [0.3, *path(Stop(braking(FAST, 0.3, speed, room)), 0.01)]
    steps = [b - a for a, b in pairwise(angles)]
    assert all(step * speed >= -1e-12 for step in steps)
    assert abs(angles[-1] - 0.3) == pytest.approx(min(0.5 * STOP_S * abs(speed), room), abs=1e-9)
    assert max(map(abs, steps), default=0.0) <= abs(speed) * 0.01 + 1e-9


@given(st.floats(-5, 5))
def test_stop_loses_speed_no_faster_than_the_joint_may(speed: float) -> None:
    brake = braking(HEAVY, 0.3, speed)
    dt = max(brake.seconds, STOP_S) / 500
    angles = [brake.at(0, i * dt) for i in range(502)]
    accelerations = [(c - 2 * b + a) / dt**2 for a, b, c in zip(angles, angles[1:], angles[2:], strict=False)]
    assert max(map(abs, accelerations)) <= HEAVY.acceleration * 1.01 + 1e-6


@given(ANGLE, ANGLE, st.floats(-5, 5), st.floats(0, 1), st.floats(0.0, 3))
def test_a_move_begins_with_the_speed_and_stays_between_its_place_its_room_and_its_goal(
    start, goal, speed, room, duration
) -> None:
    brake = braking(FAST, start, speed, room)
    way = Motion([0], [brake.rest[0]], [piece_to((goal,), [FAST], [brake.rest[0]], duration)])
    move = Move(brake, way)
    dt = 1e-5
    out = [9.0]
    move.advance(dt)
    move.write(out)
    if brake.seconds > 0.01:
        assert (out[0] - start) / dt == pytest.approx(speed, abs=0.05)
    reach = start + math.copysign(room, speed)
    ends = [start, reach, goal]
    for angle in [out[0], *path(move, 0.005)]:
        assert min(ends) - 1e-9 <= angle <= max(ends) + 1e-9
    assert angle == goal
    assert move.progress == 1.0


def test_pieces_keep_the_slot_where_joints_can_and_stretch_where_they_cannot() -> None:
    frames = [Keyframe(0.5, {"fast": 1.0}), Keyframe(1.0, {"slow": 0.4})]
    easy = pieces_of(frames, [FAST, SLOW], [0.0, 0.0], 4.0)
    assert [(p.duration, p.goals) for p in easy] == [(2.0, (1.0, 0.0)), (2.0, (1.0, 0.4))]
    hard = pieces_of(frames, [FAST, SLOW], [0.0, 0.0], 1.0)
    assert [p.duration for p in hard] == pytest.approx([0.5, 1.875 * 0.4])


@given(ANGLE, ANGLE, st.floats(0.0, 3))
def test_a_piece_keeps_the_speed_and_the_acceleration_of_the_joint(start, goal, duration) -> None:
    piece = piece_to((goal,), [HEAVY], [start], duration)
    assert piece.duration >= duration
    dt = piece.duration / 500
    angles = [start, *path(Motion([0], [start], [piece]), dt)]
    assert max(abs(b - a) for a, b in pairwise(angles)) <= dt * HEAVY.velocity * 1.01
    accelerations = [(c - 2 * b + a) / dt**2 for a, b, c in zip(angles, angles[1:], angles[2:], strict=False)]
    assert max(map(abs, accelerations)) <= HEAVY.acceleration * 1.03 + 1e-6


def test_shortest_times() -> None:
    assert shortest_move([FAST, SLOW], [0.0, 0.0], [1.0, 0.2]) == pytest.approx(1.875 * 0.2)
    frames = [Keyframe(0.25, {"slow": 0.4}), Keyframe(1.0, {"slow": 0.0})]
    assert shortest_motion(frames, {"slow": SLOW}) == pytest.approx(1.875 * 0.4 / 0.25)
    assert shortest_move([], [], []) == 0.0


@pytest.mark.parametrize(("slot", "seconds"), [(0.0, 2.0), (1.0, 1.0), (5.0, 5.0)])
def test_skill_takes_its_slot_and_passes_its_keyframes(slot: float, seconds: float) -> None:
    stage = MovedBody()
    report = stage.finish(stage.start("nod", slot))
    assert report.status.name == "SUCCEEDED"
    assert len(stage.track) * DT == pytest.approx(seconds)
    angles = stage.angles("yaw")
    assert max(angles) == pytest.approx(0.5, abs=1e-3)
    assert angles.index(max(angles)) * DT == pytest.approx(seconds / 2, abs=2 * DT)
    assert angles[-1] == 0.0


def test_slot_that_is_too_short_is_overrun_and_never_cut() -> None:
    stage = MovedBody()
    stage.finish(stage.start("nod", 0.2))
    assert max(stage.angles("yaw")) == pytest.approx(0.5, abs=1e-3)
    assert len(stage.track) * DT == pytest.approx(2 * 1.875 * 0.5 / 2.0, abs=2 * DT)


def test_mirrored_motion_does_the_same_on_the_other_side() -> None:
    stage = MovedBody()
    stage.finish(stage.start("wave"))
    left, right = stage.angles("left"), stage.angles("right")
    half = len(left) // 2
    assert max(left) == pytest.approx(0.5, abs=1e-3)
    assert right[half:] == pytest.approx([-a for a in left[:half]], abs=1e-9)
    assert left[half:] == pytest.approx([0.0] * half, abs=1e-9)


def test_reset_takes_every_joint_to_its_rest() -> None:
    stage = MovedBody()
    stage.finish(stage.start("look"))
    assert stage.angle("yaw") == pytest.approx(0.8)
    stage.finish(stage.start("reset"))
    assert stage.targets.position == pytest.approx([joint.rest for joint in SMALL.joints])


def test_velocity_feed_forward_is_the_speed_of_the_command() -> None:
    stage = MovedBody()
    stage.start("nod")
    before = stage.angle("yaw")
    for _ in range(20):
        targets = stage.step()
        assert targets.velocity[0] == pytest.approx((stage.angle("yaw") - before) / DT)
        before = stage.angle("yaw")
    assert targets.velocity[0] > 0.3
    assert targets.kp == tuple(j.kp for j in SMALL.joints)


@pytest.mark.parametrize("name", [s.name for s in T1.skills.values() if s.keyframes])
def test_every_t1_motion_keeps_its_shortest_time_from_rest(name: str) -> None:
    stage = MovedBody(T1, settle=2.0)
    skill = T1.skills[name]
    stage.finish(stage.start(name, skill.min_s))
    assert len(stage.track) * DT == pytest.approx(skill.min_s, abs=DT + 1e-6)
    assert math.isfinite(sum(stage.targets.position))
