# SPDX-License-Identifier: Apache-2.0
"""Runs nodes round one child: box, guard and timeout.

py_trees 2.6.0's Timeout reads a wall clock; only its base class is used.
"""

import math
from collections.abc import Iterator
from typing import cast

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import Decorator

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.nodes.tree_builder import makes, seconds_of
from embodiment_bridge.bml.base.conditions import Condition, describe, holds
from embodiment_bridge.bml.nodes import decorators as bml


class DecoratorNode(Node, Decorator):
    """Represents a node with one child."""

    def __init__(self, name: str, child: Node) -> None:
        super().__init__(name, child)

    @property
    def child(self) -> Node:
        """The child; it is always a node."""
        return cast("Node", self.decorated)

    _begun = False
    """Whether this execution has begun the child."""

    def reset(self) -> None:
        """Mark the child as not begun."""
        self._begun = False

    def active_children(self) -> list[Node]:
        """Return the child, which may be running."""
        return [self.child]

    def tick_child(self) -> Iterator[Behaviour]:
        """Tick the child, which begins with this node."""
        if not self._begun:
            self._begun = True
            self.child.begin(self.t_start)
        yield from self.child.tick()


class PassThrough(DecoratorNode):
    """Ends as its child does."""

    def work(self) -> Iterator[Behaviour]:
        """Tick the child."""
        yield from self.tick_child()
        child = self.child
        if not child.running:
            self.end_as(child)

    def left_s(self) -> float:
        """Return what the child has left."""
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


class Box(DecoratorNode):
    """Runs its child for exactly ``duration_s`` s: success is padded, the rest cut off, failure passes at once."""

    def __init__(self, name: str, child: Node, duration_s: float) -> None:
        super().__init__(name, child)
        self.duration_s = duration_s

    def reset(self) -> None:
        """Mark the child as not begun."""
        super().reset()
        self._t_due = self.t_start + self.duration_s

    def work(self) -> Iterator[Behaviour]:
        """Tick the child while it runs; end with its failure or with the time."""
        yield from self.tick_child()
        child = self.child
        if child.status is Status.FAILURE and child.t_end <= self._t_due + TIE_S:
            self.finish(Status.FAILURE, child.t_end, child.feedback_message, child.culprit)
        elif self.context.clock.due(self._t_due):
            message = f"cut off after {self.duration_s:g} s" if child.running else ""
            self.close((child,), Status.SUCCESS, self._t_due, message)

    def wake_at(self) -> float:
        """Return when the box ends."""
        return self._t_due


@makes("box")
def make_box(node: bml.Box, children: list[Node], nesting: int) -> Node:
    return Box(node.name, children[0], seconds_of(node, node.duration_s))


class Guard(PassThrough):
    """Runs its child if the condition is met when the guard's turn comes; else leaves it out.

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
def make_guard(node: bml.Guard, children: list[Node], nesting: int) -> Node:
    return Guard(node.name, children[0], node.condition)


class Timeout(PassThrough):
    """Runs its child for at most ``timeout_s`` s; if it has not ended by then, halts it and fails."""

    def __init__(self, name: str, child: Node, timeout_s: float) -> None:
        super().__init__(name, child)
        self.timeout_s = timeout_s

    def reset(self) -> None:
        """Start the time anew."""
        super().reset()
        self.timed_out = False

    def work(self) -> Iterator[Behaviour]:
        """Tick the child while it has time; an end is judged by its scheduled time."""
        yield from self.tick_child()
        child = self.child
        if not child.running and child.t_end <= self.wake_at() + TIE_S:
            self.end_as(child)
        elif self.context.clock.due(self.wake_at()):
            message = f"TIMEOUT: has not ended after {self.timeout_s:g} s"
            self.timed_out = True
            self.close((child,), Status.FAILURE, self.wake_at(), message)

    def left_s(self) -> float:
        return Node.left_s(self)

    @property
    def ends_with_child(self) -> bool:
        return False

    def wake_at(self) -> float:
        """Return when the time-out comes."""
        return self.t_start + self.timeout_s


@makes("timeout")
def make_timeout(node: bml.Timeout, children: list[Node], nesting: int) -> Node:
    if not (math.isfinite(node.timeout_s) and node.timeout_s > 0):
        text = f"a time-out is a finite number of seconds over 0, not {node.timeout_s!r}"
        raise Rejected.because(node.pointer, "OUT_OF_RANGE", text)
    return Timeout(node.name, children[0], node.timeout_s)


class Retry(PassThrough):
    """Begins its child again ``bml.PAUSE_S`` after a failure, at most ``times`` times (-1: for ever).

    A child whose time-out is over is not begun again, as the next attempt would hardly do better.
    """

    def __init__(self, name: str, child: Node, times: int) -> None:
        super().__init__(name, child)
        self.times = math.inf if times < 0 else times

    def reset(self) -> None:
        """Forget the attempts."""
        super().reset()
        self.attempts = 0
        self._t_next = self.t_start

    def work(self) -> Iterator[Behaviour]:
        """Tick the attempt, or begin the next one when the pause is over."""
        while self._begun or (self.context.clock.due(self._t_next) and self.context.take_iteration()):
            child = self.child
            if not self._begun:
                self._begun = True
                self.attempts += 1
                child.begin(self._t_next)
            yield from child.tick()
            if child.running:
                return
            if child.status is not Status.FAILURE or not self._may_try_again:
                self.end_as(child)
                return
            self.context.journal.warn(child.t_end, self.origin, "RETRY", child.feedback_message)
            self._begun = False
            self._t_next = child.t_end + bml.PAUSE_S

    @property
    def _may_try_again(self) -> bool:
        timed_out = isinstance(self.child, Timeout) and self.child.timed_out
        return self.attempts <= self.times and not timed_out

    @property
    def ends_with_child(self) -> bool:
        return self.attempts > self.times

    def wake_at(self) -> float:
        """Return when the next attempt begins, between two attempts."""
        return math.inf if self._begun else self._t_next


@makes("retry")
def make_retry(node: bml.Retry, children: list[Node], nesting: int) -> Node:
    return Retry(node.name, children[0], node.times)
