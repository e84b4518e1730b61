# SPDX-License-Identifier: Apache-2.0
"""The leg's inverse kinematics against its forward kinematics."""

from math import cos, hypot, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.motion.gait.gait import SHORTEST, LegIk

BACK, THIGH, SHANK = 0.014, 0.235854, 0.28
LEG = LegIk(BACK, THIGH, SHANK)


def ankle_at(hip: float, knee: float) -> tuple[float, float]:
    """(x, z) m of the ankle: turning about y by a takes (x, z) to (x cos a + z sin a, z cos a - x sin a)."""
    x, z = -BACK * cos(hip) - THIGH * sin(hip), BACK * sin(hip) - THIGH * cos(hip)
    shank = hip + knee
    return x - SHANK * sin(shank), z - SHANK * cos(shank)


@given(st.floats(-0.25, 0.25), st.floats(-0.5, -0.3))
def test_puts_the_ankle_where_it_was_asked_with_the_foot_level(x: float, z: float) -> None:
    hip, knee, ankle = LEG.solve(x, z)
    if hypot(x, z) < 0.515:
        assert ankle_at(hip, knee) == pytest.approx((x, z), abs=1e-9)
    assert hip + knee + ankle == pytest.approx(0.0)
    assert knee >= 0.0


@pytest.mark.parametrize(
    ("x", "z", "length"), [(0, -9, 0.51617), (9, -9, 0.51617), (0, -0.01, SHORTEST), (0, 0, SHORTEST)]
)
def test_out_of_reach_gives_the_nearest_length(x: float, z: float, length: float) -> None:
    hip, knee, _ = LEG.solve(x, z)
    assert hypot(*ankle_at(hip, knee)) == pytest.approx(length, abs=1e-4)


@pytest.mark.parametrize(("thigh", "shank"), [(0.093, 0.093), (0.05, 0.06), (0.3, 0.04)])
def test_a_small_leg_bends_too(thigh: float, shank: float) -> None:
    leg, whole = LegIk(0.0, thigh, shank), thigh + shank
    for share in (0.9, 0.75, 0.1):
        hip, knee, ankle = leg.solve(0.0, -share * whole)
        x = -thigh * sin(hip) - shank * sin(hip + knee)
        z = -thigh * cos(hip) - shank * cos(hip + knee)
        assert hip + knee + ankle == pytest.approx(0.0)
        shortest = max(0.5 * whole, abs(thigh - shank))
        assert hypot(x, z) == pytest.approx(max(share * whole, shortest), abs=1e-3)
