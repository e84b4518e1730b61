# SPDX-License-Identifier: Apache-2.0
"""A server that is short of time catches up in bursts: the joints stay calm, and people are told."""

from itertools import pairwise

import pytest
from nao_stage import Nao

from embodiment_bridge.protocols.simspark.converter import KEPT, LATE, ON_TIME, Bursts


def off(nao):
    """The greatest distance (rad) of a joint from where the body rests."""
    rest = [joint.rest for joint in nao.body.joints]
    return max(abs(a - b) for a, b in zip(nao.state.position, rest, strict=True))


@pytest.mark.parametrize("length", [5, 20, 59])
def test_robot_at_rest_stays_there_in_bursts(length):
    nao = Nao().run(3.0)
    for _ in range(40):
        nao.burst(length)
        assert off(nao) < 0.01


@pytest.mark.parametrize("length", [5, 20, 59])
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
