# SPDX-License-Identifier: Apache-2.0
"""Boxes and discs that nothing goes through."""

from math import hypot, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.mock.obstacles import Obstacle, is_free, pushed_out, reach, slide

BOX = Obstacle(1.0, 0.0, 0.5, 2.0)
DISC = Obstacle(0.0, 0.0, round=0.5)
NUMBERS = st.floats(-3.0, 3.0)


@pytest.mark.parametrize(
    ("obstacle", "place", "depth", "out"),
    [
        (BOX, (0.4, 0.0), 0.1, (-1.0, 0.0)),
        (BOX, (0.2, 0.0), -0.1, (-1.0, 0.0)),
        (BOX, (1.0, 2.1), 0.1, (0.0, 1.0)),
        (BOX, (0.6, 0.0), 0.3, (-1.0, 0.0)),  # its middle is inside
        (BOX, (1.0, 1.9), 0.3, (0.0, 1.0)),
        (BOX, (0.4, 2.1), 0.2 - hypot(0.1, 0.1), (-sqrt(0.5), sqrt(0.5))),  # at the corner
        (DISC, (0.0, 0.6), 0.1, (0.0, 1.0)),
        (DISC, (0.0, 0.0), 0.7, (0.0, 1.0)),
    ],
)
def test_overlap(obstacle, place, depth, out) -> None:
    deep, way = obstacle.overlap(place, 0.2)
    assert deep == pytest.approx(depth)
    assert way == pytest.approx(out)


def test_pushed_out_touches_and_is_free() -> None:
    assert pushed_out((0.45, 0.3), 0.2, [BOX]) == pytest.approx((0.3, 0.3))
    assert is_free((0.3, 0.3), 0.2, [BOX])
    assert not is_free((0.31, 0.3), 0.2, [BOX])


def test_a_gap_that_is_too_narrow_is_not_entered() -> None:
    gap = [BOX, Obstacle(-0.4, 0.0, 0.5, 2.0)]  # 0.4 m wide
    assert slide((0.3, 2.5), (0.3, 2.05), 0.25, gap) == (0.3, 2.5)
    assert slide((0.3, 2.5), (0.3, 2.05), 0.2, gap) == pytest.approx((0.3, 2.05))


def test_reach_ends_before_the_obstacle() -> None:
    x, y = reach((0.0, 0.0), (3.0, 0.0), 0.2, [BOX])
    assert 0.27 < x <= 0.3
    assert y == 0.0
    assert reach((0.0, 0.0), (0.2, 0.1), 0.2, [BOX]) == pytest.approx((0.2, 0.1))
    assert reach((0.0, 0.0), (0.0, 0.0), 0.2, [BOX]) == (0.0, 0.0)


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_from_a_free_place_a_disc_only_comes_to_free_places(x, y, to_x, to_y) -> None:
    obstacles = (BOX, DISC)
    if not is_free((x, y), 0.2, obstacles):
        return
    for move in (slide, reach):
        assert is_free(move((x, y), (to_x, to_y), 0.2, obstacles), 0.2, obstacles)
