# SPDX-License-Identifier: Apache-2.0
"""``parallel``: all children at once."""

from collections.abc import Sequence
from math import inf

from embodiment_bridge.bml.nodes.composite import Composite, CompositeType
from embodiment_bridge.bml.nodes.timing import (
    FAILS,
    NEVER,
    SUCCEEDS,
    Lengths,
    Timing,
    Timings,
    ends_when_undecided,
    exactly,
)


class ParallelType(CompositeType):
    """Children at once; what still runs at its end is stopped."""

    name = "parallel"
    meaning = "children at once"
    colour = "#e3d9ff"
    cuts_short = True
    begins_together = True

    def timing(self, node: Composite, below: list[Timing], lengths: Lengths) -> Timing:
        if not below:
            return exactly(0.0, SUCCEEDS, SUCCEEDS)
        deciding = self.deciding(node)
        expects, expected = _expected(below, deciding)
        can_decide = [child.min_s for child in below if child.usual & deciding]
        if all(child.usual & ~deciding for child in below):
            can_decide.append(max(child.min_s for child in below))
        must_decide = [child.max_s for child in below if child.usual and not child.usual & ~deciding]
        return Timing(
            may=_ends([child.may for child in below], deciding),
            usual=_ends([child.usual for child in below], deciding),
            expects=expects,
            min_s=min(can_decide, default=inf),
            expected_s=expected,
            max_s=min(must_decide) if must_decide else max(child.max_s for child in below),
        )


def _ends(ends: Sequence[int], deciding: int) -> int:
    found = 0
    for end in ends:
        found |= end & deciding
    return found | ends_when_undecided(ends, deciding) if all(end & ~deciding for end in ends) else found


def _expected(children: Timings, deciding: int) -> tuple[int, float | None]:
    """The first expected end that decides; a child of unknown length is taken to end before the others."""
    for child in sorted(children, key=_moment):
        if child.expects & deciding:
            return child.expects, child.expected_s
    if any(child.expects == NEVER for child in children):
        return NEVER, inf
    expects = FAILS if any(child.expects == FAILS for child in children) else SUCCEEDS
    known = [child.expected_s for child in children if child.expected_s is not None]
    return expects, max(known) if len(known) == len(children) else None


def _moment(child: Timing) -> tuple[float, bool]:
    """When a child is expected to end; of two at one time the failing one is first."""
    return -1.0 if child.expected_s is None else child.expected_s, child.expects != FAILS


TYPE = ParallelType()
