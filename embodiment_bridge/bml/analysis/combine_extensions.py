# SPDX-License-Identifier: Apache-2.0
"""The courses of guards, time-outs, clean-ups, and of selectors that draw or change their order."""

from dataclasses import replace
from math import inf

from embodiment_bridge.bml.analysis.combine import Children, in_order
from embodiment_bridge.bml.analysis.course import EITHER, FAILS, LEFT_OUT, NEVER, SUCCEEDS, Course

CLEANUP_S = 2.0  # the longest that a clean-up may take


def maybe(child: Course) -> Course:
    """Under a condition: what it takes is not known, as it may be left out."""
    expects = child.expects or LEFT_OUT
    return Course(child.may | LEFT_OUT, child.usual | LEFT_OUT, expects, 0.0, None, child.max_s)


def begun_later(child: Course) -> Course:
    """Once a sound has come to a word: nobody knows when that is."""
    return replace(child, expected_s=inf if child.expects == NEVER else None, max_s=inf)


def counted(course: Course) -> Course:
    """As what is round one node sees it: being left out is a success there."""
    if not (course.may | course.usual | course.expects) & LEFT_OUT:
        return course
    may, usual, expects = (
        ends & ~LEFT_OUT | (SUCCEEDS if ends & LEFT_OUT else 0)
        for ends in (course.may, course.usual, course.expects)
    )
    return replace(course, may=may, usual=usual, expects=expects)


def limited(child: Course, timeout: float) -> Course:
    """With a time-out: failure when it has not ended by then."""
    late = FAILS if child.max_s > timeout else 0
    expects, expected = child.expects, child.expected_s
    if expects == NEVER or (expected is not None and expected > timeout):
        expects, expected = FAILS, timeout
    return Course(
        may=child.may | late,
        usual=late if child.min_s > timeout else child.usual | late,
        expects=expects,
        min_s=min(child.min_s, timeout),
        expected_s=expected,
        max_s=min(child.max_s, timeout),
    )


def cleaned_up(child: Course, cleanup: Course) -> Course:
    """With a clean-up behind it, which changes no result and is cut off after ``CLEANUP_S``."""
    if child.expects == NEVER:
        expected: float | None = inf
    elif child.expected_s is None or (cleanup.expected_s is None and cleanup.expects != NEVER):
        expected = None
    else:
        expected = child.expected_s + min(cleanup.expected_s or 0.0, CLEANUP_S)
    return replace(
        child,
        min_s=child.min_s + min(cleanup.min_s, CLEANUP_S),
        expected_s=expected,
        max_s=child.max_s + min(cleanup.max_s, CLEANUP_S),
    )


def in_any_order(children: Children, deciding: int, empty: int) -> Course:
    """A selector that draws the order: bounds over all orders."""
    course, _ = in_order(children, deciding, empty)
    if len(children) < 2:
        return course
    alike = len({(child.expects, child.expected_s) for child in children}) == 1
    ends = [(child.may, child.usual) for child in children]
    may = usual = 0
    for one_may, one_usual in ends:
        may |= one_may & deciding
        usual |= one_usual & deciding
    if all(one_may & ~deciding for one_may, _ in ends):
        may |= course.may
    if all(one_usual & ~deciding for _, one_usual in ends):
        usual |= course.usual
    firsts = [child.min_s for child in children if child.usual & deciding]
    surely = all(child.usual and not child.usual & ~deciding for child in children)
    return Course(
        may=may,
        usual=usual,
        expects=course.expects if alike else _likely(children, deciding),
        min_s=min([*firsts, sum(child.min_s for child in children)]),
        expected_s=course.expected_s if alike else None,
        max_s=max(child.max_s for child in children) if surely else sum(child.max_s for child in children),
    )


def _likely(children: Children, deciding: int) -> int:
    """The end that a random selector is expected to have: that of a child which can be the first to decide."""
    for child in children:
        if child.expects & deciding & EITHER:
            return child.expects
    return next((child.expects for child in children if child.expects), NEVER)


def looked_at_again(course: Course) -> Course:
    """A reactive selector: how often a lower child is cut short by a higher one is not known."""
    expected = inf if course.expects == NEVER else None
    return replace(course, expected_s=expected, max_s=inf)
