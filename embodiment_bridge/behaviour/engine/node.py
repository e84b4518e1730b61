# SPDX-License-Identifier: Apache-2.0
"""What every node of a behaviour tree is, on top of the py_trees behaviour."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.context import RunContext
from embodiment_bridge.behaviour.engine.halting import Halt
from embodiment_bridge.behaviour.engine.journal import Origin


@dataclass(frozen=True, slots=True)
class Ending:
    """How a node is going to end once what runs below it has come to rest."""

    halt: Halt
    status: Status
    t: float
    message: str
    culprit: Origin | None


class Node(Behaviour):
    """A node that is begun at a scheduled time, ticked while it runs, and ends at a scheduled time.

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
        self.held_back = self.context.gate.holds_back(self)
        if self.held_back:
            self.context.held_back.append(self)
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
        """It is the last child, and ``before``, the one before it, runs: prepare what can be prepared."""

    def forget_ahead(self) -> None:
        """Its turn does not come: undo ``look_ahead``."""

    def tick(self) -> Iterator[Behaviour]:
        """Advance if running; yields the nodes that were visited."""
        if self.ending is not None:
            self._end_when_halted()
        elif self.running and not self.held_back:
            yield from self.work()
        yield self

    def work(self) -> Iterator[Behaviour]:
        """Advance a running node (for subclasses)."""
        yield from ()

    def update(self) -> Status:
        """Only for py_trees, whose behaviours must have it: the status as it is."""
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
            self.ending = Ending(halt, status, t, message, culprit)

    def _end_when_halted(self) -> None:
        ending = self.ending
        if ending is not None and ending.halt.done():
            self.ending = None
            self.finish(ending.status, self.context.settle(ending.t), ending.message, ending.culprit)

    def drop(self, t: float) -> None:
        """The node was halted from above and is at rest."""
        self.ending = None
        self.status = Status.INVALID
        self.leave()
        if not self.held_back:
            self.context.journal.note(t, "halted", self.origin)

    def leave(self) -> None:
        """Let go of what only a running node needs (for subclasses)."""

    def active_children(self) -> "list[Node]":
        """Children that may be running, in order."""
        return []

    def haltable_children(self) -> "list[Node]":
        """Those of the active children that are halted along with this node."""
        return self.active_children()

    @property
    def tidying(self) -> bool:
        """Whether a halt must wait for what this node still does, however long it takes."""
        return False

    def ask_to_end(self) -> None:
        """Begin to come to rest; may be called twice. Nodes with children have nothing to do themselves."""

    def released(self) -> bool:
        """Whether the node is at rest after ``ask_to_end``."""
        return True

    def hold_settled(self, on: bool) -> bool:
        """Whether the node has followed the last hold (``on``) or release."""
        return True

    def wake_at(self) -> float:
        """The run time at which a tick will change something here; inf when only a port can say."""
        return math.inf

    def left_s(self) -> float:
        """Run seconds until it is expected to succeed while it runs; inf: that cannot be known."""
        return self.wake_at() - self.context.clock.seconds

    @property
    def ends_with_child(self) -> bool:
        """Whether it will end at the end of the child that runs, and as that one does."""
        return False
