# SPDX-License-Identifier: Apache-2.0
"""Trajectories: points that a joint cannot follow are refused as a whole; between points it stays between them."""

import math
from dataclasses import FrozenInstanceError
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from motion_stage import SMALL

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.trajectory import (
    LONGEST_S,
    POINT_LIMIT,
    TOLERANCE,
    Trajectory,
    TrajectoryPoint,
    checked_points,
    paced,
)

KNOWN = {joint.name: joint for joint in SMALL.joints}
Point = TrajectoryPoint


def at(trajectory: Trajectory, time: float) -> list[float]:
    """The angles at a time, of a body of four joints; 9 for one that is not moved."""
    out = [9.0] * 4
    trajectory.advance(time - trajectory.time)
    trajectory.write(out)
    return out


@pytest.mark.parametrize(
    "points",
    [
        (Point(0.0, (0.5,)),),
        (Point(LONGEST_S, (-1.0,)),),
        (Point(1.0, (1.5,), (0.3,)), Point(1.5, (-1.0,), (0.9 * TOLERANCE,))),
        (Point(1.0, (1.5 + 0.9 * TOLERANCE,)), Point(2.0, (-1.0 - 0.9 * TOLERANCE,))),
        tuple(Point(0.1 * i, (0.0,)) for i in range(POINT_LIMIT)),
    ],
)
def test_points_that_a_joint_can_follow_are_taken(points) -> None:
    assert checked_points(["turn"], points, KNOWN) == points


def test_points_do_not_change() -> None:
    point = Point(1.0, (0.0,))
    with pytest.raises(FrozenInstanceError):
        point.positions = (9.0,)
    assert not hasattr(point, "__dict__")


def test_a_limit_with_its_tolerance_is_taken() -> None:
    turn = KNOWN["turn"]
    points = (Point(1.0, (turn.upper + TOLERANCE,)), Point(2.0, (turn.lower - TOLERANCE,)))
    assert checked_points(["turn"], points, KNOWN) == points


@pytest.mark.parametrize(
    ("names", "points", "reason"),
    [
        ([], [Point(1.0, ())], "it names no joint"),
        (
            ["yaw", "turn"],
            [Point(1.0, (0.0, 0.0), (0.0, -0.5))],
            r"turn has -0\.5 rad/s at the last point, not 0: a trajectory ends at rest",
        ),
        (["tail"], [Point(1.0, (0.0,))], "unknown joint 'tail'"),
        (["yaw", "yaw"], [Point(1.0, (0.0, 0.0))], "a joint is named twice in yaw, yaw"),
        (["yaw"], [], "0 points, not 1 to 10000"),
        (["yaw"], [Point(1.0, (0.0,))] * (POINT_LIMIT + 1), "10001 points, not 1 to 10000"),
        (["yaw"], [Point(-0.5, (0.0,))], r"point 0 is at -0\.5 s, not after the one before it"),
        (["yaw"], [Point(1.0, (0.0,)), Point(1.0, (0.0,))], r"point 1 is at 1\.0 s, not after"),
        (["yaw"], [Point(LONGEST_S + 0.1, (0.0,))], r"point 0 is at 3600\.1 s, .* within 3600 s"),
        (["yaw"], [Point(math.nan, (0.0,))], "point 0 is at nan s"),
        (["yaw"], [Point(1.0, ())], "point 0 has 0 positions for 1 joints"),
        (["yaw"], [Point(1.0, (0.0, 0.0))], "point 0 has 2 positions for 1 joints"),
        (["yaw", "turn"], [Point(1.0, (0.0, 0.0), (0.0,))], "point 0 has 1 velocities for 2 joints"),
        (["yaw"], [Point(1.0, (math.inf,))], "point 0: positions of yaw is inf, not a finite number"),
        (
            ["yaw"],
            [Point(1.0, (0.0,), (math.nan,))],
            "point 0: velocities of yaw is nan, not a finite number",
        ),
        (["yaw", "turn"], [Point(1.0, (0.0, 1.502))], r"point 0: turn at 1\.502 rad, not within -1\.\.1\.5"),
        (
            ["yaw", "turn"],
            [Point(1.0, (0.0, -1.002))],
            r"point 0: turn at -1\.002 rad, not within -1\.\.1\.5",
        ),
    ],
)
def test_points_are_refused_as_a_whole(names, points, reason) -> None:
    with pytest.raises(CommandError, match=f"^trajectory: {reason}"):
        checked_points(names, points, KNOWN)


