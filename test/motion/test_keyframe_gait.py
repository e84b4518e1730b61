# SPDX-License-Identifier: Apache-2.0
"""A gait of keyframes: steps, goes and stops as told, without a jump."""

import itertools

import pytest

from embodiment_bridge.body.body_file import parse_body
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.motion.gait.steps import Kick
from embodiment_bridge.motion.gait.walk import TOGETHER, WalkCommand
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.locomotion.keyframe_gait import KeyframeGait
from embodiment_bridge.motion.locomotion.locomotion import locomotion_of
from embodiment_bridge.motion.walking.walk_program import Walk

BODY = """
body: toy
channels: [legs]
joints:
  a: {channel: legs, range: [-1, 1], velocity: 10, effort: 1, kp: 1, kd: 1, rest: 0.1}
  b: {channel: legs, range: [-1, 1], velocity: 10, effort: 1, kp: 1, kd: 1}
base:
  forward: 0.2
  backward: 0.1
  turn: 1.0
  acceleration: 1.0
  turn_acceleration: 5.0
  step_s: 0.5
  cycle:
    count: 4
    step: {a: [0.0, 0.4, 0.0, 0.0]}
    forward: {b: [0.0, 0.2, 0.0, -0.2]}
    turn: {b: [0.1, 0.0, -0.1, 0.0]}
skills: {}
"""
WITH_SIDES = BODY.replace("  turn: 1.0", "  turn: 1.0\n  left: 0.1").replace(
    "skills:", "    left: {a: [0, 0, 0, 0.3]}\nskills:"
)
KICK = """
  kick:
    seconds: 0.8
    ahead: 0.2
    aside: 0.05
    ways: [3.0]
    outward: [0.1]
    keyframes:
      - {at: 0.5, a: 0.5}
      - {at: 1.0, rest: true}
"""
PAIR = BODY.replace("rest: 0.1}", "rest: 0.1, mirror: -b}").replace(
    "kd: 1}\nbase", "kd: 1, rest: -0.1, mirror: -a}\nbase"
)
KICKER = PAIR.replace("skills:", f"{KICK}skills:")
DT = 0.02


def toy(text=BODY):
    return parse_body(text, "toy.yaml")


class Walker:
    """The gait by itself, in the rest pose at first."""

    def __init__(self, text=BODY):
        body = toy(text)
        self.rest = [joint.rest for joint in body.joints]
        self.gait = locomotion_of(body, {joint.name: i for i, joint in enumerate(body.joints)})
        self.sensed = Sensed(self.rest)
        self.limits = body.carrier.walk
        self.gait.start_from(self.rest)

    def run(self, seconds):
        rows = []
        for _ in range(round(seconds / DT)):
            self.gait.step(self.sensed, False, DT)
            out = list(self.rest)
            self.gait.write(out)
            rows.append(out)
        return rows


def test_body_with_a_cycle_walks_by_keyframes():
    assert isinstance(Walker().gait, KeyframeGait)


def test_stands_in_the_rest_pose():
    walker = Walker()
    assert walker.run(1.0)[-1] == pytest.approx(walker.rest)
    assert walker.gait.standing
    assert walker.gait.calm


def test_steps_on_the_spot_without_going_anywhere():
    walker = Walker()
    walker.gait.program = Walk(walker.limits, 0.0, duration=5.0)
    rows = walker.run(4.0)
    assert max(row[0] for row in rows) == pytest.approx(0.5, abs=0.03)
    assert {row[1] for row in rows} == {0.0}
    assert walker.gait.walker.velocity == (0.0, 0.0, 0.0)


def test_goes_at_full_speed_and_comes_to_rest_without_a_jump():
    walker = Walker()
    walker.gait.program = Walk(walker.limits, 1.0, duration=3.0)
    rows = walker.run(2.0)
    assert walker.gait.walker.velocity[0] == pytest.approx(0.2)
    assert max(row[1] for row in rows) == pytest.approx(0.2, abs=0.02)
    rows += walker.run(4.0)
    assert walker.gait.calm
    assert rows[-1] == pytest.approx(walker.rest)
    steps = [
        abs(b - a) for before, after in itertools.pairwise(rows) for a, b in zip(before, after, strict=True)
    ]
    assert max(steps) < 0.05


def test_half_speed_is_half_the_stride():
    walker = Walker()
    walker.gait.program = Walk(walker.limits, 0.5, duration=9.0)
    rows = walker.run(5.0)
    assert max(row[1] for row in rows[150:]) == pytest.approx(0.1, abs=0.02)


def test_held_stops_stepping():
    walker = Walker()
    walker.gait.program = Walk(walker.limits, 1.0, duration=9.0)
    walker.run(2.0)
    walker.gait.held = True
    walker.run(2.0)
    assert walker.gait.standing


def test_goes_to_the_side_with_a_table_for_it():
    walker = Walker(WITH_SIDES)
    walker.gait.program = Walk(walker.limits, 0.0, duration=9.0, left=-1.0)
    rows = walker.run(4.0)
    assert walker.gait.walker.velocity[1] == pytest.approx(-0.1)
    assert min(row[0] for row in rows) == pytest.approx(0.1 - 0.3, abs=0.02)


class KickWhileWalking:
    """Walks for a second, then asks for a kick until it is under way."""

    done, progress, patience, failure = False, 0.0, 9.0, ""

    def __init__(self, left):
        self.left, self.time, self.kicked = left, 0.0, False

    def step(self, pose, walker, dt):
        self.time += dt
        self.kicked = self.kicked or walker.kicking
        kick = Kick(self.left, 1.0) if self.time > 1.0 and not self.kicked else None
        return WalkCommand(not self.kicked, 0.5, kick=kick)


