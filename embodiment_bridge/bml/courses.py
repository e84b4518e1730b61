# SPDX-License-Identifier: Apache-2.0
"""The courses of all nodes of a document, from the leaves up."""

from embodiment_bridge.bml.combine import boxed, deciding_ends, in_order, repeated, together
from embodiment_bridge.bml.course import FAILS, SUCCEEDS, Course, Lengths, of_leaf, stoppable
from embodiment_bridge.bml.document import Box, Composite, Loop, Node, Player, Stop
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
        elif isinstance(node, Loop):
            course = repeated(below[0], node.count, deciding_ends(node.succeed_on_one, node.fail_on_all))
        elif isinstance(node, Box):
            course = boxed(below[0], node.duration_s)
        else:
            course = of_leaf(node, lengths)
        courses[id(node)] = stoppable(course) if id(node) in stopped else course
    return courses, blocked


def _of_composite(node: Composite, below: list[Course]) -> tuple[Course, int]:
    deciding = deciding_ends(node.succeed_on_one, node.fail_on_all)
    if node.kind == "parallel":
        return together(below, deciding), len(below)
    return in_order(below, deciding, FAILS if node.kind == "selector" else SUCCEEDS)


def _stopped_nodes(nodes: list[Node]) -> set[int]:
    """What another node of the document may end: targets of ``stop``, and sound when there are controls."""
    targets = {node.target for node in nodes if isinstance(node, Stop) and node.target}
    first = {node.name: id(node) for node in reversed(nodes) if node.name in targets}
    stopped = set(first.values())
    players = [node for node in nodes if isinstance(node, Player)]
    if any(node.action in ("pause", "stop") for node in players):
        stopped |= {id(node) for node in players if node.action == "play"}
    return stopped
