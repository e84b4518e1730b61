# SPDX-License-Identifier: Apache-2.0
"""Ends the run or a node."""

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.bml.nodes.stop import Stop as Written


class Stop(Leaf):
    """Ends the whole run, or every running node named ``target`` with success.

    The run does it between two passes over the tree, when no node is in the middle of its work.
    """

    uses_port = False
    answer: str | None = None

    def __init__(self, name: str, target: str = "") -> None:
        super().__init__(name)
        self.target = target

    def start(self) -> None:
        """Tell the run."""
        self.answer = None
        self.context.stops.append(self)

    def poll(self) -> None:
        """End when the run has done it."""
        if self.answer is not None:
            self.finish(Status.SUCCESS, self.t_start, self.answer)


@makes("stop")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Stop(node.name, node.target)
