# SPDX-License-Identifier: Apache-2.0
"""Loop and time box round one child.

py_trees 2.6.0's Repeat takes 0 for ever, has no policies and loses the rest of a tick in every iteration; its
Timeout reads a wall clock. Only the base class is used.
"""

import math
from collections.abc import Iterator
from typing import cast

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import Decorator

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.policy import Policy, Tally
from embodiment_bridge.bml.analysis.combine import MIN_PERIOD_S, NO_TIME_S
from embodiment_bridge.bml.document import FOREVER


class Around(Node, Decorator):
    """A node with one child."""

    def __init__(self, name: str, child: Node) -> None:
        super().__init__(name, child)

    @property
    def child(self) -> Node:
        """The child; it is always a node."""
        return cast("Node", self.decorated)

    def active_children(self) -> list[Node]:
        """The child, which may be running."""
        return [self.child]


class Loop(Around):
    """Runs its child ``count`` times, FOREVER is -1; the policies are over the iterations.

    Each iteration begins at the scheduled end of the one before, so lengths add up. Iterations that take no
    time are spread to one per tick and per 20 ms.
    """

    def __init__(self, name: str, child: Node, count: int, policy: Policy) -> None:
        super().__init__(name, child)
        self.total = math.inf if count == FOREVER else count
        self.policy = policy

    def reset(self) -> None:
        """Count from zero."""
        self.tally = Tally(self.policy, self.total)
        self._turning = False
        self._iterations = 0
        self._t_next = self.t_start

    @property
    def in_last_iteration(self) -> bool:
        """Whether no iteration can follow the present one."""
        return self._iterations + 1 >= self.total

    def work(self) -> Iterator[Behaviour]:
        """Go from iteration to iteration until one is still running or the policies decide."""
        while self._turning or self._next_may_begin():
            if not self._turning:
                self._turning = True
                self.child.begin(self._t_next)
            yield from self.child.tick()
            if self.child.running:
                return
            self._turning = False
            self._count_iteration()
            if not self.running:
                return

    def _next_may_begin(self) -> bool:
        return self.context.clock.due(self._t_next) and self.context.take_iteration()

    def _count_iteration(self) -> None:
        child = self.child
        self._iterations += 1
        self.tally.add(child.ended_as)
        verdict = self.tally.verdict
        if verdict is not None:
            self.finish(verdict, child.t_end, *self.tally.blame(verdict))
        elif child.t_end - child.t_start < NO_TIME_S:
            self._slow_down()
        else:
            self._t_next = child.t_end

    def _slow_down(self) -> None:
        """The iteration took no time: put the next one 20 ms after its start, and behind this tick."""
        if self.total == math.inf:
            text = f"an iteration takes no time; begun at most every {MIN_PERIOD_S * 1000:g} ms"
            self.context.journal.warn(self.child.t_start, self.origin, "BUSY_FOREVER", text)
        self._t_next = max(self.child.t_start, self.context.clock.seconds) + MIN_PERIOD_S

    def wake_at(self) -> float:
        """When the next iteration begins, between two of them."""
        return math.inf if self._turning else self._t_next


class Box(Around):
    """Exactly ``duration_s`` s of its child: success is padded, the rest cut off, failure passes at once."""

    def __init__(self, name: str, child: Node, duration_s: float) -> None:
        super().__init__(name, child)
        self.duration_s = duration_s

    def reset(self) -> None:
        """The child is to be begun."""
        self._begun = False
        self._t_due = self.t_start + self.duration_s

    def work(self) -> Iterator[Behaviour]:
        """Tick the child while it runs; end with its failure or with the time."""
        if not self._begun:
            self._begun = True
            self.child.begin(self.t_start)
        yield from self.child.tick()
        child = self.child
        if child.status is Status.FAILURE and child.t_end <= self._t_due + TIE_S:
            self.finish(Status.FAILURE, child.t_end, child.feedback_message, child.culprit)
        elif self.context.clock.due(self._t_due):
            message = f"cut off after {self.duration_s:g} s" if child.running else ""
            self.close((child,), Status.SUCCESS, self._t_due, message)

    def wake_at(self) -> float:
        """When the time is up."""
        return self._t_due
