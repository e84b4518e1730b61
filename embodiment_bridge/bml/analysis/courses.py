# SPDX-License-Identifier: Apache-2.0
"""The courses of all nodes of a document, from the leaves up."""

from dataclasses import replace

from embodiment_bridge.bml.analysis.combine import boxed, deciding_ends, in_order, repeated, together
from embodiment_bridge.bml.analysis.combine_extensions import (
    CLEANUP_S,
    begun_later,
    cleaned_up,
    counted,
    in_any_order,
    limited,
    looked_at_again,
    maybe,
)
from embodiment_bridge.bml.analysis.course import FAILS, SUCCEEDS, Course, Lengths, of_leaf, stoppable
from embodiment_bridge.bml.document import (
    Box,
    Composite,
    Finally,
    Guard,
    Loop,
    Node,
    Player,
    Start,
    Stop,
    Subtree,
    Timeout,
    Wrapper,
)
from embodiment_bridge.bml.walk import children_of


def courses_of(nodes: list[Node], lengths: Lengths) -> tuple[dict[int, Course], dict[int, Node]]:
    """The course of every node by id, and by id of a node that is never reached what is in its way.

    ``nodes`` are those of a document in text order. Of several siblings that are not reached the first is told.
    """
    courses: dict[int, Course] = {}
    blocked: dict[int, Node] = {}
    stopped = _stopped_nodes(nodes)
    for node in reversed(nodes):
        below = [courses[id(child)] for child in children_of(node)]
        if isinstance(node, Composite):
            course, reached = _of_composite(node, below)
            if reached < len(below):
                blocked[id(node.children[reached])] = node.children[reached - 1]
        elif isinstance(node, Finally):
            course = cleaned_up(counted(below[0]), counted(below[1]))
        elif isinstance(node, (Loop, Box, Guard, Start, Timeout, Subtree)):
            course = _of_wrapper(node, below[0])
        else:
            course = of_leaf(node, lengths)
        course = stoppable(course) if id(node) in stopped else course
        courses[id(node)] = _with_halts(node, course, below)
    return courses, blocked


def _with_halts(node: Node, course: Course, below: list[Course]) -> Course:
    """With the time of the clean-ups inside, which what cuts the node short waits for."""
    halt = max((child.halt_s for child in below), default=0.0)
    if isinstance(node, Finally):
        halt = below[0].halt_s + min(below[1].max_s, CLEANUP_S) + below[1].halt_s
    if halt == 0.0:
        return course
    cuts = isinstance(node, (Box, Timeout)) or (isinstance(node, Composite) and node.kind == "parallel")
    cuts = cuts or (isinstance(node, Finally) and below[1].halt_s > 0.0)
    return replace(course, halt_s=halt, max_s=course.max_s + halt if cuts else course.max_s)


def _of_composite(node: Composite, below: list[Course]) -> tuple[Course, int]:
    deciding = deciding_ends(node.succeed_on_one, node.fail_on_all)
    if node.kind == "parallel":
        return together(below, deciding), len(below)
    empty = FAILS if node.kind == "selector" else SUCCEEDS
    if node.random:
        return in_any_order(below, deciding, empty), len(below)
    course, reached = in_order(below, deciding, empty)
    if node.reactive and any(isinstance(child, Guard) for child in node.children[:-1]):
        return looked_at_again(course), reached
    return course, reached


def _of_wrapper(node: Wrapper, inside: Course) -> Course:
    if isinstance(node, Subtree):
        return inside
    if isinstance(node, Guard):
        return maybe(inside)
    if isinstance(node, Start):
        return begun_later(inside)
    if isinstance(node, Loop):  # an iteration that was left out does not count
        deciding = deciding_ends(node.succeed_on_one, node.fail_on_all)
        return counted(repeated(inside, node.count, deciding))
    inside = counted(inside)
    return boxed(inside, node.duration_s) if isinstance(node, Box) else limited(inside, node.timeout_s)


def _stopped_nodes(nodes: list[Node]) -> set[int]:
    """What another node of the document may end: targets of ``stop``, and sound when there are controls."""
    targets = {node.target for node in nodes if isinstance(node, Stop) and node.target}
    first = {node.name: id(node) for node in reversed(nodes) if node.name in targets}
    stopped = set(first.values())
    players = [node for node in nodes if isinstance(node, Player)]
    if any(node.action in ("pause", "stop") for node in players):
        stopped |= {id(node) for node in players if node.action == "play"}
    return stopped
