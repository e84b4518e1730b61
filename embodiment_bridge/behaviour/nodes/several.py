# SPDX-License-Identifier: Apache-2.0
"""Base class of nodes with several children and policies.

py_trees 2.6.0 has nodes of these names, but its Parallel fails on the first failure under every policy, none
has a failure policy, and all stop running children without waiting for them. Only its base class is used.
"""

import math
from collections.abc import Iterable, Iterator
from typing import cast

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.policy import Policy, Tally
from embodiment_bridge.bml.nodes.composite import Composite as Written


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

    def left_s(self) -> float:
        """See Node: known in the last child only."""
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


def policy_of(node: Written) -> Policy:
    """The policies of a node of a document."""
    return Policy(node.succeed_on_one, node.fail_on_all)
