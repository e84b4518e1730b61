# SPDX-License-Identifier: Apache-2.0
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.behaviour.engine.clock import RunClock
from embodiment_bridge.core.errors import ConfigError

OUTSIDE = st.floats(-1e6, 1e6)


def test_counts_from_the_first_outside_time_on():
    clock = RunClock()
    clock.advance_to(1000.0)
    assert clock.seconds == 0.0
    clock.advance_to(1002.5)
    assert clock.seconds == 2.5


def test_stands_still_while_frozen_and_goes_on_without_a_jump():
    clock = RunClock()
    for outside in (10.0, 12.0):
        clock.advance_to(outside)
    clock.freeze()
    for outside in (13.0, 500.0):
        clock.advance_to(outside)
        assert clock.seconds == 2.0
    clock.thaw()
    clock.advance_to(501.0)
    assert clock.seconds == 3.0


def test_an_outside_clock_that_jumps_back_counts_as_no_time():
    clock = RunClock()
    for outside in (100.0, 104.0, 3.0):
        clock.advance_to(outside)
    assert clock.seconds == 4.0
    clock.advance_to(5.0)
    assert clock.seconds == 6.0


@given(st.lists(OUTSIDE, min_size=1, max_size=20))
def test_never_goes_back(times):
    clock = RunClock()
    last = 0.0
    for outside in times:
        clock.advance_to(outside)
        assert clock.seconds >= last
        last = clock.seconds


@pytest.mark.parametrize("outside", [math.nan, math.inf, -math.inf])
def test_refuses_a_time_that_is_no_number(outside):
    clock = RunClock()
    with pytest.raises(ConfigError, match="outside time"):
        clock.advance_to(outside)


@pytest.mark.parametrize(("t", "due"), [(1.0, True), (1.0 + 5e-7, True), (1.0 + 1e-5, False), (0.0, True)])
def test_due_allows_for_the_noise_of_sums(t, due):
    clock = RunClock()
    clock.advance_to(0.0)
    clock.advance_to(1.0)
    assert clock.due(t) is due
