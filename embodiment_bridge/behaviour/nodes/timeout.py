# SPDX-License-Identifier: Apache-2.0
"""A time-out for one child."""

import math
from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.around import Through
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.bml.nodes.timeout import Timeout as Written


class Timeout(Through):
    """Its child, for at most ``timeout_s`` s: what has not ended by then is halted, and that is a failure."""

    def __init__(self, name: str, child: Node, timeout_s: float) -> None:
        super().__init__(name, child)
        self.timeout_s = timeout_s

    def work(self) -> Iterator[Behaviour]:
        """Tick the child while it has time; an end is judged by its scheduled time."""
        yield from self.tick_child()
        child = self.child
        if not child.running and child.t_end <= self.wake_at() + TIE_S:
            self.end_as(child)
        elif self.context.clock.due(self.wake_at()):
            message = f"TIMEOUT: has not ended after {self.timeout_s:g} s"
            self.close((child,), Status.FAILURE, self.wake_at(), message)

    def left_s(self) -> float:
        return Node.left_s(self)

    @property
    def ends_with_child(self) -> bool:
        return False

    def wake_at(self) -> float:
        """When the time is up."""
        return self.t_start + self.timeout_s


@makes("timeout")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    if not (math.isfinite(node.timeout_s) and node.timeout_s > 0):
        text = f"a time-out is a finite number of seconds over 0, not {node.timeout_s!r}"
        raise Rejected.because(node.pointer, "OUT_OF_RANGE", text)
    return Timeout(node.name, children[0], node.timeout_s)
