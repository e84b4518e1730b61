# SPDX-License-Identifier: Apache-2.0
"""The course of a node from those of its children.

``deciding`` is the set of ends of one child (or iteration) that end the node at once. Intervals are
combined as if nodes did not know of each other, so ``min_s`` and ``max_s`` are bounds, not always the
tightest.
"""

from collections.abc import Sequence
from math import inf

from embodiment_bridge.bml.analysis.course import ENDS_RUN, FAILS, LEFT_OUT, NEVER, SUCCEEDS, Course, exactly

Children = Sequence[Course]

NO_TIME_S = 1e-3  # an iteration shorter than this takes no time of its own
MIN_PERIOD_S = 0.02  # then the next one begins this much later


def deciding_ends(succeed_on_one: bool, fail_on_all: bool) -> int:
    """The ends that decide at once under two policies."""
    return ENDS_RUN | (SUCCEEDS if succeed_on_one else 0) | (0 if fail_on_all else FAILS)


def boxed(child: Course, duration: float) -> Course:
    """A time box: success at its end, unless the child fails (or ends the run) before."""
    can_overrun = SUCCEEDS if child.max_s > duration else 0
    usual = child.usual | can_overrun
    expects, expected = child.expects, child.expected_s
    if expects in (NEVER, SUCCEEDS) or (expected is not None and expected > duration):
        expects, expected = SUCCEEDS, duration
    return Course(
        may=child.may | can_overrun,
        usual=usual,
        expects=expects,
        min_s=min(child.min_s, duration) if usual & ~SUCCEEDS else duration,
        expected_s=expected,
        max_s=duration if usual & SUCCEEDS else child.max_s,
    )


def repeated(child: Course, count: int, deciding: int) -> Course:
    """A loop of ``count`` iterations, -1 for ever."""
    decided = bool(child.expects & deciding)
    endless = child.expects == NEVER or (count < 0 and not decided)
    expected = child.expected_s
    if expected is not None and not decided:
        expected = _times(expected, count)
    # Iterations that take no time are spread by the engine.
    longest = child.max_s if child.min_s >= NO_TIME_S else max(child.max_s, MIN_PERIOD_S)
    surely_decides = child.usual != NEVER and not child.usual & ~deciding
    return Course(
        may=_ends_of_loop(child.may, count, deciding),
        usual=_ends_of_loop(child.usual, count, deciding),
        expects=NEVER if endless else child.expects,
        min_s=child.min_s if child.usual & deciding else _times(child.min_s, count),
        expected_s=inf if endless else expected,
        max_s=child.max_s if surely_decides else _times(longest, count),
    )


def _times(seconds: float, count: int) -> float:
    return inf if count < 0 else seconds * count


def _ends_of_loop(ends: int, count: int, deciding: int) -> int:
    return ends & deciding if count < 0 else ends


def in_order(children: Children, deciding: int, empty: int) -> tuple[Course, int]:
    """A sequence or selector, and how many children can be reached; ``empty``: how it ends without any."""
    if not children:
        return exactly(0.0, empty, empty), 0
    may, reached = _ends_in_order([child.may for child in children], deciding, empty)
    usual, _ = _ends_in_order([child.usual for child in children], deciding, empty)
    shortest, longest = _bounds_in_order(children, deciding)
    expects, expected = _expected_in_order(children, deciding, empty)
    return Course(may, usual, expects, shortest, expected, longest), reached


def _ends_in_order(ends: Sequence[int], deciding: int, empty: int) -> tuple[int, int]:
    found = 0
    for count, end in enumerate(ends, 1):
        found |= end & deciding
        if not end & ~deciding:
            return found, count
    return found | _ends_when_undecided(ends, deciding, empty), len(ends)


def _ends_when_undecided(ends: Sequence[int], deciding: int, empty: int = SUCCEEDS) -> int:
    """After the last child, when none decided: success if all succeeded, else failure; ``empty`` if none counts."""
    left = [end & ~deciding for end in ends]
    can_succeed = all(end & (SUCCEEDS | LEFT_OUT) for end in left) and any(end & SUCCEEDS for end in left)
    can_fail = any(end & FAILS for end in left)
    none_counts = all(end & LEFT_OUT for end in left)
    return (SUCCEEDS if can_succeed else 0) | (FAILS if can_fail else 0) | (empty if none_counts else 0)


def _bounds_in_order(children: Children, deciding: int) -> tuple[float, float]:
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


def _expected_in_order(children: Children, deciding: int, empty: int) -> tuple[int, float | None]:
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


def together(children: Children, deciding: int) -> Course:
    """A parallel."""
    if not children:
        return exactly(0.0, SUCCEEDS, SUCCEEDS)
    expects, expected = _expected_together(children, deciding)
    can_decide = [child.min_s for child in children if child.usual & deciding]
    if all(child.usual & ~deciding for child in children):
        can_decide.append(max(child.min_s for child in children))
    must_decide = [child.max_s for child in children if child.usual and not child.usual & ~deciding]
    return Course(
        may=_ends_together([child.may for child in children], deciding),
        usual=_ends_together([child.usual for child in children], deciding),
        expects=expects,
        min_s=min(can_decide, default=inf),
        expected_s=expected,
        max_s=min(must_decide) if must_decide else max(child.max_s for child in children),
    )


def _ends_together(ends: Sequence[int], deciding: int) -> int:
    found = 0
    for end in ends:
        found |= end & deciding
    if all(end & ~deciding for end in ends):
        found |= _ends_when_undecided(ends, deciding)
    return found


def _expected_together(children: Children, deciding: int) -> tuple[int, float | None]:
    """The first expected end that decides; a child of unknown length is taken to end before the others."""
    for child in sorted(children, key=_moment):
        if child.expects & deciding:
            return child.expects, child.expected_s
    if any(child.expects == NEVER for child in children):
        return NEVER, inf
    expects = FAILS if any(child.expects == FAILS for child in children) else SUCCEEDS
    known = [child.expected_s for child in children if child.expected_s is not None]
    return expects, max(known) if len(known) == len(children) else None


def _moment(child: Course) -> tuple[float, bool]:
    """When a child is expected to end; of two at one time the failing one is first."""
    return -1.0 if child.expected_s is None else child.expected_s, child.expects != FAILS
