# SPDX-License-Identifier: Apache-2.0
"""Base class of nodes that wrap one child."""

import math
from collections.abc import Iterator
from typing import cast

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import Decorator

from embodiment_bridge.behaviour.engine.node import Node


class Around(Node, Decorator):
    """A node with one child."""

    def __init__(self, name: str, child: Node) -> None:
        super().__init__(name, child)

    @property
    def child(self) -> Node:
        """The child; it is always a node."""
        return cast("Node", self.decorated)

    _begun = False
    """Whether this execution has begun the child."""

    def reset(self) -> None:
        """The child is to be begun."""
        self._begun = False

    def active_children(self) -> list[Node]:
        """The child, which may be running."""
        return [self.child]

    def tick_child(self) -> Iterator[Behaviour]:
        """Tick the child, which begins with this node."""
        if not self._begun:
            self._begun = True
            self.child.begin(self.t_start)
        yield from self.child.tick()


class Through(Around):
    """Ends as its child does."""

    def work(self) -> Iterator[Behaviour]:
        """Tick the child."""
        yield from self.tick_child()
        child = self.child
        if not child.running:
            self.end_as(child)

    def left_s(self) -> float:
        """See Node: what the child has left."""
        return self.child.left_s() if self.child.running else math.inf

    @property
    def ends_with_child(self) -> bool:
        return True

    def end_as(self, child: Node) -> None:
        """End when and as the child did."""
        if child.left_out:
            self.leave_out(child.feedback_message)
        else:
            failed = child.status is Status.FAILURE
            self.finish(child.status, child.t_end, child.feedback_message if failed else "", child.culprit)
