# SPDX-License-Identifier: Apache-2.0
"""The base class of all nodes of a behaviour tree, on the py_trees behaviour, and snapshots of the tree."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.context import RunContext
from embodiment_bridge.behaviour.engine.debugging import Failures
from embodiment_bridge.behaviour.engine.journal import Origin
from embodiment_bridge.behaviour.engine.results import Result


@dataclass(frozen=True, slots=True)
class Ending:
    """Holds the result and time (run time in s) of a node that ends once the nodes below it are at rest."""

    halt: "Halt"
    t: float
    result: Result


class Node(Behaviour):
    """Represents a node that begins at a scheduled time, is ticked while it runs, and ends at a scheduled time.

    A parent calls ``begin(t)`` once for each execution, then ticks; ticking a node that does not run does
    nothing. Times are run seconds: ``t_start`` and ``t_end`` are scheduled, so a sibling that begins at
    ``t_end`` loses nothing to the tick that noticed the end. ``culprit`` is where a FAILURE came from.

    (py_trees 2.6.0 begins a finished node anew whenever it is ticked and stops children at once; here the
    parent decides about the first, and the second may take several ticks.)
    """

    context: RunContext
    origin: Origin
    t_start = math.nan
    t_end = math.nan
    culprit: Origin | None = None
    ending: Ending | None = None
    left_out = False
    """Whether the last execution did not take place, as a condition was not met."""
    being_halted = False
    held_back = False
    """Whether it waits at a breakpoint, or for the next step, before its beginning."""

    def place(self, context: RunContext, origin: Origin) -> None:
        """Tell the node its run and its place in the document, before its first ``begin``."""
        self.context = context
        self.origin = origin
        self.reset()

    @property
    def _origin_above(self) -> Origin | None:
        return self.parent.origin if isinstance(self.parent, Node) else None

    @property
    def place_in_text(self) -> tuple[int, str]:
        """Document and JSON pointer; a node shares them with its loop, its box and its condition."""
        return self.origin.document, self.origin.pointer

    @property
    def at_breakpoint(self) -> bool:
        """Whether there is a breakpoint before this node."""
        return self.context.gate.stops_at(self.origin, self._origin_above)

    @property
    def ended_as(self) -> Result:
        """The result of the last execution."""
        return Result(self.status, self.feedback_message, self.culprit)

    @property
    def running(self) -> bool:
        """Whether it was begun and has not ended."""
        return self.status is Status.RUNNING

    def begin(self, t: float) -> None:
        """Start an execution at run time ``t``; children are begun by the first tick."""
        self.status = Status.RUNNING
        self.left_out = self.being_halted = False
        self.t_start = t
        self.t_end = math.nan
        self.culprit = self.ending = None
        self.feedback_message = ""
        self.reset()
        gate = self.context.gate
        may_wait = gate.stepping or gate.breakpoints
        self.held_back = bool(may_wait) and gate.holds_back(self.origin, self._origin_above)
        if self.held_back:
            self.context.held_back.append(self.id)
        else:
            self.announce()

    def let_go(self) -> None:
        """Begin after having been held back."""
        if self.held_back:
            self.held_back = False
            if self.running:
                self.announce()

    def reset(self) -> None:
        """Forget the execution before (for subclasses)."""

    def announce(self) -> None:
        """Journal that the node begins."""
        self.context.journal.note(self.t_start, "start", self.origin, self.origin.label)

    def look_ahead(self, before: "Node") -> None:
        """Prepare for its turn: it is the last child, and ``before``, the one before it, runs."""

    def forget_ahead(self) -> None:
        """Undo ``look_ahead``, as the node's turn does not come."""

    def tick(self) -> Iterator[Behaviour]:
        """Advance if running; yields the nodes that were visited."""
        if self.ending is not None:
            self._end_when_halted()
        elif self.running and not self.held_back:
            failures = self.context.failures
            if failures is None or not self._fails_as_rehearsed(failures):
                yield from self.work()
        yield self

    def _fails_as_rehearsed(self, failures: Failures) -> bool:
        """End as the rehearsal wants it, where it does; of a node with its loop or box, the innermost part does."""
        place = self.place_in_text
        if any(isinstance(child, Node) and child.place_in_text == place for child in self.children):
            return False
        reason = failures.reason_for(self.origin)
        if reason is None:
            return False
        self.announce_failing()
        self.finish(Status.FAILURE, self.t_start, reason)
        return True

    def announce_failing(self) -> None:
        """Journal the beginning, where that has not been done (for subclasses)."""

    def work(self) -> Iterator[Behaviour]:
        """Advance a running node (for subclasses)."""
        yield from ()

    def update(self) -> Status:
        """Return the status as it is; only py_trees calls this."""
        return self.status

    def finish(self, status: Status, t: float, message: str = "", culprit: Origin | None = None) -> None:
        """End the execution at run time ``t``; a failure without culprit is the node's own."""
        self.status = status
        self.t_end = t
        self.feedback_message = message
        failed = status is Status.FAILURE
        self.culprit = (culprit or self.origin) if failed else None
        self.leave()
        self.context.journal.note(t, "failure" if failed else "success", self.origin, message)

    def leave_out(self, message: str) -> None:
        """End at once without having done anything: neither a success nor a failure."""
        self.status = Status.INVALID
        self.left_out = True
        self.t_end = self.t_start
        self.feedback_message = message
        self.context.journal.note(self.t_start, "skipped", self.origin, message)

    def end_early(self, status: Status, t: float, message: str) -> None:
        """End as something else asks for."""
        self.close(self.active_children() or [self], status, t, message)

    def close(
        self,
        victims: Iterable["Node"],
        status: Status,
        t: float,
        message: str = "",
        culprit: Origin | None = None,
    ) -> None:
        """End as ``finish`` does, but halt ``victims`` first and stay RUNNING until they are at rest.

        If that takes longer than the grace of the settings, the end is when they are.
        """
        halt = Halt(victims, self.context, keep=self)
        if halt.done():
            self.finish(status, t, message, culprit)
        else:
            self.ending = Ending(halt, t, Result(status, message, culprit))

    def _end_when_halted(self) -> None:
        ending = self.ending
        if ending is not None and ending.halt.done():
            self.ending = None
            result = ending.result
            self.finish(result.status, self.context.settle(ending.t), result.message, result.culprit)

    def drop(self, t: float) -> None:
        """Clean up after the node was halted from above and is at rest."""
        self.ending = None
        self.status = Status.INVALID
        self.leave()
        if not self.held_back:
            self.context.journal.note(t, "halted", self.origin)

    def leave(self) -> None:
        """Let go of what only a running node needs (for subclasses)."""

    def active_children(self) -> "list[Node]":
        """Return the children that may be running, in order."""
        return []

    def haltable_children(self) -> "list[Node]":
        """Return the active children that are halted along with this node."""
        return self.active_children()

    @property
    def tidying(self) -> bool:
        """Whether a halt must wait for what this node still does, however long it takes."""
        return False

    def ask_to_end(self) -> None:
        """Begin to come to rest; may be called twice. Nodes with children have nothing to do themselves."""

    def released(self) -> bool:
        """Return whether the node is at rest after ``ask_to_end``."""
        return True

    def hold_settled(self, on: bool) -> bool:
        """Return whether the node has followed the last hold (``on``) or release."""
        return True

    def wake_at(self) -> float:
        """Return the run time at which a tick will change something here; inf when only a port can say."""
        return math.inf

    def left_s(self) -> float:
        """Run seconds until it is expected to succeed while it runs; inf: that cannot be known."""
        return self.wake_at() - self.context.clock.seconds

    @property
    def ends_with_child(self) -> bool:
        """Whether it will end at the end of the child that runs, and as that one does."""
        return False


