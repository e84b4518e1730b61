# SPDX-License-Identifier: Apache-2.0
"""A body whose base drives as it is told."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from motion_stage import DT, T1_FILE, Stage

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.body.state import SkillStatus
from embodiment_bridge.core.errors import ConfigError

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


class Cart(Stage):
    """A base that does at once what the runner asks of it."""

    def __init__(self) -> None:
        super().__init__(CART, settle=1.0)

    def _moved(self, dt: float):
        forward, turn = self.runner.velocity
        x, y, z = self.state.base_position
        yaw = self.state.yaw + turn * dt
        place = (x + forward * dt * math.cos(yaw), y + forward * dt * math.sin(yaw), z)
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
    forwards = [forward for forward, _ in speeds]
    assert max(forwards) == 0.5  # what it can at most
    assert min(turn for _, turn in speeds) == pytest.approx(-0.5)
    assert max(abs(b - a) for a, b in pairwise(forwards)) <= 2.0 * DT + 1e-9
    assert speeds[-1] == pytest.approx((0.0, 0.0))
    assert cart.runner.status == "standing"


def test_goal_is_reached() -> None:
    cart = Cart()
    cart.runner.walk_to(0.5, 0.5, 1.0)
    cart.run(10.0)
    assert (cart.x, cart.state.base_position[1]) == pytest.approx((0.5, 0.5), abs=0.15)
    assert cart.state.yaw == pytest.approx(1.0, abs=0.15)


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
    assert cart.runner.velocity == (0.0, 0.0)
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
