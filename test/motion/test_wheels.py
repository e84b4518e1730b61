# SPDX-License-Identifier: Apache-2.0
"""A base on two wheels: they turn as the base goes, on and on, and no faster than they can."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from motion_stage import DT, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.state import BodyState, SkillStatus
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.motion.gait.walk import WalkCommand
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.locomotion.wheels import WheelPace
from embodiment_bridge.motion.runner import MotionRunner

ROVER_FILE = """
body: rover
channels: [legs, head]
joints:
  left: {channel: legs, range: continuous, velocity: 12, effort: 1, kp: 10, kd: 1}
  right: {channel: legs, range: continuous, velocity: 12, effort: 1, kp: 10, kd: 1}
  pan: {channel: head, range: [-1, 1], velocity: 5, effort: 1, kp: 10, kd: 1}
wheels:
  left: left
  right: right
  radius: 0.05
  distance: 0.25
  speed: 10
skills:
  walk:
    kind: walk
    walk: free
    channels: [legs]
    nominal_s: 2.0
    min_s: 0.5
    parameters: {distance: {range: [-99, 99]}, steps: {range: [1, 9]}, speed: {range: [-1, 1]}, turn: {range: [-9, 9]}}
  turn:
    kind: walk
    walk: turn
    channels: [legs]
    nominal_s: 1
    min_s: 1
    parameters: {angle: {range: [0.1, 7], default: 1}}
  reset: {kind: motion, channels: [legs, head], nominal_s: 1, min_s: 0.5, keyframes: [{at: 1, rest: true}]}
