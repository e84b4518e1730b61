# SPDX-License-Identifier: Apache-2.0
"""Runs nodes with several children and policies: sequence, parallel and the selectors.

py_trees 2.6.0 has nodes of these names, but its Parallel fails on the first failure under every policy, none
has a failure policy, and all stop running children without waiting for them. Only its base class is used.
"""

import math
import random
from collections.abc import Iterable, Iterator
from typing import cast

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.node import Halt, Node
from embodiment_bridge.behaviour.engine.results import Policy, Tally
from embodiment_bridge.behaviour.nodes.decorators import Guard
from embodiment_bridge.behaviour.nodes.tree_builder import makes
from embodiment_bridge.bml.nodes import composite as bml


class CompositeNode(Node, Composite):
    """Represents a node with children and policies. ``empty`` is its result without children."""

    empty = Status.SUCCESS

    def __init__(self, name: str, children: Iterable[Node], policy: Policy) -> None:
        super().__init__(name)
        self.add_children(list(children))
        self.policy = policy

    def child_nodes(self) -> list[Node]:
        """Return the children; nothing but nodes is ever added."""
        return cast("list[Node]", self.children)

    def reset(self) -> None:
        """Count from zero."""
        self.tally = Tally(self.policy, len(self.children), self.empty)

    def finish_empty(self) -> None:
        """End at once, without children."""
        text = "has no children"
        self.context.journal.warn(self.t_start, self.origin, "EMPTY_COMPOSITE", text)
        self.finish(self.empty, self.t_start, text)


class Ordered(CompositeNode):
    """Runs one child after the other, each from the scheduled end of the last one; policies count after each."""

    current_child: Behaviour | None

    def reset(self) -> None:
        """Start at the first child again."""
        super().reset()
        self.current_child = None
        self.index = 0
        self._t_next = self.t_start

    def work(self) -> Iterator[Behaviour]:
        """Go on from child to child until one is still running or the policies decide."""
        if not self.children:
            self.finish_empty()
        children = self.child_nodes()
        while self.running:
            child = children[self.index]
            if self.current_child is not child:
                child.begin(self._t_next)
                self.current_child = child
            yield from child.tick()
            if child.running:
                if self.index + 2 == len(children):
                    children[-1].look_ahead(child)
                return
            self._after(child)

    def _after(self, child: Node) -> None:
        self.tally.add(child.ended_as)
        verdict = self.tally.verdict
        if verdict is not None:
            self.finish(verdict, child.t_end, *self.tally.blame(verdict))
        else:
            self._t_next = child.t_end
            self.index += 1

    def leave(self) -> None:
        """Undo looking ahead, as the last child's turn may not have come."""
        if self.index + 2 == len(self.children):
            self.child_nodes()[-1].forget_ahead()

    def active_children(self) -> list[Node]:
        """Return the child whose turn it is."""
        return [self.child_nodes()[self.index]] if self.current_child is not None else []

    def left_s(self) -> float:
        """Return the time left, s: see Node; it is known only while the last child runs."""
        now = self.active_children()
        return now[0].left_s() if now and self.in_last_child else math.inf

    @property
    def last_decides(self) -> bool:
        """Whether it ends as its last child does when that one has its turn."""
        return self.policy.last_decides

    @property
    def ends_with_child(self) -> bool:
        return self.in_last_child and self.last_decides

    @property
    def in_last_child(self) -> bool:
        """Whether no child can follow the present one."""
        return self.index + 1 == len(self.children)


def policy_of(node: bml.Composite) -> Policy:
    """Return the policies of a node of a document."""
    return Policy(node.succeed_on_one, node.fail_on_all)


class Sequence(Ordered):
    """Does one child after the other; by default the first failure ends it."""


@makes("sequence")
def make_sequence(node: bml.Composite, children: list[Node], nesting: int) -> Node:
    return Sequence(node.name, children, policy_of(node))


class Parallel(CompositeNode):
    """Runs all children at the same time.

    Ends are counted in the order of their scheduled times, not of the ticks that noticed them; children that
    end at the same instant are counted together, and failure wins. An ended child is not ticked again. When
    the policies have decided, the children still running are halted, last one first.
    """

    def reset(self) -> None:
        """Open all children again."""
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
            self._open = self.child_nodes()[:]
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
        """Return the children that have not ended."""
        return self._open


@makes("parallel")
def make_parallel(node: bml.Composite, children: list[Node], nesting: int) -> Node:
    return Parallel(node.name, children, policy_of(node))


SHOWN = 20  # places of an order that the journal tells


class Selector(Ordered):
    """Tries one child after the other; with its default policies the first success ends it."""

    empty = Status.FAILURE


class ReactiveSelector(Selector):
    """Implements a selector that halts a lower child when the condition of a higher one comes to be met.

    In every tick the conditions of the children above the running one are looked at, the highest first. One
    that is met now, and was not met when last looked at, gives its child the turn: the running child is
    brought to rest, then the higher one begins, and the children below it are open again. So a child that ran
    and failed is not begun again and again while its condition stays met.
    """

    def reset(self) -> None:
        """Forget which conditions were met."""
        super().reset()
        self._was_met: dict[int, bool] = {}
        self._next_index = -1
        self._yielding: Halt | None = None

    @property
    def last_decides(self) -> bool:
        """Never: a higher child may still take the turn."""
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
        for index, child in enumerate(self.child_nodes()[: self.index]):
            if isinstance(child, Guard):
                met = child.met
                # What ended without being left out had its condition met.
                was_met = self._was_met.get(index, not child.left_out)
                self._was_met[index] = met
                if met and not was_met and risen < 0:
                    risen = index
        if risen >= 0 and self.current_child is not None:
            self._next_index = risen
            running = self.child_nodes()[self.index]
            self._yielding = Halt([running] if running.running else [], self.context)

    def _take_turn(self) -> None:
        self._yielding = None
        self.index = self._next_index
        self.current_child = None
        self._was_met = {index: met for index, met in self._was_met.items() if index < self.index}
        self._t_next = self.context.clock.seconds
        self.tally = Tally(self.policy, len(self.children), self.empty)
        for child in self.child_nodes()[: self.index]:
            self.tally.add(child.ended_as)


class RandomSelector(Selector):
    """Implements a selector that tries its children in an order drawn anew for each execution.

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
        """Journal the start with the order drawn, as places in the document."""
        order = ", ".join(str(index) for index in self._order[:SHOWN])
        self.context.journal.note(self.t_start, "start", self.origin, f"tries {order}" if order else "")

    def child_nodes(self) -> list[Node]:
        """Return the children in the order drawn."""
        children = super().child_nodes()
        return [children[index] for index in self._order]


@makes("selector")
def make_selector(node: bml.Composite, children: list[Node], nesting: int) -> Node:
    policy = policy_of(node)
    if node.random:
        return RandomSelector(node.name, children, policy, node.weights)
    return (ReactiveSelector if node.reactive else Selector)(node.name, children, policy)
