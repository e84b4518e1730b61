# SPDX-License-Identifier: Apache-2.0
"""Repeats one child.

py_trees 2.6.0's Repeat takes 0 for ever, has no policies and loses the rest of a tick in every iteration.
"""

import math
from collections.abc import Iterator

from py_trees.behaviour import Behaviour

from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.results import Policy, Tally
from embodiment_bridge.behaviour.nodes.decorators import DecoratorNode
from embodiment_bridge.behaviour.nodes.tree_builder import makes
from embodiment_bridge.bml.fields.values import FOREVER
from embodiment_bridge.bml.nodes import loop as bml


class Loop(DecoratorNode):
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

    def left_s(self) -> float:
        """Return the time left, s: see Node; it is known only in the last iteration."""
        return self.child.left_s() if self.in_last_iteration else math.inf

    @property
    def ends_with_child(self) -> bool:
        return self.in_last_iteration and (self.total == 1 or self.policy.last_decides)

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
        elif child.t_end - child.t_start < bml.NO_TIME_S:
            self._slow_down()
        else:
            self._t_next = child.t_end

    def _slow_down(self) -> None:
        """Delay the next iteration, as this one took no time: to 20 ms after its start, in a later tick."""
        if self.total == math.inf:
            text = f"an iteration takes no time; begun at most every {bml.MIN_PERIOD_S * 1000:g} ms"
            self.context.journal.warn(self.child.t_start, self.origin, "BUSY_FOREVER", text)
        self._t_next = max(self.child.t_start, self.context.clock.seconds) + bml.MIN_PERIOD_S

    def wake_at(self) -> float:
        """Return when the next iteration begins, between two iterations."""
        return math.inf if self._turning else self._t_next


@makes("loop")
def make_loop(node: bml.Loop, children: list[Node], nesting: int) -> Node:
    if node.count != FOREVER and node.count < 1:
        text = f"a loop has a count of 1 or more, or {FOREVER} for ever, not {node.count}"
        raise Rejected.because(node.pointer, "OUT_OF_RANGE", text)
    return Loop(node.name, children[0], node.count, Policy(node.succeed_on_one, node.fail_on_all))
