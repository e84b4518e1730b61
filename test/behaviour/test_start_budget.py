# SPDX-License-Identifier: Apache-2.0
"""The token bucket of starts, by itself: never more than it allows, in order, and by starts and queueing alone."""

import math
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.behaviour.engine.clock import StartBudget, Turn


@dataclass(eq=False)
class Waiting:
    """A leaf that wants to begin."""

    number: int
    turn: Turn = field(default_factory=Turn)
    started: bool = False
    at: float = field(default=math.nan)


def play(rate, arrivals, period=0.05, seconds=20.0):
    """Leaves that come at given ticks; each asks in every tick until it may."""
    budget, leaves = StartBudget(rate), []
    for tick in range(round(seconds / period)):
        now = tick * period
        budget.begin_tick(now)
        leaves += [Waiting(len(leaves) + n) for n in range(arrivals.get(tick, 0))]
        for leaf in leaves:
            if not leaf.started and budget.take(leaf.turn):
                leaf.started, leaf.at, leaf.turn.wanted = True, now, False
    return leaves


@given(
    st.sampled_from([0.5, 1.0, 3.0, 10.0, 50.0]),
    st.dictionaries(st.integers(0, 60), st.integers(1, 40), max_size=8),
)
def test_never_more_than_it_allows_and_always_in_order(rate, arrivals):
    leaves = play(rate, arrivals)
    times = [leaf.at for leaf in leaves if leaf.started]
    assert times == sorted(times)
    assert [leaf.started for leaf in leaves] == sorted((leaf.started for leaf in leaves), reverse=True)
    burst = max(1, int(rate))
    for first in range(len(times)):
        for last in range(first, len(times)):
            assert last - first + 1 <= burst + (times[last] - times[first]) * rate + 1e-3


def test_what_may_begin_begins_soon():
    leaves = play(10.0, {0: 100})
    assert all(leaf.started for leaf in leaves)
    assert max(leaf.at for leaf in leaves) == pytest.approx(9.0, abs=0.1)  # ten at once, then ten a second


def test_those_who_went_away_take_no_place():
    budget = StartBudget(1.0)
    leaves = [Waiting(n) for n in range(5)]
    budget.begin_tick(0.0)
    assert [budget.take(leaf.turn) for leaf in leaves] == [True, False, False, False, False]
    for leaf in leaves[1:4]:
        leaf.turn.wanted = False
    assert budget.wake_at() == pytest.approx(1.0)
    budget.begin_tick(1.0)
    assert budget.take(leaves[4].turn)
    assert budget.wake_at() == math.inf


def test_who_is_called_and_does_not_come_gives_his_place_to_others():
    budget = StartBudget(1.0)
    here, away, next_one = Waiting(0), Waiting(1), Waiting(2)
    budget.begin_tick(0.0)
    assert [budget.take(leaf.turn) for leaf in (here, away, next_one)] == [True, False, False]
    budget.begin_tick(1.0)  # calls the one who is away
    budget.begin_tick(1.1)
    assert budget.take(next_one.turn)


def test_ticks_in_between_change_nothing():
    """So that a log without the ticks in which nothing happened can be done again."""
    dense, sparse = StartBudget(7.0), StartBudget(7.0)
    for tick in range(1, 101):
        dense.begin_tick(tick * 0.03)
        if tick % 20 == 0:
            sparse.begin_tick(tick * 0.03)
            answers = [(dense.take(Turn()), sparse.take(Turn())) for n in range(3)]
            assert all(one == other for one, other in answers)


def test_without_a_rate_everybody_may():
    budget = StartBudget(0.0)
    assert all(budget.take(Turn()) for n in range(1000))
    assert (budget.wake_at(), budget.queued) == (math.inf, 0)
