# SPDX-License-Identifier: Apache-2.0
"""Polar detections as points."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.scene.sight import point

QUARTER = math.pi / 2


@pytest.mark.parametrize(
    ("polar", "position"),
    [
        ((2.0, 0.0, 0.0), (2.0, 0.0, 0.0)),
        ((2.0, QUARTER, 0.0), (0.0, 2.0, 0.0)),  # azimuth is positive to the left
        ((2.0, -QUARTER, 0.0), (0.0, -2.0, 0.0)),
        ((2.0, 0.3, QUARTER), (0.0, 0.0, 2.0)),  # elevation is positive up
        ((2.0, 0.0, math.radians(30)), (math.sqrt(3.0), 0.0, 1.0)),
        ((2.0, QUARTER, math.radians(-30)), (0.0, math.sqrt(3.0), -1.0)),
        ((0.0, 1.0, 1.0), (0.0, 0.0, 0.0)),
    ],
)
def test_polar_becomes_a_point_ahead_left_and_up(polar, position):
    seen = point("x", *polar)
    assert seen[:4] == ("x", *polar)
    assert seen.position == pytest.approx(position, abs=1e-12)


@given(st.floats(0.01, 200.0), st.floats(-math.pi, math.pi), st.floats(-1.5, 1.5))
def test_point_leads_back_to_the_polar_coordinates(distance, azimuth, elevation):
    x, y, z = point("x", distance, azimuth, elevation).position
    assert math.hypot(x, y, z) == pytest.approx(distance)
    assert math.remainder(math.atan2(y, x) - azimuth, math.tau) == pytest.approx(0.0, abs=1e-9)
    assert math.atan2(z, math.hypot(x, y)) == pytest.approx(elevation)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", range(3))
def test_what_is_nowhere_is_not_seen(place, bad):
    polar = [1.0, 0.1, 0.2]
    polar[place] = bad
    assert point("x", *polar) is None