def active_nodes(root: Node) -> list[Node]:
    """Return the running nodes from ``root`` down, parents first, children in order; skips idle branches."""
    found: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        if node.running:
            found.append(node)
            todo.extend(reversed(node.active_children()))
    return found


def _to_halt(root: Node) -> list[Node]:
    """Return the running nodes that a halt of ``root`` is about."""
    found: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        if node.running:
            found.append(node)
            todo.extend(reversed(node.haltable_children()))
    return found


class Halt:
    """Asks all nodes under ``victims`` that run to end, last one first, and knows when all have ended.

    A halted node is not ticked again unless its parent begins it anew. ``keep`` is a victim that will say
    itself how it ended.
    """

    def __init__(self, victims: Iterable[Node], context: RunContext, keep: Node | None = None) -> None:
        self._context = context
        context.halts += 1
        self._keep = keep
        self._nodes = [node for victim in reversed(list(victims)) for node in reversed(_to_halt(victim))]
        self._waiting = self._nodes
        self._deadline = context.outside + context.settings.halt_limit_s
        for node in self._nodes:
            node.being_halted = node is not keep
            node.ask_to_end()

    def done(self) -> bool:
        """Return whether all have acknowledged; past the deadline the others are given up, with a warning each."""
        self._waiting = [node for node in self._waiting if not node.released()]
        late = self._context.outside >= self._deadline
        if self._waiting and (not late or any(node.tidying for node in self._waiting)):
            return False
        limit = self._context.settings.halt_limit_s
        now = self._context.clock.seconds
        for node in self._waiting:
            self._context.journal.warn(
                now, node.origin, "HALT_FORCED", f"did not acknowledge its halt within {limit:g} s"
            )
        for node in self._nodes:
            if node is not self._keep and node.running:
                node.drop(now)
        self._waiting = self._nodes = []
        return True


@dataclass(frozen=True, slots=True)
class SnapshotNode:
    """Holds one node for viewers: its origin, status, and the index of its parent in the list (-1: the root)."""

    origin: Origin
    status: str
    parent: int


def snapshot(root: Node | None) -> list[SnapshotNode]:
    """Return all nodes, parents before children, children in order; empty without a tree."""
    found: list[SnapshotNode] = []
    todo: list[tuple[Node, int]] = [] if root is None else [(root, -1)]
    while todo:
        node, parent = todo.pop()
        index = len(found)
        found.append(SnapshotNode(node.origin, node.status.value, parent))
        todo.extend((child, index) for child in reversed(node.children))
    return found
