# SPDX-License-Identifier: Apache-2.0
"""Ends the run or a node."""

from functools import partial

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.asked import StopAsked
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.stops import is_over_above
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.bml.nodes.stop import Stop as Written


class Stop(Leaf):
    """Ends the whole run, or every running node named ``target`` with success.

    The run does it between two passes over the tree, when no node is in the middle of its work.
    """

    uses_port = False

    def __init__(self, name: str, target: str = "") -> None:
        super().__init__(name)
        self.target = target

    def start(self) -> None:
        """Ask the run."""
        self._answer: str | None = None
        late = partial(is_over_above, self, self.t_start)
        self.context.stops.append(StopAsked(self.target, self.t_start, self.origin, late, self._take_answer))

    def _take_answer(self, text: str) -> None:
        self._answer = text
        if not self.target and self.running:  # the run is brought to rest: there is no other tick
            self.poll()

    def poll(self) -> None:
        """End when the run has done it."""
        if self._answer is not None:
            self.finish(Status.SUCCESS, self.t_start, self._answer)


@makes("stop")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Stop(node.name, node.target)
