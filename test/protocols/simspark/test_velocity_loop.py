# SPDX-License-Identifier: Apache-2.0
"""Joint targets to speeds: arrives without overshoot, stays off the stops, winds nothing up."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.body.state import JointTargets
from embodiment_bridge.protocols.simspark.convert import (
    CYCLE,
    DELAY,
    SHARE,
    Limits,
    VelocityLoop,
)

LIMITS = Limits(-1.0, 1.5, 6.0)
MAX_GAIN = SHARE / CYCLE  # 1/s
LOOKAHEAD = DELAY + CYCLE  # s that a speed may last: a command is seen, answered and obeyed in two cycles


def targets(position, velocity=0.0, kp=10.0, kd=1.0):
    return JointTargets((position,), (velocity,), (kp,), (kd,), (0.0,))


def speed(angle, goal, **values):
    return VelocityLoop([LIMITS]).speeds([angle], targets(goal, **values), CYCLE)[0]


class Joint:
    """A joint of the server: a speed that is sent shows ``delay`` cycles later."""

    def __init__(self, delay):
        self.angle, self.loop, self.pending = 0.0, VelocityLoop([LIMITS]), [0.0] * delay

    def follow(self, goal):
        self.pending.append(self.loop.speeds([self.angle], targets(goal), CYCLE)[0])
        self.angle += self.pending.pop(0) * CYCLE


@pytest.mark.parametrize("delay", [0, 1, 2])
def test_step_arrives_with_less_than_a_tenth_beyond(delay):
    joint = Joint(delay)
    way = []
    for _ in range(100):
        joint.follow(0.5)
        way.append(joint.angle)
    assert way[-1] == pytest.approx(0.5, abs=1e-3)
    assert max(way) < 0.55


@pytest.mark.parametrize("delay", [0, 1])
def test_ramp_is_followed_closely(delay):
    joint = Joint(delay)
    for count in range(1, 26):
        joint.follow(0.04 * count)
    assert joint.angle == pytest.approx(1.0, abs=0.06)


def test_speed_that_is_asked_for_is_sent_when_there_is_no_gain():
    assert speed(0.0, 1.0, velocity=0.7, kp=0.0) == 0.7
    assert speed(0.0, 1.0, kp=0.0) == 0.0


def test_gain_is_stiffness_by_damping_up_to_what_the_delay_allows():
    assert speed(0.0, 0.1, kp=5.0, kd=1.0) == pytest.approx(0.5)
    assert speed(0.0, 0.1, kp=500.0, kd=1.0) == pytest.approx(0.1 * MAX_GAIN)
    assert speed(0.0, 0.1, kp=1.0, kd=0.0) == pytest.approx(0.1 * MAX_GAIN)


def test_joint_beyond_a_stop_is_driven_back_in_every_cycle():
    assert speed(1.52, 1.5) < 0.0
    assert speed(1.52, 9.0, velocity=5.0) < 0.0
    assert speed(-1.02, -9.0) > 0.0


def test_held_joint_winds_nothing_up():
    loop = VelocityLoop([LIMITS])
    for _ in range(500):
        assert loop.speeds([0.0], targets(1.4), CYCLE)[0] <= LIMITS.speed
    assert loop.speeds([1.4], targets(1.4), CYCLE)[0] == pytest.approx(0.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_stops_the_joint(bad):
    assert speed(bad, 1.0) == 0.0
    assert speed(0.0, 1.0, velocity=bad) == 0.0


def test_restart_forgets_the_last_goal():
    loop = VelocityLoop([LIMITS])
    loop.speeds([0.0], targets(0.0), CYCLE)
    loop.restart()
    assert loop.speeds([1.0], targets(1.0), CYCLE) == [0.0]


@given(
    st.floats(-1.0, 1.5),
    st.floats(-100, 100),
    st.floats(-100, 100),
    st.floats(0, 1e4),
    st.floats(0, 10),
    st.floats(),
)
def test_no_speed_brings_a_joint_beyond_its_stop(angle, goal, velocity, kp, kd, dt):
    loop = VelocityLoop([LIMITS])
    found = loop.speeds([angle], targets(goal, velocity, kp, kd), dt)[0]
    assert abs(found) <= LIMITS.speed
    assert LIMITS.lower - 1e-9 <= angle + found * LOOKAHEAD <= LIMITS.upper + 1e-9
