# SPDX-License-Identifier: Apache-2.0
"""Condition, time-out and subtree round one child."""

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.loops import Around
from embodiment_bridge.bml.conditions import Condition, describe, holds


class Through(Around):
    """Ends as its child does."""

    def reset(self) -> None:
        """The child is to be begun."""
        self._begun = False

    def work(self) -> Iterator[Behaviour]:
        """Tick the child."""
        if not self._begun:
            self._begun = True
            self.child.begin(self.t_start)
        yield from self.child.tick()
        child = self.child
        if not child.running:
            self.end_as(child)

    def end_as(self, child: Node) -> None:
        """End when and as the child did."""
        if child.left_out:
            self.leave_out(child.feedback_message)
        else:
            failed = child.status is Status.FAILURE
            self.finish(child.status, child.t_end, child.feedback_message if failed else "", child.culprit)


class Subtree(Through):
    """The root of a document that was put in place under a name."""


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


class Timeout(Through):
    """Its child, for at most ``timeout_s`` s: what has not ended by then is halted, and that is a failure."""

    def __init__(self, name: str, child: Node, timeout_s: float) -> None:
        super().__init__(name, child)
        self.timeout_s = timeout_s

    def work(self) -> Iterator[Behaviour]:
        """Tick the child while it has time; an end is judged by its scheduled time."""
        if not self._begun:
            self._begun = True
            self.child.begin(self.t_start)
        yield from self.child.tick()
        child = self.child
        if not child.running and child.t_end <= self.wake_at() + TIE_S:
            self.end_as(child)
        elif self.context.clock.due(self.wake_at()):
            message = f"TIMEOUT: has not ended after {self.timeout_s:g} s"
            self.close((child,), Status.FAILURE, self.wake_at(), message)

    def wake_at(self) -> float:
        """When the time is up."""
        return self.t_start + self.timeout_s