@pytest.mark.parametrize(("left", "joint", "sign"), [(True, 0, 1.0), (False, 1, -1.0)])
def test_kick_stands_first_then_moves_the_foot_and_stands_again(left, joint, sign):
    walker = Walker(KICKER)
    walker.gait.program = KickWhileWalking(left)
    rows = walker.run(1.04)
    assert not walker.gait.standing
    while not walker.gait.walker.kicking:
        rows += walker.run(DT)
    assert walker.gait.walker.still
    assert not walker.gait.standing
    kick = walker.run(0.4)
    assert kick[-1][joint] == pytest.approx(sign * 0.5, abs=0.02)
    assert {row[1 - joint] for row in kick} == {walker.rest[1 - joint]}
    assert walker.gait.walker.kicking
    kick += walker.run(0.5)
    assert walker.gait.calm
    assert not walker.gait.walker.kicking
    rows += kick
    assert rows[-1] == pytest.approx(walker.rest)
    steps = [
        abs(b - a) for before, after in itertools.pairwise(rows) for a, b in zip(before, after, strict=True)
    ]
    assert max(steps) < 0.06


@pytest.mark.parametrize("end", ["stopped", "held"])
def test_kick_that_has_not_begun_when_the_walk_ends_is_left_out(end):
    walker = Walker(KICKER)
    walker.gait.program = KickWhileWalking(left=True)
    walker.run(1.1)
    assert walker.gait.walker.kick is not None
    assert not walker.gait.walker.still
    if end == "stopped":
        walker.gait.program = None
    else:
        walker.gait.held = True
    for _ in range(100):
        walker.run(DT)
        assert not walker.gait.walker.kicking
    assert walker.gait.calm


@pytest.mark.parametrize("end", ["stopped", "held"])
def test_kick_that_has_begun_goes_on_to_its_end_and_the_next_walk_begins_with_the_left_foot(end):
    walker = Walker(KICKER)
    walker.gait.program = KickWhileWalking(left=True)
    while not walker.gait.walker.kicking:
        walker.run(DT)
    if end == "stopped":
        walker.gait.program = None
    else:
        walker.gait.held = True
    assert walker.run(0.4)[-1][0] == pytest.approx(0.5, abs=0.04)
    walker.run(0.5)
    assert walker.gait.calm
    assert walker.gait._phase == 0.0


def test_walk_to_a_side_is_slower_where_its_axes_together_are_too_much():
    pace = Walker(WITH_SIDES).gait.walker
    all_three = pace.possible(WalkCommand(True, 0.7, 1.0, 1.0))
    assert all_three.length == pytest.approx(TOGETHER)
    assert all_three.forward / all_three.left == pytest.approx(0.7)
    assert pace.possible(WalkCommand(True, 1.0, 1.0)) == WalkCommand(True, 1.0, 1.0)


def test_kick_is_given_up_when_the_legs_begin_anew():
    walker = Walker(KICKER)
    walker.gait.program = KickWhileWalking(left=True)
    walker.run(2.0)
    assert walker.gait.walker.kicking
    walker.gait.program = None
    walker.gait.start_from([0.3, 0.3])  # as after a fall
    assert walker.run(1.0)[-1] == pytest.approx(walker.rest)
    assert walker.gait.calm


@pytest.mark.parametrize(
    ("good", "bad", "why"),
    [
        ("rest: true", "a: 0.1", "kick.keyframes: .* is not a list that ends with rest: true"),
        ("a: 0.5", "c: 0.5", "unknown key 'c'"),
        (
            "seconds: 0.8",
            "seconds: 0.1",
            "kick.seconds: 0.1 is not long enough for its joints, which need 0.15",
        ),
        ("    seconds: 0.8", "", "kick.seconds: missing"),
        ("ways: [3.0]", "ways: []", "kick.ways"),
        ("outward: [0.1]", "outward: [0.1, 0.2]", "kick.outward"),
        ("    ahead:", "    more: 1\n    ahead:", "unknown key 'more'"),
        (
            "range: [-1, 1], velocity: 10, effort: 1, kp: 1, kd: 1, rest: -0.1",
            "range: [-0.2, 1], velocity: 10, effort: 1, kp: 1, kd: 1, rest: -0.1",
            "possible for the other foot: 'b' cannot go to -0.5",
        ),
    ],
)
def test_kick_that_cannot_be_used_is_refused_by_name(good, bad, why):
    assert KICKER.count(good) == 1
    with pytest.raises(ConfigError, match=why):
        toy(KICKER.replace(good, bad))


def test_speed_to_the_side_and_its_table_go_together():
    toy(WITH_SIDES)
    for text in (
        WITH_SIDES.replace("  left: 0.1\n", ""),
        BODY.replace("  turn: 1.0", "  turn: 1.0\n  left: 0.1"),
    ):
        with pytest.raises(ConfigError, match=r"base\.left: .* is not a speed, beside the table cycle\.left"):
            toy(text)


@pytest.mark.parametrize(
    ("good", "bad", "named"),
    [
        ("count: 4", "count: 1", "count"),
        ("count: 4", "count: 5", "a list of 5 numbers"),
        ("{a: [0.0, 0.4", "{c: [0.0, 0.4", "unknown key 'c'"),
        ("0.4, 0.0, 0.0]", "0.4, 0.0, nan]", "finite"),
        ("    turn:", "    trun:", "turn"),
        ("  cycle:", "  swing: {a: 0.1}\n  cycle:", "swing"),
        ("    count: 4", "    count: 4\n    more: 1", "more"),
    ],
)
def test_cycle_that_cannot_be_used_is_refused_by_name(good, bad, named):
    assert good in BODY
    with pytest.raises(ConfigError, match=named):
        toy(BODY.replace(good, bad, 1))
