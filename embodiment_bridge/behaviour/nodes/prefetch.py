# SPDX-License-Identifier: Apache-2.0
"""How long something still runs, as far as it can be known: when the next document should be asked for."""

import math

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.composites import Ordered, Parallel
from embodiment_bridge.behaviour.nodes.guards import Guard, Subtree
from embodiment_bridge.behaviour.nodes.loops import Box, Loop
from embodiment_bridge.behaviour.nodes.media_leaves import Sound


def left_of(node: Node) -> float:
    """Run seconds until a running node is expected to succeed; inf when it is not known."""
    if isinstance(node, Sound):
        return math.inf if node.left is None else node.left
    if isinstance(node, Box):
        return node.wake_at() - node.context.clock.seconds
    if isinstance(node, Parallel):
        rest = [left_of(child) for child in node.active_children()]
        return (min if node.policy.succeed_on_one else max)(rest, default=math.inf)
    if isinstance(node, (Ordered, Loop)):
        last = node.in_last_child if isinstance(node, Ordered) else node.in_last_iteration
        node_now = node.active_children()
        return left_of(node_now[0]) if last and node_now else math.inf
    if isinstance(node, (Guard, Subtree)):
        inside = node.active_children()
        return left_of(inside[0]) if inside else math.inf
    return node.wake_at() - node.context.clock.seconds
