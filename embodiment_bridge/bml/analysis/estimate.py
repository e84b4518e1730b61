# SPDX-License-Identifier: Apache-2.0
"""Estimates a document before it runs.

How and when each node can end, which nodes drive a channel at once, and what cannot work.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from embodiment_bridge.bml.base.problems import Problem, Problems
from embodiment_bridge.bml.nodes.node import Document, Node, preorder
from embodiment_bridge.bml.nodes.node_type import NodeType
from embodiment_bridge.bml.nodes.registry import TYPES, AnyType, type_of
from embodiment_bridge.bml.nodes.timing import NEVER, Lengths, Timing, stoppable
from embodiment_bridge.body.state import SkillInfo

# Most types end nothing but themselves.
_ENDING = frozenset(
    name
    for name, found in TYPES.items()
    if type(found).ends_node is not NodeType.ends_node
    or type(found).pauses_sound is not NodeType.pauses_sound
)


def timings_of(nodes: list[Node], lengths: Lengths) -> tuple[dict[int, Timing], dict[int, Node]]:
    """Return the timing of every node by id, and by id of a node that is never reached what is in its way.

    ``nodes`` are those of a document in text order. Of several siblings that are not reached the first is told.
    """
    timings: dict[int, Timing] = {}
    blocked: dict[int, Node] = {}
    stopped = _stopped_nodes(nodes)
    for node in reversed(nodes):
        node_type, nodes_below = type_of(node), node.below
        below = [timings[id(child)] for child in nodes_below]
        timing = node_type.timing(node, below, lengths)
        if id(node) in stopped:
            timing = stoppable(timing)
        if below:
            timing = _with_halts(node_type, timing, below)
            reached = node_type.reached(node, below)
            if reached < len(below):
                blocked[id(nodes_below[reached])] = nodes_below[reached - 1]
        timings[id(node)] = timing
    return timings, blocked


def _with_halts(node_type: AnyType, timing: Timing, below: list[Timing]) -> Timing:
    """Add the time of the clean-ups inside, for which a node that halts its children waits."""
    halt_s = node_type.halt_s(below)
    if halt_s == 0.0:
        return timing
    longer = timing.max_s + halt_s if node_type.halts_children else timing.max_s
    return replace(timing, halt_s=halt_s, max_s=longer)


def _stopped_nodes(nodes: list[Node]) -> set[int]:
    """Return the ids of nodes that another one may end: targets of ``stop``, and sound when there are controls."""
    enders = [(node, type_of(node)) for node in nodes if node.type_name in _ENDING]
    targets = {found.ends_node(node) for node, found in enders} - {""}
    first = {node.name: id(node) for node in reversed(nodes) if node.name in targets}
    stopped = set(first.values())
    if any(found.pauses_sound(node) for node, found in enders):
        stopped |= {id(node) for node in nodes if type_of(node).can_be_paused(node)}
    return stopped


Claims = dict[str, str]  # channel -> pointer of the first leaf that claims it


def conflicts(nodes: list[Node], skills: Mapping[str, SkillInfo]) -> dict[int, list[str]]:
    """Return the warnings of a parallel by id of its branch: the branch drives a channel of an earlier one.

    ``nodes`` are those of a document in text order. Each channel is told once per parallel.
    """
    claims: dict[int, Claims] = {}
    found: dict[int, list[str]] = {}
    for node in reversed(nodes):
        below, node_type = node.below, type_of(node)
        if node_type.begins_together:
            _compare(below, claims, found)
        own = dict.fromkeys(node_type.drives(node, skills), node.pointer)
        claims[id(node)] = _united([claims[id(child)] for child in below]) if below else own
    return found


def _united(parts: list[Claims]) -> Claims:
    if len(parts) == 1:
        return parts[0]
    united: Claims = {}
    for part in reversed(parts):
        united.update(part)
    return united


def _compare(branches: tuple[Node, ...], claims: Mapping[int, Claims], found: dict[int, list[str]]) -> None:
    seen: Claims = {}
    told: set[str] = set()
    for branch in branches:
        for channel, pointer in claims[id(branch)].items():
            if channel in seen and channel not in told:
                told.add(channel)
                text = f"{pointer} drives {channel} while {seen[channel]} may do so; the newer one wins"
                found.setdefault(id(branch), []).append(text)
        for channel, pointer in claims[id(branch)].items():
            seen.setdefault(channel, pointer)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimates the duration of a node, s from its start, for a run without failures and interruptions.

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
    """Holds estimates by JSON pointer (of a node with its loop and its box), and warnings in text order."""

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
    clashing = conflicts(nodes, skills)
    outermost = _endless_loops(document.root, timings)
    for node in nodes:
        if id(node) in blocked:
            text = f"never reached: {blocked[id(node)].pointer} cannot end in a way that this starts"
            problems.warning(node.pointer, "UNREACHABLE", text)
        if type_of(node).is_endless(node):
            _look_at_loop(node, timings, outermost, problems)
        for text in clashing.get(id(node), ()):
            problems.warning(node.pointer, "CHANNEL_CONFLICT", text)
    return Analysis(_estimates(nodes, timings), problems.listing())


def _endless_loops(root: Node, timings: Mapping[int, Timing]) -> set[int]:
    """Return the outermost endless loops that nothing in the document ends."""
    found: set[int] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if timings[id(node)].expects != NEVER:
            continue
        if type_of(node).is_endless(node):
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
