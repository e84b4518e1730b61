# SPDX-License-Identifier: Apache-2.0
"""Joint targets to speeds: without overshoot, off the stops, and calm where the server catches up in bursts."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nao_stage import Nao

from embodiment_bridge.body.state import JointTargets
from embodiment_bridge.protocols.simspark.convert import (
    CYCLE,
    DELAY,
    SHARE,
    Limits,
    VelocityLoop,
)
from embodiment_bridge.protocols.simspark.converter import KEPT, LATE, ON_TIME, Bursts

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


def off(nao):
    """The greatest distance (rad) of a joint from where the body rests."""
    rest = [joint.rest for joint in nao.body.joints]
    return max(abs(a - b) for a, b in zip(nao.state.position, rest, strict=True))


@pytest.mark.parametrize("length", [5, 59])
def test_robot_at_rest_stays_there_in_bursts(length):
    nao = Nao().run(3.0)
    for _ in range(40):
        nao.burst(length)
        assert off(nao) < 0.01


@pytest.mark.parametrize("length", [5, 59])
def test_joint_that_is_off_comes_back_in_bursts_without_swinging(length):
    nao = Nao().run(3.0)
    nao.burst(length)
    nao.player.angles["laj1"] += 30.0
    way = []
    for _ in range(30):
        nao.burst(length)
        way.append(off(nao))
    assert way[-1] < 0.01
    assert all(later < before + 0.01 for before, later in pairwise(way))


def test_bursts_are_told_until_the_server_has_been_on_time_for_a_while():
    nao = Nao().run(1.0)
    assert nao.burst(LATE - 1) == ""
    told = nao.burst(12)
    assert told == "the server is late: 12 percepts came at once, so commands act too late"
    assert nao.burst(30) == told
    assert [nao.burst(1) for _ in range(ON_TIME)] == [told] * (ON_TIME - 1) + [""]


def test_gain_comes_back_a_second_after_a_burst():
    bursts = Bursts()
    assert bursts.cycles == 1
    bursts.batch_received(20)
    found = []
    for _ in range(KEPT):
        bursts.batch_received(1)
        found.append(bursts.cycles)
    assert found == [20] * (KEPT - 1) + [1]


def test_another_connection_begins_on_time():
    nao = Nao().run(1.0)
    nao.burst(30)
    nao.converter.handshake()
    assert nao.converter.batch_received(1) == ""
