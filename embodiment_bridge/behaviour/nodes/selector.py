# SPDX-License-Identifier: Apache-2.0
"""Children one after the other until one succeeds; reactive, or in random order."""

import random
from collections.abc import Iterable, Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.node import Halt, Node
from embodiment_bridge.behaviour.engine.policy import Policy, Tally
from embodiment_bridge.behaviour.nodes.guard import Guard
from embodiment_bridge.behaviour.nodes.registry import makes
from embodiment_bridge.behaviour.nodes.several import Ordered, policy_of
from embodiment_bridge.bml.nodes.composite import Composite as Written

SHOWN = 20  # places of an order that the journal tells


class Selector(Ordered):
    """Tries one child after the other; with its default policies the first success ends it."""

    empty = Status.FAILURE


class ReactiveSelector(Selector):
    """A selector that halts a lower child when the condition of a higher one comes to be met.

    In every tick the conditions of the children above the running one are looked at, the highest first. One
    that is met now, and was not met when last looked at, gives its child the turn: the running child is
    brought to rest, then the higher one begins, and the children below it are open again. So a child that ran
    and failed is not begun again and again while its condition stays met.
    """

    def reset(self) -> None:
        """Nothing was looked at yet."""
        super().reset()
        self._was_met: dict[int, bool] = {}
        self._next_index = -1
        self._yielding: Halt | None = None

    @property
    def last_decides(self) -> bool:
        """See Ordered: a higher child may still take the turn."""
        return False

    def work(self) -> Iterator[Behaviour]:
        """Look up; then go on as other selectors do."""
        if self._yielding is None:
            self._look_up()
        if self._yielding is not None:
            if not self._yielding.done():
                return
            self._take_turn()
        yield from super().work()

    def _look_up(self) -> None:
        risen = -1
        for index, child in enumerate(self.kids()[: self.index]):
            if isinstance(child, Guard):
                met = child.met
                # What ended without being left out had its condition met.
                was_met = self._was_met.get(index, not child.left_out)
                self._was_met[index] = met
                if met and not was_met and risen < 0:
                    risen = index
        if risen >= 0 and self.current_child is not None:
            self._next_index = risen
            running = self.kids()[self.index]
            self._yielding = Halt([running] if running.running else [], self.context)

    def _take_turn(self) -> None:
        self._yielding = None
        self.index = self._next_index
        self.current_child = None
        self._was_met = {index: met for index, met in self._was_met.items() if index < self.index}
        self._t_next = self.context.clock.seconds
        self.tally = Tally(self.policy, len(self.children), self.empty)
        for child in self.kids()[: self.index]:
            self.tally.add(child.ended_as)


class RandomSelector(Selector):
    """A selector that tries its children in an order drawn anew for each execution.

    The chance to be the next is in proportion to the weights of those that are left. The draw depends on the
    run's seed, the place of the node and the number of the execution alone, not on the rate of ticks.
    """

    def __init__(
        self, name: str, children: Iterable[Node], policy: Policy, weights: tuple[float, ...]
    ) -> None:
        super().__init__(name, children, policy)
        self.weights = weights or (1.0,) * len(self.children)
        self._order = list(range(len(self.children)))
        self._executions = 0

    def begin(self, t: float) -> None:
        """Draw the order."""
        where = f"{self.context.seed}:{self.origin.document}:{self.origin.pointer}:{self._executions}"
        self._executions += 1
        draw = random.Random(where)
        times = [draw.expovariate(weight) for weight in self.weights]  # the first of such clocks: by weight
        self._order = sorted(range(len(times)), key=times.__getitem__)
        super().begin(t)

    def announce(self) -> None:
        """With the order drawn, as places in the document."""
        order = ", ".join(str(index) for index in self._order[:SHOWN])
        self.context.journal.note(self.t_start, "start", self.origin, f"tries {order}" if order else "")

    def kids(self) -> list[Node]:
        """The children in the order drawn."""
        children = super().kids()
        return [children[index] for index in self._order]


@makes("selector")
def make(node: Written, children: list[Node], nesting: int) -> Node:
    policy = policy_of(node)
    if node.random:
        return RandomSelector(node.name, children, policy, node.weights)
    return (ReactiveSelector if node.reactive else Selector)(node.name, children, policy)
