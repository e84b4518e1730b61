# SPDX-License-Identifier: Apache-2.0
"""Estimates composites whose children run one after the other."""

from collections.abc import Sequence
from itertools import accumulate
from math import inf

from embodiment_bridge.bml.nodes.composite import Composite, CompositeType
from embodiment_bridge.bml.nodes.timing import (
    FAILS,
    LEFT_OUT,
    NEVER,
    SUCCEEDS,
    Lengths,
    Timing,
    Timings,
    ends_when_undecided,
    exactly,
)


class OrderedType(CompositeType):
    """Children one after the other."""

    def timing(self, node: Composite, below: list[Timing], lengths: Lengths) -> Timing:
        return in_order(below, self.deciding(node), self.empty)

    def reached(self, node: Composite, below: list[Timing]) -> int:
        deciding = self.deciding(node)
        return next((turns for turns, child in enumerate(below, 1) if not child.may & ~deciding), len(below))


def in_order(children: Timings, deciding: int, empty: int) -> Timing:
    """One after the other; ``empty``: how it ends without any."""
    if not children:
        return exactly(0.0, empty, empty)
    may, _ = _ends([child.may for child in children], deciding, empty)
    usual, turns = _ends([child.usual for child in children], deciding, empty)
    shortest = list(accumulate(child.min_s for child in children))
    longest = list(accumulate(child.max_s for child in children))
    last = children[turns - 1].usual
    ends = [place for place in range(turns) if children[place].usual & deciding]
    ends += [turns - 1] if last & ~deciding else []
    expects, expected = _expected(children, deciding, empty)
    return Timing(
        may=may,
        usual=usual,
        expects=expects,
        min_s=min((shortest[place] for place in ends), default=inf),
        expected_s=expected,
        max_s=inf if last == NEVER else max(longest[place] for place in ends),
    )


def _ends(ends: Sequence[int], deciding: int, empty: int) -> tuple[int, int]:
    """How it can end when its children can end so, and how many of them can have their turn."""
    found = 0
    for turns, end in enumerate(ends, 1):
        found |= end & deciding
        if not end & ~deciding:
            return found, turns
    return found | ends_when_undecided(ends, deciding, empty), len(ends)


def _expected(children: Timings, deciding: int, empty: int) -> tuple[int, float | None]:
    total: float | None = 0.0
    expects = empty if all(child.expects == LEFT_OUT for child in children) else SUCCEEDS
    for child in children:
        if child.expects == NEVER:
            return NEVER, inf
        total = None if total is None or child.expected_s is None else total + child.expected_s
        if child.expects & deciding:
            return child.expects, total
        expects = FAILS if child.expects == FAILS else expects
    return expects, total
