# SPDX-License-Identifier: Apache-2.0
"""Children one after the other until one fails."""

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.behaviour.nodes.several import Ordered, policy_of
from embodiment_bridge.bml.nodes.composite import Composite as Written


class Sequence(Ordered):
    """Does one child after the other; by default the first failure ends it."""


@makes("sequence")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Sequence(node.name, children, policy_of(node))
