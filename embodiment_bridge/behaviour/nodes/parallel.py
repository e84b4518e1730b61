# SPDX-License-Identifier: Apache-2.0
"""Runs all children at the same time."""

import math
from collections.abc import Iterator

from py_trees.behaviour import Behaviour

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.behaviour.nodes.several import Several, policy_of
from embodiment_bridge.bml.nodes.composite import Composite as Written


class Parallel(Several):
    """All children at the same time.

    Ends are counted in the order of their scheduled times, not of the ticks that noticed them; children that
    end at the same instant are counted together, and failure wins. An ended child is not ticked again. When
    the policies have decided, the children still running are halted, last one first.
    """

    def reset(self) -> None:
        """All children are open again."""
        super().reset()
        self._open: list[Node] = []
        self._begun = False

    def work(self) -> Iterator[Behaviour]:
        """Tick all that run, then look at the policies."""
        if not self.children:
            self.finish_empty()
            return
        if not self._begun:
            self._begun = True
            self._open = self.kids()[:]
            for child in self._open:
                child.begin(self.t_start)
        for child in self._open:
            yield from child.tick()
        ended = sorted((child for child in self._open if not child.running), key=lambda child: child.t_end)
        self._open = [child for child in self._open if child.running]
        self._judge(ended)

    def _judge(self, ended: list[Node]) -> None:
        """Count the children that ended since the last tick, instant by instant."""
        for place, child in enumerate(ended):
            self.tally.add(child.ended_as)
            if place + 1 < len(ended) and ended[place + 1].t_end - child.t_end <= TIE_S:
                continue
            verdict = self.tally.verdict
            if verdict is not None:
                self.close(self._open, verdict, child.t_end, *self.tally.blame(verdict))
                return

    def left_s(self) -> float:
        rest = [child.left_s() for child in self.active_children()]
        return (min if self.policy.succeed_on_one else max)(rest, default=math.inf)

    def active_children(self) -> list[Node]:
        """The children that have not ended."""
        return self._open


@makes("parallel")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    return Parallel(node.name, children, policy_of(node))
