# SPDX-License-Identifier: Apache-2.0
"""Estimates a document before it runs: how long it takes, and what in it cannot work."""

from collections.abc import Mapping
from dataclasses import dataclass

from embodiment_bridge.bml.analysis import channels
from embodiment_bridge.bml.analysis.timings import timings_of
from embodiment_bridge.bml.base.problems import Problem, Problems
from embodiment_bridge.bml.nodes.node import Document, Node
from embodiment_bridge.bml.nodes.registry import type_of
from embodiment_bridge.bml.nodes.timing import NEVER, Lengths, Timing
from embodiment_bridge.bml.nodes.walk import preorder
from embodiment_bridge.body.state import SkillInfo


@dataclass(frozen=True, slots=True)
class Estimate:
    """How long a node takes in s, from its start, when nothing breaks and nothing is taken from it.

    ``min_s`` and ``max_s`` are bounds (inf: none is known); ``expected_s`` is None when it depends on what is
    not known: the length of media, speech or a fetched document, or when a player is paused or stopped.
    ``forever``: it does not end unless something outside it ends it.
    """

    min_s: float
    expected_s: float | None
    max_s: float
    forever: bool


@dataclass(frozen=True, slots=True)
class Analysis:
    """Estimates by JSON pointer (of a node with its loop and its box), and warnings in text order."""

    estimates: Mapping[str, Estimate]
    warnings: list[Problem]


def analyse(
    document: Document,
    skills: Mapping[str, SkillInfo],
    *,
    media_s: Mapping[str, float] | None = None,
    speech_s: float | None = None,
) -> Analysis:
    """Estimate the time of every node and look for what cannot go well.

    Args:
        document: as ``read`` gives it.
        skills: what the body can do, by name.
        media_s: lengths of media in s, by URL; others are not known.
        speech_s: length of a spoken text in s, when known.
    """
    nodes = preorder(document.root)
    timings, blocked = timings_of(nodes, Lengths(skills, media_s or {}, speech_s))
    problems = Problems()
    conflicts = channels.conflicts(nodes, skills)
    outermost = _endless_loops(document.root, timings)
    for node in nodes:
        if id(node) in blocked:
            text = f"never reached: {blocked[id(node)].pointer} cannot end in a way that this starts"
            problems.warning(node.pointer, "UNREACHABLE", text)
        if type_of(node).turns_for_ever(node):
            _look_at_loop(node, timings, outermost, problems)
        for text in conflicts.get(id(node), ()):
            problems.warning(node.pointer, "CHANNEL_CONFLICT", text)
    return Analysis(_estimates(nodes, timings), problems.listing())


def _endless_loops(root: Node, timings: Mapping[int, Timing]) -> set[int]:
    """The outermost endless loops that nothing in the document ends."""
    found: set[int] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if timings[id(node)].expects != NEVER:
            continue
        if type_of(node).turns_for_ever(node):
            found.add(id(node))
        else:
            todo.extend(node.below)
    return found


def _look_at_loop(node: Node, timings: Mapping[int, Timing], outermost: set[int], problems: Problems) -> None:
    if id(node) in outermost:
        text = "runs until something fails or the run is stopped; nothing in the document ends it"
        problems.warning(node.pointer, "FOREVER_WITHOUT_EXIT", text)
    if timings[id(node)].expects == NEVER and all(timings[id(child)].max_s == 0.0 for child in node.below):
        text = "an endless loop over what takes no time"
        problems.warning(node.pointer, "BUSY_FOREVER", text)


def _estimates(nodes: list[Node], timings: Mapping[int, Timing]) -> dict[str, Estimate]:
    estimates: dict[str, Estimate] = {}
    for node in nodes:
        timing = timings[id(node)]
        estimate = Estimate(timing.min_s, timing.expected_s, timing.max_s, timing.expects == NEVER)
        estimates.setdefault(node.pointer, estimate)
    return estimates
