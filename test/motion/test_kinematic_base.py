# SPDX-License-Identifier: Apache-2.0
"""A body whose base drives as it is told."""

import math
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from motion_stage import DT, T1_FILE, MovedBody

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.core.errors import CommandError, ConfigError

CART_FILE = """
body: cart
channels: [legs, head]
joints:
  left: {channel: legs, range: [-1, 1], velocity: 10, effort: 1, kp: 0, kd: 0, rest: 0.1, mirror: right}
  right: {channel: legs, range: [-1, 1], velocity: 10, effort: 1, kp: 0, kd: 0, rest: 0.1, mirror: left}
  pan: {channel: head, range: [-1, 1], velocity: 5, effort: 1, kp: 0, kd: 0}
base:
  forward: 0.5
  backward: 0.25
  turn: 1.0
  acceleration: 2.0
  turn_acceleration: 5.0
  step_s: 0.5
  swing: {left: 0.4, right: -0.4}
skills:
  go:
    kind: walk
    walk: free
    channels: [legs]
    nominal_s: 2.0
    min_s: 0.5
    parameters: {distance: {range: [-9, 9]}, steps: {range: [1, 9]}, speed: {range: [-1, 1]}, turn: {range: [-1, 1]}}
  turn:
    kind: walk
    walk: turn
    channels: [legs]
    nominal_s: 1
    min_s: 1
    parameters: {angle: {range: [0, 7], default: 1}}
  crouch: {kind: motion, channels: [legs], nominal_s: 1, min_s: 0.5, keyframes: [{at: 1, left: 0.9, right: 0.9}]}
"""
CART = parse_body(CART_FILE, "cart.yaml")
SIDE = (
    "  side: {kind: walk, walk: side, channels: [legs], nominal_s: 1, min_s: 1, direction: -1, "
    "parameters: {distance: {range: [0, 9], default: 1}}}\n"
)
ANY_WAY_FILE = CART_FILE.replace("  turn: 1.0\n", "  turn: 1.0\n  left: 0.4\n", 1) + SIDE
ANY_WAY = parse_body(
    ANY_WAY_FILE.replace("turn: {range: [-1, 1]}}", "direction: {range: [-4, 4]}}"), "cart.yaml"
)


class Cart(MovedBody):
    """A base that does at once what the runner asks of it."""

    def __init__(self, body=CART) -> None:
        super().__init__(body, settle=1.0)

    def moved(self, dt: float):
        forward, left, turn = self.runner.velocity
        x, y, z = self.state.base_position
        yaw = self.state.yaw + turn * dt
        c, s = math.cos(yaw), math.sin(yaw)
        place = (x + (forward * c - left * s) * dt, y + (forward * s + left * c) * dt, z)
        return replace(self.state, base_position=place, yaw=math.remainder(yaw, 2 * math.pi))

    @property
    def x(self) -> float:
        return self.state.base_position[0]


@pytest.mark.parametrize("distance", [0.2, 2.0, -0.3])
def test_way_is_kept(distance: float) -> None:
    cart = Cart()
    report = cart.finish(cart.start("go", distance=distance))
    assert report.status is SkillStatus.SUCCEEDED
    assert cart.x == pytest.approx(distance, abs=0.02)
    assert cart.runner.status == "standing"


@pytest.mark.parametrize("angle", [0.3, 1.0, 6.3])
def test_turn_is_kept(angle: float) -> None:
    cart = Cart()
    cart.finish(cart.start("turn", angle=angle))
    assert cart.state.yaw == pytest.approx(math.remainder(angle, 2 * math.pi), abs=0.04)


def test_steps_have_their_time() -> None:
    cart = Cart()
    cart.finish(cart.start("go", steps=4))
    assert len(cart.track) * DT == pytest.approx(4 * 0.5 + 0.3, abs=0.2)


def test_velocity_ramps_and_ends_by_itself() -> None:
    cart = Cart()
    assert cart.runner.set_velocity(9.0, -0.5)
    speeds = []
    for _ in range(60):
        cart.step()
        speeds.append(cart.runner.velocity)
    forwards = [forward for forward, _, _ in speeds]
    assert max(forwards) == 0.5  # what it can at most
    assert min(turn for _, _, turn in speeds) == pytest.approx(-0.5)
    assert max(abs(b - a) for a, b in pairwise(forwards)) <= 2.0 * DT + 1e-9
    assert speeds[-1] == pytest.approx((0.0, 0.0, 0.0))
    assert cart.runner.status == "standing"


