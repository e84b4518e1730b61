# SPDX-License-Identifier: Apache-2.0
"""A time box around one child.

py_trees 2.6.0's Timeout reads a wall clock; only the base class is used.
"""

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.around import Around
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.behaviour.nodes.seconds import seconds_of
from embodiment_bridge.bml.nodes.box import Box as Written


class Box(Around):
    """Exactly ``duration_s`` s of its child: success is padded, the rest cut off, failure passes at once."""

    def __init__(self, name: str, child: Node, duration_s: float) -> None:
        super().__init__(name, child)
        self.duration_s = duration_s

    def reset(self) -> None:
        """The child is to be begun."""
        super().reset()
        self._t_due = self.t_start + self.duration_s

    def work(self) -> Iterator[Behaviour]:
        """Tick the child while it runs; end with its failure or with the time."""
        yield from self.tick_child()
        child = self.child
        if child.status is Status.FAILURE and child.t_end <= self._t_due + TIE_S:
            self.finish(Status.FAILURE, child.t_end, child.feedback_message, child.culprit)
        elif self.context.clock.due(self._t_due):
            message = f"cut off after {self.duration_s:g} s" if child.running else ""
            self.close((child,), Status.SUCCESS, self._t_due, message)

    def wake_at(self) -> float:
        """When the time is up."""
        return self._t_due


@makes("box")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Box(node.name, children[0], seconds_of(node, node.duration_s))
