# SPDX-License-Identifier: Apache-2.0
"""Carrying out what stop nodes asked for during a pass over the tree."""

from uuid import UUID

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.asked import StopAsked
from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.context import RunContext
from embodiment_bridge.behaviour.engine.node import Node, active_nodes


def apply_stops(context: RunContext, root: Node) -> StopAsked | None:
    """End the targets of stop nodes; return the first one that ends the whole run, if any."""
    stops, context.stops = context.stops, []
    for stop in stops:
        if stop.is_late():
            continue
        if not stop.target:
            return stop
        stop.answer(_end_target(context, root, stop))
        context.waiting = True
    return None


def is_over_above(node: Node, t: float) -> bool:
    """Whether a node above ``node`` was over, by scheduled time, before run time ``t`` (s).

    A tick that comes late ends the one and reaches the other; without this its lateness would change the outcome.
    """
    above: Behaviour | None = node.parent
    while isinstance(above, Node):
        over = above.ending.t if above.ending is not None else above.t_end
        if over < t - TIE_S:  # never true for nan: not over
            return True
        above = above.parent
    return False


def _end_target(context: RunContext, root: Node, stop: StopAsked) -> str:
    """End every running node of that name with success; those inside of one of them end along with it."""
    ended: set[UUID] = set()
    for node in active_nodes(root):
        if node.origin.name == stop.target and node.ending is None and not _is_inside(node, ended):
            node.end_early(Status.SUCCESS, stop.t, "ended by a stop node")
            ended.add(node.id)
    if ended:
        return ""
    text = f"no node named {stop.target!r} is running"
    context.journal.warn(stop.t, stop.origin, "NO_TARGET", text)
    return text


def _is_inside(node: Node, outer: set[UUID]) -> bool:
    above: Behaviour | None = node
    while above is not None:
        if above.id in outer:
            return True
        above = above.parent
    return False
