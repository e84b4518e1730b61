# SPDX-License-Identifier: Apache-2.0
"""A subtree: another document, inserted while reading."""

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.around import Through
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.bml.nodes.subtree import Subtree as Written


class Subtree(Through):
    """The root of a document that was put in place under a name."""


@makes("subtree")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Subtree(node.name, children[0])
