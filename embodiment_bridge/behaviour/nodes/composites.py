# SPDX-License-Identifier: Apache-2.0
"""Sequence, selector and parallel, each with both policies.

py_trees 2.6.0 has nodes of these names, but its Parallel fails on the first failure under every policy, none
has a failure policy, and all stop running children without waiting for them. Only its base class is used.
"""

from collections.abc import Iterable, Iterator
from typing import cast

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.policy import Policy, Tally


class Several(Node, Composite):
    """A node with children and policies. ``empty`` is how it ends without children."""

    empty = Status.SUCCESS

    def __init__(self, name: str, children: Iterable[Node], policy: Policy) -> None:
        super().__init__(name)
        self.add_children(list(children))
        self.policy = policy

    def kids(self) -> list[Node]:
        """The children; nothing but nodes is ever added."""
        return cast("list[Node]", self.children)

    def reset(self) -> None:
        """Count from zero."""
        self.tally = Tally(self.policy, len(self.children), self.empty)

    def finish_empty(self) -> None:
        """End at once, without children."""
        text = "has no children"
        self.context.journal.warn(self.t_start, self.origin, "EMPTY_COMPOSITE", text)
        self.finish(self.empty, self.t_start, text)


class Ordered(Several):
    """Children one after the other, each from the scheduled end of the one before; policies after each."""

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
        kids = self.kids()
        while self.running:
            child = kids[self.index]
            if self.current_child is not child:
                child.begin(self._t_next)
                self.current_child = child
            yield from child.tick()
            if child.running:
                if self.index + 2 == len(kids):
                    kids[-1].look_ahead(child)
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
        """The last child's turn may not have come."""
        if self.index + 2 == len(self.children):
            self.kids()[-1].forget_ahead()

    def active_children(self) -> list[Node]:
        """The child whose turn it is."""
        return [self.kids()[self.index]] if self.current_child is not None else []

    @property
    def in_last_child(self) -> bool:
        """Whether no child can follow the present one."""
        return self.index + 1 == len(self.children)


class Sequence(Ordered):
    """Does one child after the other; by default the first failure ends it."""


class Selector(Ordered):
    """Tries one child after the other; with its default policies the first success ends it."""

    empty = Status.FAILURE


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

    def active_children(self) -> list[Node]:
        """The children that have not ended."""
        return self._open
