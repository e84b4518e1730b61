# SPDX-License-Identifier: Apache-2.0
"""Carrying out what stop nodes asked for during a pass over the tree."""

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.context import RunContext
from embodiment_bridge.behaviour.engine.halting import active_nodes
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.stop import Stop


def apply_stops(context: RunContext, root: Node) -> Stop | None:
    """End the targets of stop nodes; return the first one that ends the whole run, if any."""
    asked, context.stops = context.stops, []
    for stop in asked:
        if _came_too_late(stop):
            continue
        if not stop.target:
            return stop
        stop.answer = _end_target(root, stop)
        context.waiting = True
    return None


def _came_too_late(stop: Stop) -> bool:
    """Whether a node above was over, by scheduled time, before the stop was reached.

    A tick that comes late does both; without this its lateness would change the outcome.
    """
    above: Behaviour | None = stop.parent
    while isinstance(above, Node):
        over = above.ending.t if above.ending is not None else above.t_end
        if over < stop.t_start - TIE_S:  # never true for nan: not over
            return True
        above = above.parent
    return False


def _end_target(root: Node, stop: Stop) -> str:
    """End every running node of that name with success; those inside of one of them end along with it."""
    ended: list[Node] = []
    for node in active_nodes(root):
        if node.origin.name == stop.target and node.ending is None and not _is_inside(node, ended):
            node.end_early(Status.SUCCESS, stop.t_start, "ended by a stop node")
            ended.append(node)
    if ended:
        return ""
    text = f"no node named {stop.target!r} is running"
    stop.context.journal.warn(stop.t_start, stop.origin, "NO_TARGET", text)
    return text


def _is_inside(node: Node, outer: list[Node]) -> bool:
    above: Behaviour | None = node
    while above is not None:
        if above in outer:
            return True
        above = above.parent
    return False