@pytest.mark.parametrize("body", [CART, ANY_WAY], ids=["forwards only", "any way"])
@pytest.mark.parametrize("goal", [(0.5, 0.5, 1.0), (-0.1, 0.15, -1.0), (3.0, -2.0, 3.0), (0.0, 0.0, 0.5)])
def test_goal_is_reached(body, goal) -> None:
    cart = Cart(body)
    cart.runner.walk_to(*goal)
    cart.run(25.0)
    slack = 0.06 if body is ANY_WAY else 0.15
    assert (cart.x, cart.state.base_position[1]) == pytest.approx(goal[:2], abs=slack)
    assert math.remainder(cart.state.yaw - goal[2], 2 * math.pi) == pytest.approx(0.0, abs=0.1)
    assert cart.reports[-1].status is SkillStatus.SUCCEEDED


def test_goal_is_gone_to_again_after_a_push() -> None:
    cart = Cart(ANY_WAY)
    cart.runner.walk_to(0.3, 0.0, 0.0)
    while cart.runner.status == "walking" or cart.x < 0.2:
        cart.step()
    cart.state = replace(cart.state, base_position=(0.3, 0.25, 0.65))  # before it has looked where it stands
    cart.run(10.0)
    assert cart.state.base_position[:2] == pytest.approx((0.3, 0.0), abs=0.06)


def test_goes_sideways_by_velocity_skill_and_direction() -> None:
    cart = Cart(ANY_WAY)
    for _ in range(100):
        cart.runner.set_velocity(0.0, 0.0, left=0.2)
        cart.step()
    assert cart.state.base_position[:2] == pytest.approx((0.0, 0.4), abs=0.03)
    cart.run(1.5)
    y = cart.state.base_position[1]
    assert cart.finish(cart.start("side", distance=0.5)).status is SkillStatus.SUCCEEDED
    assert cart.state.base_position[1] - y == pytest.approx(-0.5, abs=0.03)
    before = cart.state.base_position
    cart.finish(cart.start("go", distance=1.0, speed=0.3, direction=2.0))
    moved = [after - start for after, start in zip(cart.state.base_position[:2], before[:2], strict=True)]
    assert moved == pytest.approx([math.cos(2.0), math.sin(2.0)], abs=0.05)
    assert cart.state.yaw == pytest.approx(0.0, abs=0.02)


def test_direction_to_the_side_is_refused_without_sides() -> None:
    text = CART_FILE.replace("turn: {range: [-1, 1]}}", "direction: {range: [-4, 4]}}")
    with pytest.raises(CommandError, match=r"'go': direction 1 rad, but this body cannot go sideways"):
        Cart(parse_body(text, "cart.yaml")).start("go", distance=1.0, direction=1.0)


@pytest.mark.parametrize(
    ("body", "velocity", "remark"),
    [
        (CART, (0.5, 0.0, 1.0), ""),
        (CART, (0.6, 0.0, 0.0), "forward 0.6 m/s is cut to -0.25..0.5"),
        (CART, (0.1, 0.2, 2.0), "left 0.2 m/s counts as zero: .*, turn 2 rad/s is cut to -1..1"),
        (ANY_WAY, (0.0, -0.5, 0.0), "left -0.5 m/s is cut to -0.4..0.4"),
        (ANY_WAY, (-0.25, 0.4, -1.0), ""),
        (CART, (0.01, 0.0, 0.0), "not faster than 2% of full speed: it stands"),
        (CART, (0.011, 0.0, 0.0), ""),
    ],
)
def test_what_a_velocity_asks_in_vain_is_said(body, velocity, remark) -> None:
    cart = Cart(body)
    forward, left, turn = velocity
    cart.runner.set_velocity(forward, turn, left=left)
    assert re.fullmatch(remark or "", cart.runner.remark) or re.match(remark, cart.runner.remark)
    assert bool(cart.runner.remark) == bool(remark)
    cart.run(2.0)
    assert cart.runner.remark == ""  # it is over


def test_a_velocity_of_zero_asks_for_nothing_in_vain() -> None:
    cart = Cart()
    cart.runner.set_velocity(0.01, 0.0)
    cart.runner.set_velocity(0.0, 0.0)
    assert cart.runner.remark == ""


def test_velocity_without_a_pose_says_that_it_is_not_corrected() -> None:
    cart = Cart()
    cart.state = replace(cart.state, has_base=False)
    cart.moved = lambda dt: cart.state
    cart.run(1.0)
    for _ in range(50):
        cart.runner.set_velocity(0.2, 0.0)
        cart.step()
    assert cart.runner.remark == "no pose is sensed, so the velocity is not corrected"
    assert cart.runner.velocity[0] == pytest.approx(0.2)


def test_velocity_is_kept_by_a_base_that_is_slower_than_told() -> None:
    """The base loses a third of its speed and drifts, as a gait does: the pose corrects both."""
    cart = Cart(ANY_WAY)
    ideal = cart.moved

    def slipping(dt: float):
        before, after = cart.state.base_position, ideal(dt)
        x, y, z = (b + 0.66 * (a - b) for a, b in zip(after.base_position, before, strict=True))
        return replace(after, base_position=(x, y + 0.05 * dt, z), yaw=after.yaw + 0.1 * dt)

    cart.moved = slipping
    for _ in range(1000):
        cart.runner.set_velocity(0.2, 0.0)
        cart.step()
    x, y, _ = cart.state.base_position
    assert x == pytest.approx(4.0, rel=0.05)
    assert (y, cart.state.yaw) == pytest.approx((0.0, 0.0), abs=0.08)


