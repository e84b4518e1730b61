# SPDX-License-Identifier: Apache-2.0
"""A condition that guards one child."""

from collections.abc import Iterator

from py_trees.behaviour import Behaviour

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.around import Through
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.bml.base.conditions import Condition, describe, holds
from embodiment_bridge.bml.nodes.guard import Guard as Written


class Guard(Through):
    """Its child, if the condition is met when the guard's turn comes; else it is left out.

    The blackboard is read in the tick that begins the child; the condition is not looked at again (but see
    ``ReactiveSelector``).
    """

    def __init__(self, name: str, child: Node, condition: Condition) -> None:
        super().__init__(name, child)
        self.condition = condition

    @property
    def met(self) -> bool:
        """Whether the condition is met now."""
        return holds(self.condition, self.context.blackboard.read)

    def work(self) -> Iterator[Behaviour]:
        """Look once, then tick the child."""
        if not self._begun and not self.met:
            self.leave_out(f"not met: {describe(self.condition)}")
            return
        yield from super().work()


@makes("guard")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Guard(node.name, children[0], node.condition)
