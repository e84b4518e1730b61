# SPDX-License-Identifier: Apache-2.0
"""How a node can end and when, and what is known of that for the nodes without children.

Ends are bit sets. ``may`` has every end that is possible at all (any motion, sound or fetch may fail) and
decides what can be reached. ``usual`` has the ends when nothing breaks; the times are about those.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from embodiment_bridge.bml.document import Body, Delay, Leaf, Player, Request, Set, Speak
from embodiment_bridge.body.state import SkillInfo

SUCCEEDS, FAILS, ENDS_RUN = 1, 2, 4
LEFT_OUT = 8  # a condition was not met: what is round it does not count the node
NEVER = 0
EITHER = SUCCEEDS | FAILS


@dataclass(frozen=True, slots=True)
class Course:
    """What is known of a node before it runs; times in s from its start to its end.

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


@dataclass(frozen=True, slots=True)
class Lengths:
    """What is known of lengths: skills by name, media in s by URL, spoken texts in s (None: not known)."""

    skills: Mapping[str, SkillInfo]
    media_s: Mapping[str, float]
    speech_s: float | None


def exactly(seconds: float, end: int, may: int) -> Course:
    """A node of known length."""
    return Course(may, end, end, seconds, seconds, seconds)


def stoppable(course: Course) -> Course:
    """The course of a node that something else may end with success at any time, or hold up."""
    expects = course.expects or SUCCEEDS
    return Course(course.may | SUCCEEDS, course.usual | SUCCEEDS, expects, 0.0, None, inf)


def of_leaf(node: Leaf, lengths: Lengths) -> Course:
    """The course of a node without children."""
    if isinstance(node, Delay):
        end = SUCCEEDS if node.succeed else FAILS
        return exactly(node.duration_s, end, end)
    if isinstance(node, Body):
        return _of_sound_or_motion(_body_length(node, lengths.skills))
    if isinstance(node, Player):
        return _of_sound_or_motion(lengths.media_s.get(node.url) if node.action == "play" else 0.0)
    if isinstance(node, Speak):
        return _of_sound_or_motion(lengths.speech_s)
    if isinstance(node, Request):  # the time of the fetched document counts, and is not known before
        return Course(EITHER, EITHER, SUCCEEDS, 0.0, None, inf)
    if isinstance(node, Set):
        return exactly(0.0, SUCCEEDS, EITHER)  # the blackboard may be full
    end = SUCCEEDS if node.target else ENDS_RUN
    return exactly(0.0, end, end)


def _of_sound_or_motion(seconds: float | None) -> Course:
    if seconds is None:
        return Course(EITHER, SUCCEEDS, SUCCEEDS, 0.0, None, inf)
    return exactly(seconds, SUCCEEDS, EITHER)


def _body_length(node: Body, skills: Mapping[str, SkillInfo]) -> float | None:
    skill = skills.get(node.action.lower())
    slot = node.duration_s
    if skill is None:
        return slot or None
    if slot > 0.0:
        return max(slot, skill.min_s) if skill.available else slot
    return 0.0 if skill.kind == "light" else skill.nominal_s  # a light without a slot is switched and left on
