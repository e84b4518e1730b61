# SPDX-License-Identifier: Apache-2.0
"""Walking skills on a body that goes exactly as fast as its gait says."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from motion_stage import HEIGHT, T1, T1_FILE, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.walking.walk_skills import share

WALK = T1.carrier.walk


def gone(stage: MovedBody) -> tuple[float, float, float]:
    x, y, _ = stage.state.base_position
    return x, y, stage.state.yaw


@pytest.mark.parametrize(
    ("name", "parameters", "slot", "forward"),
    [
        ("step_forward", {}, 0.0, 0.1),
        ("step_backward", {}, 0.0, -0.1),
        ("step_forward", {"distance": 0.5}, 0.0, 0.5),
        ("walk", {"distance": 1.0}, 0.0, 1.0),
        ("walk", {"distance": -0.4}, 0.0, -0.4),
        ("walk", {"distance": 1.0, "speed": 0.5 * WALK.forward}, 0.0, 1.0),
        ("walk", {"duration": 5.0}, 0.0, 5.0 * WALK.forward),
        ("walk", {}, 5.0, 5.0 * WALK.forward),
        ("walk", {}, 0.0, 4.0 * WALK.forward),
        ("walk", {"duration": 2.0, "distance": 20.0, "steps": 1000}, 0.0, 2.0 * WALK.forward),
        ("walk", {"duration": 600.0, "distance": 0.6, "steps": 1000}, 0.0, 0.6),
        ("walk", {"steps": 10}, 0.0, 10 * T1.carrier.step_at(1.0) * WALK.forward),
        ("walk", {"duration": 5.0, "speed": -0.5 * WALK.backward}, 0.0, -2.5 * WALK.backward),
    ],
)
def test_walks_about_as_far_as_told_and_straight(name, parameters, slot, forward) -> None:
    stage = MovedBody(T1)
    report = stage.finish(stage.start(name, slot, **parameters), 60.0)
    assert report.status is SkillStatus.SUCCEEDED
    x, y, yaw = gone(stage)
    assert x == pytest.approx(forward, abs=0.06 + 0.15 * abs(forward))
    assert (y, yaw) == pytest.approx((0.0, 0.0), abs=0.01)
    assert stage.runner.status == "standing"


def test_a_walk_makes_as_many_steps_as_asked() -> None:
    stage, phases = MovedBody(T1), []
    walk = stage.start("walk", steps=40)
    while stage.status(walk) in (None, SkillStatus.RUNNING):
        stage.step()
        phases.append(stage.walker.phase)
    steps = sum((before < 0.5) != (after < 0.5) for before, after in pairwise(phases))
    assert steps == pytest.approx(40, abs=2)


@pytest.mark.parametrize(("name", "way"), [("step_left", 0.1), ("step_right", -0.1)])
def test_a_step_to_a_side_out_of_a_walk_goes_as_far_as_asked(name: str, way: float) -> None:
    stage = MovedBody(T1)
    stage.start("walk", duration=20.0)
    stage.run(2.0)
    assert stage.finish(stage.start(name)).status is SkillStatus.SUCCEEDED
    assert gone(stage)[1] == pytest.approx(way, abs=0.06)


def test_a_turn_slows_down_before_its_end() -> None:
    stage, turns = MovedBody(T1), []
    turn = stage.start("turn_left", angle=1.5)
    while stage.status(turn) in (None, SkillStatus.RUNNING):
        stage.step()
        if abs(stage.state.yaw - 1.2) < 0.05:
            turns.append(stage.walker.turn)
    assert turns
    assert 0.3 < max(turns) < 0.6


@pytest.mark.parametrize(("name", "sign"), [("turn_left", 1), ("turn_right", -1)])
@pytest.mark.parametrize("angle", [math.radians(15), 1.5, 4.0])
def test_turns_about_as_far_as_told_on_the_spot(name: str, sign: int, angle: float) -> None:
    stage = MovedBody(T1)
    start = stage.start(name, angle=angle)
    turned, last = 0.0, 0.0
    while stage.status(start) in (None, SkillStatus.RUNNING):
        stage.step()
        turned, last = turned + math.remainder(stage.state.yaw - last, 2 * math.pi), stage.state.yaw
    assert turned == pytest.approx(sign * angle, abs=0.15)
    assert gone(stage)[:2] == pytest.approx((0.0, 0.0), abs=1e-6)


def test_walk_finds_back_to_its_line() -> None:
    stage = MovedBody(T1)
    walk = stage.start("walk", distance=3.0)
    stage.run(0.5)
    x, y, z = stage.state.base_position
    object.__setattr__(stage.state, "base_position", (x, y + 0.2, z))  # somebody pushed the robot aside
    stage.finish(walk, 60.0)
    assert gone(stage)[1] == pytest.approx(0.0, abs=0.05)
    assert gone(stage)[2] == pytest.approx(0.0, abs=0.1)


def test_curve_has_its_length_and_turns() -> None:
    stage = MovedBody(T1)
    stage.finish(stage.start("walk", distance=1.0, turn=0.5 * WALK.turn), 60.0)
    seconds = len(stage.track) * 0.02
    assert abs(stage.state.yaw) == pytest.approx(0.5 * WALK.turn * seconds, rel=0.3)


@pytest.mark.parametrize(
    ("name", "old", "new", "parameters"),
    [
        ("step_forward", "range: [0.03,", "range: [0,", {"distance": 0.0}),
        ("step_right", "range: [0.03,", "range: [0,", {"distance": 0.0}),
        ("turn_left", "range: [0.1,", "range: [0,", {"angle": 0.0}),
        ("walk", "duration: {range: [0.5,", "duration: {range: [0,", {"duration": 0.0}),
    ],
)
def test_a_walk_of_no_length_is_over_at_once(
    name: str, old: str, new: str, parameters: dict[str, float]
) -> None:
    before, begin, after = T1_FILE.read_text().partition(f"\n  {name}:")
    stage = MovedBody(parse_body(before + begin + after.replace(old, new, 1), "t1.yaml"))
    report = stage.finish(stage.start(name, **parameters), 1.0)
    assert report.status is SkillStatus.SUCCEEDED
    assert gone(stage) == pytest.approx((0.0, 0.0, 0.0), abs=0.02)


@pytest.mark.parametrize("direction", [0.0, 0.8, 1.57, -1.57, 3.14])
def test_a_curve_to_a_side_has_its_length_and_direction(direction: float) -> None:
    stage = MovedBody(T1)
    walk, gone_m, ahead, aside = (
        stage.start("walk", distance=1.0, direction=direction, turn=0.2),
        0.0,
        0.0,
        0.0,
    )
    while stage.status(walk) in (None, SkillStatus.RUNNING):
        x, y, _ = stage.state.base_position
        stage.step()
        dx, dy, yaw = stage.state.base_position[0] - x, stage.state.base_position[1] - y, stage.state.yaw
        gone_m += math.hypot(dx, dy)
        ahead += math.cos(yaw) * dx + math.sin(yaw) * dy
        aside += math.cos(yaw) * dy - math.sin(yaw) * dx
    assert stage.status(walk) is SkillStatus.SUCCEEDED
    assert gone_m == pytest.approx(1.0, abs=0.15)
    assert math.remainder(math.atan2(aside, ahead) - direction, 2 * math.pi) == pytest.approx(0.0, abs=0.05)


FOUND = (-9.0, 4.0, HEIGHT), 2.5  # where a body is that does not know it at first


@pytest.mark.parametrize(
    ("name", "parameters", "way", "turned"),
    [
        ("turn_left", {"angle": 1.5}, 0.0, 1.5),
        ("turn_right", {"angle": 4.0}, 0.0, -4.0),
        ("walk", {"distance": 1.0}, 1.0, 0.0),
        ("walk", {"distance": 1.0, "turn": 0.3}, 1.0, None),
        ("step_left", {"distance": 0.8}, 0.8, 0.0),
    ],
)
def test_a_walk_is_as_long_where_the_body_comes_to_know_its_place_meanwhile(
    name: str, parameters: dict[str, float], way: float, turned: float | None
) -> None:
    stage = MovedBody(T1, settle=0.0)
    stage.state = replace(stage.state, base_position=FOUND[0], yaw=FOUND[1], has_base=False)
    stage.run(2.0)
    walk, places, yaws = stage.start(name, **parameters), [stage.state.base_position], [stage.state.yaw]
    while stage.status(walk) in (None, SkillStatus.RUNNING):
        stage.step()
        if len(places) == 40:
            stage.state = replace(stage.state, has_base=True)
        places.append(stage.state.base_position)
        yaws.append(stage.state.yaw)
    assert len(places) > 50
    assert stage.status(walk) is SkillStatus.SUCCEEDED
    assert sum(math.dist(a, b) for a, b in pairwise(places)) == pytest.approx(way, abs=0.15)
    if turned is not None:
        found = sum(math.remainder(b - a, 2 * math.pi) for a, b in pairwise(yaws))
        assert found == pytest.approx(turned, abs=0.15)


@pytest.mark.parametrize("name", ["foot_pitch", "foot_yaw"])
def test_stepping_on_the_spot_ends_where_it_began(name: str) -> None:
    stage = MovedBody(T1)
    request = stage.start(name, 3.0)
    stage.run(1.0)
    assert stage.runner.status == "walking"
    report = stage.finish(request)
    assert report.status is SkillStatus.SUCCEEDED
    assert len(stage.track) * 0.02 == pytest.approx(3.0, abs=0.8)
    assert gone(stage) == pytest.approx((0.0, 0.0, 0.0), abs=0.1)


def test_cancel_of_a_walk_ends_in_a_stand() -> None:
    stage = MovedBody(T1)
    request = stage.start("walk", duration=20.0)
    stage.run(2.0)
    stage.runner.cancel(request)
    stage.step()
    assert (stage.status(request), stage.runner.status) == (SkillStatus.RUNNING, "walking")
    assert stage.finish(request, 2.0).status is SkillStatus.CANCELED
    assert stage.runner.status == "standing"


def test_hold_stops_stepping_and_resume_walks_the_rest() -> None:
    stage = MovedBody(T1)
    request = stage.start("walk", distance=1.0)
    stage.run(1.5)
    stage.runner.hold(True)
    stage.run(0.04)
    assert not stage.last(request).held
    stage.run(1.5)
    assert stage.last(request).held
    assert (stage.runner.status, stage.runner.held) == ("standing", True)
    x = gone(stage)[0]
    stage.run(2.0)
    assert gone(stage)[0] == x
    stage.runner.hold(False)
    assert stage.finish(request, 30.0).status is SkillStatus.SUCCEEDED
    assert gone(stage)[0] == pytest.approx(1.0, abs=0.1)


def test_walk_that_does_not_get_there_fails_with_how_far_it_came() -> None:
    stage = MovedBody(T1)
    stage.moved = lambda dt: stage.state  # it walks against a wall
    report = stage.finish(stage.start("step_forward"), 30.0)
    assert report.status is SkillStatus.FAILED
    assert "only 0% of the way after" in report.reason
    stage.run(1.0)
    assert stage.runner.status == "standing"


def test_next_step_takes_over_without_a_stand_between() -> None:
    stage = MovedBody(T1)
    first = stage.start("walk", duration=20.0)
    stage.run(2.0)
    second = stage.start("turn_left")
    stage.step()
    assert (stage.status(first), stage.runner.status) == (SkillStatus.REPLACED, "walking")
    assert stage.finish(second).status is SkillStatus.SUCCEEDED


def test_arms_swing_with_the_walk_unless_a_skill_drives_them() -> None:
    stage = MovedBody(T1)
    stage.start("walk", duration=20.0)
    stage.run(3.0)
    assert max(stage.angles("Left_Shoulder_Pitch")) > 0.01 or abs(T1.carrier.parameters.arm_swing) < 0.02
    arms = stage.start("hand_roll")
    stage.finish(arms)
    assert stage.angle("Left_Shoulder_Pitch") == pytest.approx(0.0, abs=1e-3)


def test_velocity_command_walks_turns_and_times_out() -> None:
    stage = MovedBody(T1)
    for _ in range(100):
        assert stage.runner.set_velocity(0.5 * WALK.forward, 0.5 * WALK.turn)
        stage.step()
    assert stage.runner.velocity == pytest.approx((0.5 * WALK.forward, 0.0, 0.5 * WALK.turn))
    stage.run(2.0)
    assert stage.runner.status == "standing"


@pytest.mark.parametrize(
    ("wanted", "of_full"), [(0.1, 0.5), (-0.1, -0.5), (9.0, 1.0), (-9.0, -1.0), (0.0, 0.0)]
)
def test_share_of_full_speed_is_cut_off(wanted: float, of_full: float) -> None:
    assert share(wanted, 0.2) == of_full


def test_velocity_beyond_the_gait_is_cut_off() -> None:
    stage = MovedBody(T1)
    for _ in range(100):
        stage.runner.set_velocity(-9.0, 0.0)
        stage.step()
    assert stage.runner.velocity[0] == pytest.approx(-WALK.backward)


def test_all_axes_at_once_are_cut_off_together() -> None:
    """Full speed on each axis at once throws a robot on two legs over; their proportion is kept."""
    stage = MovedBody(T1)
    for _ in range(100):
        stage.runner.set_velocity(9.0, -9.0, left=9.0)
        stage.step()
    walker = stage.walker
    shares = walker.forward, -walker.turn, walker.left
    assert shares == pytest.approx((1.1 / 3**0.5,) * 3)
    assert "together they are cut to 64%" in stage.runner.remark


def test_velocity_replaces_a_walk_and_a_zero_does_not() -> None:
    stage = MovedBody(T1)
    walk = stage.start("walk", duration=20.0)
    stage.run(1.0)
    stage.runner.set_velocity(0.0, 0.0)
    stage.step()
    assert stage.status(walk) is SkillStatus.RUNNING
    stage.runner.set_velocity(0.0, 0.3)
    stage.step()
    assert stage.status(walk) is SkillStatus.REPLACED
    step = stage.start("step_forward")
    assert stage.finish(step).status is SkillStatus.SUCCEEDED


def test_stopped_is_a_body_that_nothing_has_moved_since_the_stop() -> None:
    stage = MovedBody(T1)
    runner, joint = stage.runner, T1.joints[0]
    assert not runner.stopped
    for move in (
        lambda: runner.set_velocity(0.2, 0.0),
        lambda: runner.drive([joint.name], {"position": [0.1]}),
        lambda: runner.follow([joint.name], [TrajectoryPoint(1.0, (0.1,))]),
        lambda: runner.walk_to(0.5, 0.0, 0.0),
        lambda: stage.start("stand"),
    ):
        runner.stop()
        runner.set_velocity(0.0, 0.0)  # an idle joystick
        stage.run(0.1)
        assert runner.stopped
        move()
        stage.run(0.1)
        assert not runner.stopped


def test_zero_velocity_stops_a_velocity_and_stop_too() -> None:
    for end in (lambda stage: stage.runner.set_velocity(0.0, 0.0), lambda stage: stage.runner.stop()):
        stage = MovedBody(T1)
        stage.runner.set_velocity(0.2, 0.0, timeout=60.0)
        stage.run(1.0)
        assert stage.runner.status == "walking"
        end(stage)
        stage.run(1.5)
        assert stage.runner.status == "standing"
