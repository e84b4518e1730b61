# SPDX-License-Identifier: Apache-2.0
"""Computes how and when each node of a document can end, from the leaves up."""

from dataclasses import replace

from embodiment_bridge.bml.nodes.node import Node
from embodiment_bridge.bml.nodes.node_type import NodeType
from embodiment_bridge.bml.nodes.registry import TYPES, AnyType, type_of
from embodiment_bridge.bml.nodes.timing import Lengths, Timing, stoppable

# Most types end nothing but themselves.
_ENDING = frozenset(
    name
    for name, found in TYPES.items()
    if type(found).ends_node is not NodeType.ends_node
    or type(found).holds_up_sound is not NodeType.holds_up_sound
)


def timings_of(nodes: list[Node], lengths: Lengths) -> tuple[dict[int, Timing], dict[int, Node]]:
    """The timing of every node by id, and by id of a node that is never reached what is in its way.

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
    """With the time of the clean-ups inside, which what cuts the node short waits for."""
    halt_s = node_type.halt_s(below)
    if halt_s == 0.0:
        return timing
    longer = timing.max_s + halt_s if node_type.cuts_short else timing.max_s
    return replace(timing, halt_s=halt_s, max_s=longer)


def _stopped_nodes(nodes: list[Node]) -> set[int]:
    """What another node of the document may end: targets of ``stop``, and sound when there are controls."""
    enders = [(node, type_of(node)) for node in nodes if node.type_name in _ENDING]
    targets = {found.ends_node(node) for node, found in enders} - {""}
    first = {node.name: id(node) for node in reversed(nodes) if node.name in targets}
    stopped = set(first.values())
    if any(found.holds_up_sound(node) for node, found in enders):
        stopped |= {id(node) for node in nodes if type_of(node).is_held_up(node)}
    return stopped