"""
ROVER = parse_body(ROVER_FILE, "rover.yaml")
RADIUS, DISTANCE, FASTEST = 0.05, 0.25, 10.0
FULL, FULL_TURN = RADIUS * FASTEST, 2.0 * RADIUS * FASTEST / DISTANCE


class Rover(MovedBody):
    """A base that goes as the runner asks, with wheels that are where they were told to be."""

    def __init__(self, body=ROVER, **options) -> None:
        super().__init__(body, settle=1.0, **options)

    def drive(self, forward: float, turn: float, seconds: float) -> None:
        for _ in range(round(seconds / DT)):
            self.runner.set_velocity(forward, turn)
            self.step()

    def lose_its_place(self) -> None:
        """From now on velocities are not corrected."""
        self.state = replace(self.state, has_base=False)
        self.run(1.0)

    @property
    def rolled(self) -> tuple[float, float]:
        """The way of the left and the right wheel over the floor, m."""
        return RADIUS * self.angle("left"), RADIUS * self.angle("right")

    @property
    def x(self) -> float:
        return self.state.base_position[0]

    @property
    def speeds(self) -> list[float]:
        """Of both wheels in all steps, rad/s."""
        angles = [self.angles(name) for name in ("left", "right")]
        return [(b - a) / DT for row in angles for a, b in pairwise(row)]


@pytest.mark.parametrize(
    ("velocity", "left", "right"),
    [
        ((0.25, 0.0), 5.0, 5.0),
        ((-0.5, 0.0), -10.0, -10.0),
        ((0.0, 2.0), -5.0, 5.0),
        ((0.25, -2.0), 10.0, 0.0),
        ((0.1, 0.8), 0.0, 4.0),
    ],
)
def test_wheels_turn_and_the_base_goes_as_commanded(velocity, left: float, right: float) -> None:
    rover = Rover()
    rover.lose_its_place()
    rover.drive(*velocity, 1.0)
    forward, aside, turn = rover.runner.velocity
    assert (forward, aside, turn) == pytest.approx((velocity[0], 0.0, velocity[1]), abs=1e-9)
    assert rover.targets.velocity[:2] == pytest.approx((left, right), abs=1e-9)
    assert [b - a for a, b in zip(*rover.track[-2:], strict=True)] == pytest.approx(
        [left * DT, right * DT, 0.0], abs=1e-9
    )


@pytest.mark.parametrize("distance", [30.0, -5.0])
def test_walk_rolls_the_wheels_as_far_as_the_base_goes(distance: float) -> None:
    rover = Rover()
    assert rover.finish(rover.start("walk", distance=distance), 99.0).status is SkillStatus.SUCCEEDED
    assert rover.x == pytest.approx(distance, abs=0.02)
    assert rover.rolled == pytest.approx((rover.x, rover.x), abs=0.01)
    assert rover.runner.status == "standing"


def test_wheels_go_on_from_where_they_were() -> None:
    rover = Rover()
    for _ in range(2):
        rover.finish(rover.start("walk", distance=1.0))
        rover.run(1.0)
    assert rover.rolled == pytest.approx((2.0, 2.0), abs=0.04)
    assert min(rover.speeds) >= 0.0


def test_a_turn_rolls_the_wheels_against_each_other() -> None:
    rover = Rover()
    rover.finish(rover.start("turn", angle=3.0))
    left, right = rover.rolled
    assert rover.state.yaw == pytest.approx(3.0, abs=0.05)
    assert right - left == pytest.approx(DISTANCE * rover.state.yaw, abs=0.005)
    assert left + right == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("goal", [(0.5, 0.5, 1.0), (3.0, -2.0, 3.0), (0.0, 0.0, 0.5)])
def test_goal_is_reached(goal) -> None:
    rover = Rover()
    rover.runner.walk_to(*goal)
    rover.run(25.0)
    assert rover.state.base_position[:2] == pytest.approx(goal[:2], abs=0.15)
    assert math.remainder(rover.state.yaw - goal[2], 2 * math.pi) == pytest.approx(0.0, abs=0.1)
    assert rover.reports[-1].status is SkillStatus.SUCCEEDED
    assert max(map(abs, rover.speeds)) <= FASTEST + 1e-6


@given(st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.integers(1, 40)), min_size=1, max_size=6))
def test_no_wheel_is_ever_too_fast(commands) -> None:
    pace, speeds = WheelPace(ROVER.carrier.walk), ROVER.carrier.speeds
    for forward, turn, steps in commands:
        for _ in range(steps):
            pace.step(WalkCommand(True, forward, turn), DT)
            ahead, _, about = pace.velocity
            assert max(map(abs, speeds(ahead, about))) <= FASTEST * (1 + 1e-6)


def test_a_curve_that_is_too_fast_is_driven_slower_and_said() -> None:
    rover = Rover()
    rover.drive(FULL, FULL_TURN, 2.0)
    assert rover.runner.remark == "together they are cut to 50%"
    forward, _, turn = rover.runner.velocity
    assert forward / turn == pytest.approx(FULL / FULL_TURN)
    assert max(map(abs, rover.speeds)) <= FASTEST + 1e-6


@pytest.mark.parametrize(("acceleration", "most"), [("", 20.0), (", acceleration: 4", 4.0)])
def test_wheels_have_a_ramp(acceleration: str, most: float) -> None:
    rover = Rover(
        parse_body(ROVER_FILE.replace("kp: 10, kd: 1}", f"kp: 10, kd: 1{acceleration}}}"), "rover.yaml")
    )
    rover.lose_its_place()
    rover.track.clear()
    rover.drive(FULL, 0.0, 4.0)
    rover.run(4.0)
    speeds = rover.speeds[: len(rover.track) - 1]
    assert max(speeds) == pytest.approx(FASTEST)
    assert max(abs(b - a) / DT for a, b in pairwise(speeds)) == pytest.approx(most, abs=1e-6)
    assert rover.runner.status == "standing"


def test_hold_and_stop_bring_the_wheels_to_rest() -> None:
    rover = Rover()
    request = rover.start("walk", distance=3.0)
    rover.run(1.0)
    rover.runner.hold(True)
    rover.run(1.0)
    assert rover.runner.held
    assert rover.targets.velocity[:2] == (0.0, 0.0)
    rover.runner.hold(False)
    rover.run(1.0)
    assert min(rover.targets.velocity[:2]) > 1.0
    rover.runner.stop()
    rover.run(1.0)
    assert rover.targets.velocity[:2] == (0.0, 0.0)
    assert rover.status(request) is SkillStatus.CANCELED


def test_reset_leaves_the_wheels_where_they_are() -> None:
    rover = Rover()
    rover.finish(rover.start("walk", distance=2.0))
    before = rover.rolled
    assert rover.finish(rover.start("reset")).status is SkillStatus.SUCCEEDED
    rover.run(1.0)
    assert rover.rolled == pytest.approx(before)


def test_a_trajectory_of_one_wheel_leaves_the_other_where_it_is() -> None:
    rover = Rover()
    rover.finish(rover.start("walk", distance=2.0))
    left, right = rover.angle("left"), rover.angle("right")
    rover.runner.follow(["left"], [TrajectoryPoint(1.0, (left + 2.0,))])
    rover.run(2.0)
    assert (rover.angle("left"), rover.angle("right")) == pytest.approx((left + 2.0, right))


def test_wheels_begin_where_they_are_found() -> None:
    far = 500.0
    runner = MotionRunner(ROVER, to_rest=False)
    state = BodyState(0.0, (math.nan, far, 0.0), (0.0, 0.0, 0.0))
    for step in range(200):
        angle = far if step > 100 else math.nan
        targets = runner.step(replace(state, time=step * DT, position=(angle, far, 0.0)), DT)
    assert targets.position == pytest.approx((far, far, 0.0))
    assert targets.velocity == (0.0, 0.0, 0.0)


def test_a_fallen_body_stops_its_wheels() -> None:
    rover = Rover(parse_body(ROVER_FILE + "fall: {height: 0.01, tilt: 1.0, recover_s: 0.5}\n", "rover.yaml"))
    rover.drive(FULL, 0.0, 1.0)
    rover.state = replace(rover.state, roll=1.5)
    rover.run(0.5)
    assert rover.targets.velocity[:2] == (0.0, 0.0)
    assert rover.runner.status == "fallen"


NO_WHEEL = "is not a joint of the channel legs with the range continuous"
RIGHT = "right: {channel: legs, range: continuous"
FAULTS = [
    ("  left: left\n", "", "wheels.left: missing"),
    ("  left: left\n", "  left: lefd\n", "wheels.left: unknown value 'lefd'; did you mean 'left'"),
    ("  left: left\n", "  left: pan\n", f"wheels.left: 'pan' {NO_WHEEL}"),
    (RIGHT, "right: {channel: legs, range: [-1, 1]", f"wheels.right: 'right' {NO_WHEEL}"),
    (RIGHT, "right: {channel: head, range: continuous", f"wheels.right: 'right' {NO_WHEEL}"),
    ("  right: right\n", "  right: left\n", "wheels.right: 'left' is not another joint than that of the left wheel"),
    ("radius: 0.05", "radius: 0", "wheels.radius: 0 is not within 0.001..10"),
    ("distance: 0.25", "distance: -1", "wheels.distance: -1 is not within 0.001..100"),
    ("speed: 10", "speed: 13", "wheels.speed: 13 is not within 0.01..12"),
    ("speed: 10", "speed: 10\n  track: 1", "wheels: unknown key 'track'"),
    ("skills:", "base: {}\nskills:", "base: {} is not possible beside a wheels"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "message"), FAULTS)
def test_fault_is_named(old: str, new: str, message: str) -> None:
    assert old in ROVER_FILE
    with pytest.raises(ConfigError, match=message):
        parse_body(ROVER_FILE.replace(old, new, 1), "rover.yaml")
