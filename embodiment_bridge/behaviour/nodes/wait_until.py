# SPDX-License-Identifier: Apache-2.0
"""Waits until a condition is met."""

import math

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.bml.base.conditions import Condition, describe, holds
from embodiment_bridge.bml.nodes.wait_until import WaitUntil as Written


class WaitUntil(Leaf):
    """Looks at the blackboard in every tick; what is met only after the time is up is met too late."""

    uses_port = False

    def __init__(self, name: str, until: Condition, timeout_s: float, succeed: bool) -> None:
        super().__init__(name)
        self.until = until
        self.timeout_s = timeout_s
        self.late = Status.SUCCESS if succeed else Status.FAILURE

    def poll(self) -> None:
        """End with the condition or with the time."""
        now, due = max(self.context.clock.seconds, self.t_start), self.wake_at()
        if now <= due + TIE_S and holds(self.until, self.context.blackboard.read):
            self.finish(Status.SUCCESS, now)
        elif self.context.clock.due(due):
            message = f"TIMEOUT: not met after {self.timeout_s:g} s: {describe(self.until)}"
            self.finish(self.late, due, message)

    def wake_at(self) -> float:
        """When the time is up."""
        return self.t_start + self.timeout_s


@makes("wait_until")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    timeout_s = math.inf if node.timeout_s is None else node.timeout_s
    return WaitUntil(node.name, node.until, timeout_s, node.succeed)