def test_through_its_points_with_the_speeds_that_were_given() -> None:
    made = Trajectory([2, 0], (0.0, 1.0), [Point(1.0, (1.0, 0.0), (0.5, -0.5)), Point(3.0, (0.0, 0.0))])
    assert (made.time, made.progress, made.joints) == (0.0, 0.0, (2, 0))
    assert at(made, 0.0) == [1.0, 9.0, 0.0, 9.0]
    # Hermite, at half of a second: the mean of the ends, and an eighth of the difference of speeds times the time
    assert at(made, 0.5) == pytest.approx([0.5625, 9.0, 0.4375, 9.0])
    assert made.progress == pytest.approx(1 / 6)
    assert at(made, 1.0) == pytest.approx([0.0, 9.0, 1.0, 9.0])
    assert at(made, 2.0) == pytest.approx([-0.125, 9.0, 0.625, 9.0])
    assert not made.done
    assert at(made, 3.0) == [0.0, 9.0, 0.0, 9.0]
    assert made.done
    assert made.progress == 1.0
    assert at(made, 30.0) == [0.0, 9.0, 0.0, 9.0]


def test_it_begins_and_ends_at_rest() -> None:
    made = Trajectory([1], (0.2,), [Point(1.0, (0.5,)), Point(2.0, (0.7,), (0.4,))])
    step = 1e-5
    assert (at(made, step)[1] - 0.2) / step == pytest.approx(0.0, abs=1e-3)
    assert (0.7 - at(made, 2.0 - step)[1]) / step == pytest.approx(0.0, abs=1e-3)


def test_it_is_done_a_nanosecond_early_because_steps_add_up_with_rounding() -> None:
    made = Trajectory([1], (0.0,), [Point(0.5, (0.5,)), Point(1.0, (1.0,))])
    made.advance(1.0 - 2e-9)
    assert not made.done
    made = Trajectory([1], (0.0,), [Point(0.5, (0.5,)), Point(1.0, (1.0,))])
    assert at(made, 1.0 - 1e-9) == [9.0, 1.0, 9.0, 9.0]
    assert made.done


def test_a_first_point_at_once_is_where_it_begins() -> None:
    made = Trajectory([1], (0.7,), [Point(0.0, (0.2,)), Point(1.0, (0.4,))])
    assert at(made, 0.0)[1] == 0.2
    assert at(made, 0.5)[1] == pytest.approx(0.3)
    assert at(Trajectory([1], (0.7,), [Point(0.0, (0.2,))]), 0.0)[1] == 0.2


def test_without_speeds_it_goes_through_with_the_harmonic_mean_of_the_slopes_and_rests_where_it_turns() -> (
    None
):
    points = [Point(1.0, (1.0,)), Point(2.0, (1.5,)), Point(3.0, (0.5,))]
    made = Trajectory([0], (0.0,), points)
    slope = 2.0 * 1.0 * 0.5 / (1.0 + 0.5)
    assert at(made, 0.5)[0] == pytest.approx(0.5 - slope / 8.0)
    assert at(made, 1.5)[0] == pytest.approx(1.25 + slope / 8.0)
    assert at(made, 2.5)[0] == pytest.approx(1.0)


