# SPDX-License-Identifier: Apache-2.0
"""When composites end whose children have their turns one after the other."""

from collections.abc import Sequence
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


def in_order(children: Timings, deciding: int, empty: int) -> Timing:
    """One after the other; ``empty``: how it ends without any."""
    if not children:
        return exactly(0.0, empty, empty)
    may = _ends([child.may for child in children], deciding, empty)
    usual = _ends([child.usual for child in children], deciding, empty)
    shortest, longest = _bounds(children, deciding)
    expects, expected = _expected(children, deciding, empty)
    return Timing(may, usual, expects, shortest, expected, longest)


def _ends(ends: Sequence[int], deciding: int, empty: int) -> int:
    found = 0
    for end in ends:
        found |= end & deciding
        if not end & ~deciding:
            return found
    return found | ends_when_undecided(ends, deciding, empty)


def _bounds(children: Timings, deciding: int) -> tuple[float, float]:
    low = high = 0.0
    shortest, longest = inf, 0.0
    for child in children:
        low += child.min_s
        high += child.max_s
        if child.usual & deciding:
            shortest, longest = min(shortest, low), max(longest, high)
        if child.usual == NEVER:
            return shortest, inf
        if not child.usual & ~deciding:
            return shortest, longest
    return min(shortest, low), max(longest, high)


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
