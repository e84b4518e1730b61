# SPDX-License-Identifier: Apache-2.0
"""Writes on the blackboard."""

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.nodes.set import Set as Written


class Set(Leaf):
    """Writes a value on the blackboard."""

    uses_port = False

    def __init__(self, name: str, key: str, value: Value) -> None:
        super().__init__(name)
        self.key = key
        self.value = value

    def start(self) -> None:
        """Write; a full blackboard is a failure."""
        self.context.blackboard.write(self.key, self.value)
        self.finish(Status.SUCCESS, self.t_start)


@makes("set")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Set(node.name, node.key, node.value)