def test_slopes_are_over_the_time_between_points() -> None:
    points = [Point(2.0, (1.0,)), Point(3.0, (1.5,)), Point(5.0, (2.0,))]
    made = Trajectory([0], (0.0,), points)
    assert at(made, 1.0)[0] == pytest.approx(0.5 - 0.5 * 2.0 / 8.0)
    between = 2.0 * 0.5 * 0.25 / 0.75
    assert at(made, 2.5)[0] == pytest.approx(1.25 + (0.5 - between) / 8.0)


YAW, TURN = KNOWN["yaw"], KNOWN["turn"]  # 2 and 4 rad/s


@pytest.mark.parametrize(
    ("start", "points", "times"),
    [
        (0.2, [Point(0.0, (0.2,))], [0.0]),
        (0.0, [Point(0.0, (0.4,))], [1.5 * 0.4 / 2.0]),
        (0.0, [Point(0.05, (0.4,))], [0.3]),
        (0.0, [Point(0.3001, (0.4,))], [0.3001]),
        (0.0, [Point(0.0, (0.4,)), Point(1.0, (0.5,))], [0.3, 1.3]),  # later, and no slower afterwards
        (0.0, [Point(1.0, (0.0,)), Point(1.1, (0.4,)), Point(2.1, (0.4,))], [1.0, 1.3, 2.3]),
    ],
)
def test_points_come_later_where_the_joint_could_not_follow(start, points, times) -> None:
    made = paced(points, [start], [YAW])
    assert [point.time for point in made] == pytest.approx(times)
    assert [point.positions for point in made] == [point.positions for point in points]


def test_the_slowest_joint_slows_down_the_piece_and_the_speeds_at_its_ends() -> None:
    points = [Point(1.0, (0.0, 0.0)), Point(1.5, (0.5, 0.5), (4.0, 1.0)), Point(3.0, (0.6, 0.5), (0.0, 0.0))]
    made = paced(points, [0.0, 0.0], [YAW, TURN])
    assert [point.time for point in made] == pytest.approx([1.0, 2.0, 5.0])
    assert made[1].velocities == pytest.approx((2.0, 0.5))


@given(
    st.floats(-1.0, 1.0),
    st.lists(
        st.tuples(st.floats(1e-9, 0.5), st.floats(-1.0, 1.0), st.floats(-9.0, 9.0)), min_size=1, max_size=6
    ),
    st.booleans(),
)
def test_no_joint_is_faster_than_it_may_on_any_piece(start, steps, with_speeds) -> None:
    times = [sum(span for span, _, _ in steps[: i + 1]) for i in range(len(steps))]
    points = [
        Point(time, (angle,), (speed,) if with_speeds else ())
        for time, (_, angle, speed) in zip(times, steps, strict=True)
        if time > 0.0
    ]
    assume(all(a.time < b.time for a, b in pairwise(points)))
    made = Trajectory([0], [start], paced(points, [start], [YAW]))
    assume(made.total > 1e-6)
    angles = [at(made, made.total * i / 300)[0] for i in range(301)]
    assert max(abs(b - a) for a, b in pairwise(angles)) <= 2.0 * made.total / 300 * (1 + 1e-6) + 1e-12


@given(
    st.lists(st.tuples(st.floats(0.1, 3.0), st.floats(-1.0, 1.0)), min_size=1, max_size=8),
    st.lists(st.floats(0.01, 0.5), max_size=30),
)
def test_it_never_leaves_the_range_between_two_neighbouring_points(steps, times) -> None:
    time, points = 0.0, []
    for span, angle in steps:
        time += span
        points.append(Point(time, (angle,)))
    made = Trajectory([0], (0.0,), points)
    ways = [Point(0.0, (0.0,)), *points]
    for span in times:
        angle = at(made, made.time + span)[0]
        later = next((i for i, point in enumerate(ways) if point.time > made.time), len(ways) - 1)
        ends = sorted((ways[max(later - 1, 0)].positions[0], ways[later].positions[0]))
        if made.done:
            ends = [ways[-1].positions[0]] * 2
        assert ends[0] - 1e-9 <= angle <= ends[1] + 1e-9
