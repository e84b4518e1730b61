# SPDX-License-Identifier: Apache-2.0
"""The section kick of a gait: its tables, and what is refused."""

import math
from dataclasses import replace

import pytest
from motion_stage import T1_FILE

from embodiment_bridge.body.body_file import parse_body, read_body
from embodiment_bridge.core.errors import ConfigError

KICK = read_body(T1_FILE).carrier.kick


def test_strength_is_that_after_which_the_ball_rolls_so_far() -> None:
    ways = KICK.ways
    assert [KICK.strength(way) for way in (0.0, ways[0], ways[2], ways[-1], 99.0)] == pytest.approx(
        [0.0, 0.0, 2 / (len(ways) - 1), 1.0, 1.0]
    )
    assert KICK.strength(0.5 * (ways[1] + ways[2])) == pytest.approx(1.5 / (len(ways) - 1))


def test_drift_is_interpolated() -> None:
    outward = KICK.outward
    assert [KICK.drift(s) for s in (-1.0, 0.0, 1.0, 2.0)] == [
        outward[0],
        outward[0],
        outward[-1],
        outward[-1],
    ]
    assert KICK.drift(0.5 / (len(outward) - 1)) == pytest.approx(0.5 * (outward[0] + outward[1]))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (r"reach_at: 0.623", "reach_at: 0.01", "gait.kick.reach_at: 0.01 is not within 0.02..0.99"),
        (r"reach_at: 0.623", "reach_at: 0.04", "gait.kick.reach_at: 0.04 is not later than back_at, 0.05"),
        ("    ways: [", "    ways: [9.0, ", "is not a list of numbers that grow"),
        ("    outward: [", "    outward: [0.1, ", "gait.kick.outward: .* is not a list of 11 numbers"),
        ("    toe:", "    tow:", "gait.kick.toe: missing"),
    ],
)
def test_what_is_wrong_is_named(old, new, why) -> None:
    text = T1_FILE.read_text()
    assert text.count(old) == 1
    with pytest.raises(ConfigError, match=why):
        parse_body(text.replace(old, new), "t1.yaml")


def test_a_ball_that_lies_further_ahead_is_kicked_more_softly() -> None:
    assert min(KICK.further) > 0.0
    kick, way = replace(KICK, further=(15.0,) * len(KICK.ways)), 0.5 * (KICK.ways[2] + KICK.ways[3])
    assert kick.strength(way, 0.02) == pytest.approx(kick.strength(way * math.exp(-0.02 * 15.0)))
    assert kick.strength(way, 0.02) < kick.strength(way) < kick.strength(way, -0.02)
    assert kick.strength(math.inf, 0.02) == 1.0


def test_how_much_further_may_differ_from_strength_to_strength() -> None:
    kick = replace(KICK, ways=(1.0, 2.0, 4.0), further=(10.0, 0.0, -10.0))
    assert kick.strength(2.0, 0.02) == pytest.approx(0.5)
    assert kick.strength(math.exp(0.2), 0.02) == pytest.approx(0.0)
    assert kick.strength(3.9 * math.exp(-0.2), 0.02) > kick.strength(3.9 * math.exp(-0.2))
    assert kick.strength(1.0, 0.2) == 0.0  # as if the softest kick rolled further than the next one