def test_hold_stops_and_goes_on() -> None:
    cart = Cart()
    request = cart.start("go", distance=1.0)
    cart.run(0.5)
    cart.runner.hold(True)
    cart.run(0.5)
    x = cart.x
    assert cart.runner.held
    assert cart.last(request).held
    cart.run(1.0)
    assert cart.x == x
    cart.runner.hold(False)
    cart.finish(request)
    assert cart.x == pytest.approx(1.0, abs=0.03)


def test_legs_swing_against_each_other_and_come_to_rest() -> None:
    cart = Cart()
    cart.finish(cart.start("go", distance=1.0))
    left, right = cart.angles("left"), cart.angles("right")
    assert max(left) == pytest.approx(0.5, abs=0.01)
    assert min(left) == pytest.approx(-0.3, abs=0.01)
    assert all(a - 0.1 == pytest.approx(0.1 - b) for a, b in zip(left, right, strict=True))
    cart.run(0.2)
    assert cart.angle("left") == pytest.approx(0.1)


def test_keyframes_of_the_legs_wait_until_it_stands() -> None:
    cart = Cart()
    cart.start("go", distance=3.0)
    cart.run(1.0)
    crouch = cart.start("crouch")
    cart.step()
    assert cart.runner.velocity[0] > 0.3
    assert cart.finish(crouch).status is SkillStatus.SUCCEEDED
    assert cart.runner.velocity == (0.0, 0.0, 0.0)
    assert cart.angle("left") == pytest.approx(0.9)
    cart.run(1.0)  # and then it stands again, as bodies with a gait do
    assert cart.angle("left") == pytest.approx(0.1)
    speeds = [abs(b - a) / DT for a, b in pairwise(cart.angles("left"))]
    assert max(speeds[-50:]) < 3.0


FAULTS = [
    ("forward: 0.5", "forward: 0", "base.forward: 0 is not within 0.01..100"),
    ("  step_s: 0.5\n", "", "base.step_s: missing"),
    ("acceleration: 2.0", "acceleration: fast", "base.acceleration: 'fast' is not a finite number"),
    ("  forward: 0.5", "  forwards: 0.5", "base.forward: missing"),
    ("  forward: 0.5", "  forward: 0.5\n  wheels: 4", "base: unknown key 'wheels'"),
    ("swing: {left: 0.4", "swing: {lefd: 0.4", r"base.swing: unknown key 'lefd'; did you mean 'left'\?"),
    ("swing: {left: 0.4", "swing: {pan: 0.4", r"base.swing: unknown key 'pan' \(known: left, right\)"),
    ("swing: {left: 0.4", "swing: {left: 40", "base.swing.left: 40 is not within -10..10"),
    ("base:", "feet:", "skills.go.kind: 'walk' is not possible without a gait or a base"),
]


@pytest.mark.parametrize(("old", "new", "message"), FAULTS)
def test_fault_is_named(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"cart.yaml: {message}"):
        parse_body(CART_FILE.replace(old, new, 1), "cart.yaml")


def test_skill_to_the_side_needs_a_body_that_can_do_it() -> None:
    with pytest.raises(
        ConfigError, match=r"side.walk: 'side' is not possible for a body that cannot go sideways"
    ):
        parse_body(CART_FILE + SIDE, "cart.yaml")


def test_gait_and_base_exclude_each_other() -> None:
    base = CART_FILE[CART_FILE.index("base:") : CART_FILE.index("  swing")]
    with pytest.raises(ConfigError, match=r"base: .* is not possible beside a gait"):
        parse_body(T1_FILE.read_text(encoding="utf-8") + base, "t1.yaml")


TEXT_FAULTS = [
    ("{longest: 0}", "text.longest: 0 is not within 1..10000"),
    ("{longest: 3, default: hello}", "text.default: 'hello' is not of at most 3 characters"),
    ("{longest: 3, range: [0, 1]}", "text: unknown key 'range'"),
    ("{default: a}", "text.range: missing"),
]


@pytest.mark.parametrize(("parameter", "message"), TEXT_FAULTS)
def test_fault_of_a_text_is_named(parameter: str, message: str) -> None:
    say = f"  say: {{kind: native, channels: [face], nominal_s: 1, min_s: 0, parameters: {{text: {parameter}}}}}\n"
    with pytest.raises(ConfigError, match=f"skills.say.parameters.{message}"):
        parse_body(CART_FILE + say, "cart.yaml")
