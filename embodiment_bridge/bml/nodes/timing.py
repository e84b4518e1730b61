# SPDX-License-Identifier: Apache-2.0
"""Possible results of a node, and its duration.

Ends are bit sets. ``may`` has every end that is possible at all (any motion, sound or fetch may fail) and
decides what can be reached. ``usual`` has the ends when nothing breaks; the times are about those. Intervals are
combined as if nodes did not know of each other, so ``min_s`` and ``max_s`` are bounds, not always the tightest.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from embodiment_bridge.body.state import SkillInfo

SUCCEEDS, FAILS, ENDS_RUN = 1, 2, 4
LEFT_OUT = 8  # a condition was not met: what is round it does not count the node
NEVER = 0
EITHER = SUCCEEDS | FAILS


@dataclass(frozen=True, slots=True)
class Timing:
    """Estimates a node before it runs; times in s from its start to its end.

    ``expects`` is the one end that is expected, ``NEVER`` when it runs until something outside stops it.
    ``expected_s`` is None when it depends on lengths that are not known; ``max_s`` is inf when there is no
    bound. ``halt_s`` is the longest that its clean-ups take when it is halted.
    """

    may: int
    usual: int
    expects: int
    min_s: float
    expected_s: float | None
    max_s: float
    halt_s: float = 0.0


Timings = Sequence[Timing]


@dataclass(frozen=True, slots=True)
class Lengths:
    """Holds the known lengths: skills by name, media in s by URL, spoken texts in s (None: unknown)."""

    skills: Mapping[str, SkillInfo]
    media_s: Mapping[str, float]
    speech_s: float | None


def exactly(seconds: float, end: int, may: int) -> Timing:
    """Return a node of known length."""
    return Timing(may, end, end, seconds, seconds, seconds)


def sound_or_motion(seconds: float | None) -> Timing:
    """Estimate a sound or motion that ends by itself after so many s (None: unknown), and may fail."""
    if seconds is None:
        return Timing(EITHER, SUCCEEDS, SUCCEEDS, 0.0, None, inf)
    return exactly(seconds, SUCCEEDS, EITHER)


def stoppable(timing: Timing) -> Timing:
    """Return the timing of a node that something else may end with success at any time, or pause."""
    expects = timing.expects or SUCCEEDS
    return Timing(timing.may | SUCCEEDS, timing.usual | SUCCEEDS, expects, 0.0, None, inf)


def counted(timing: Timing) -> Timing:
    """Return the timing as a parent counts it: left out counts as success."""
    if not (timing.may | timing.usual | timing.expects) & LEFT_OUT:
        return timing
    may, usual, expects = (
        ends & ~LEFT_OUT | (SUCCEEDS if ends & LEFT_OUT else 0)
        for ends in (timing.may, timing.usual, timing.expects)
    )
    return replace(timing, may=may, usual=usual, expects=expects)


def deciding_ends(succeed_on_one: bool, fail_on_all: bool) -> int:
    """Return the ends of one child (or iteration) that end a node with these policies at once."""
    return ENDS_RUN | (SUCCEEDS if succeed_on_one else 0) | (0 if fail_on_all else FAILS)


def ends_when_undecided(ends: Sequence[int], deciding: int, empty: int = SUCCEEDS) -> int:
    """Return the result when no child decided: success if all succeeded, else failure; ``empty`` if none counts."""
    left = [end & ~deciding for end in ends]
    can_succeed = all(end & (SUCCEEDS | LEFT_OUT) for end in left) and any(end & SUCCEEDS for end in left)
    can_fail = any(end & FAILS for end in left)
    none_counts = all(end & LEFT_OUT for end in left)
    return (SUCCEEDS if can_succeed else 0) | (FAILS if can_fail else 0) | (empty if none_counts else 0)
