# SPDX-License-Identifier: Apache-2.0
"""Waits."""

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.behaviour.nodes.seconds import seconds_of
from embodiment_bridge.bml.nodes.delay import Delay as Written


class Delay(Leaf):
    """Waits ``duration_s`` seconds, then succeeds or fails."""

    uses_port = False

    def __init__(self, name: str, duration_s: float, succeed: bool = True) -> None:
        super().__init__(name)
        self.duration_s = duration_s
        self.result = Status.SUCCESS if succeed else Status.FAILURE

    def poll(self) -> None:
        """End when the time is up."""
        if self.context.clock.due(self.wake_at()):
            failed = self.result is Status.FAILURE
            message = f"fails after {self.duration_s:g} s, as written" if failed else ""
            self.finish(self.result, self.wake_at(), message)

    def wake_at(self) -> float:
        """When the time is up."""
        return self.t_start + self.duration_s


@makes("delay")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Delay(node.name, seconds_of(node, node.duration_s), node.succeed)
