# SPDX-License-Identifier: Apache-2.0
"""Which places are in the picture of a camera."""

from math import pi, radians

import pytest

from embodiment_bridge.core.rotation import quaternion_from_rpy
from embodiment_bridge.scene.sight import SOCCER, FieldOfView, Pose

AT_ONE = Pose((1.0, 0.0, 0.5), quaternion_from_rpy(0.0, 0.0, 0.5 * pi))  # it looks along y


@pytest.mark.parametrize(
    ("place", "shown", "surely"),
    [
        ((1.0, 3.0, 0.5), True, True),  # ahead
        ((1.0, -3.0, 0.5), False, False),  # behind
        ((1.0 + 3.0, 2.0, 0.5), True, False),  # 56 degrees to the right: in the picture, but at its rim
        ((1.0 - 3.0, 1.0, 0.5), False, False),  # 72 degrees to the left
        ((1.0, 1.0, 1.7), True, False),  # 50 degrees up
        ((1.0, 0.2, 0.5), True, False),  # too near to be sure
    ],
)
def test_soccer_camera(place, shown, surely):
    assert (SOCCER.shows(AT_ONE, place), SOCCER.surely_shows(AT_ONE, place)) == (shown, surely)


def test_reach():
    short = FieldOfView(radians(90.0), radians(90.0), reach=2.0)
    assert short.shows(AT_ONE, (1.0, 1.9, 0.5))
    assert not short.shows(AT_ONE, (1.0, 2.1, 0.5))
    assert not short.surely_shows(AT_ONE, (1.0, 2.1, 0.5))
