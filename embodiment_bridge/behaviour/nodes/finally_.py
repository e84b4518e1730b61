# SPDX-License-Identifier: Apache-2.0
"""Finally: a node that is run whenever another one has ended, in whatever way."""

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from embodiment_bridge.behaviour.engine.node import Halt, Node, active_nodes
from embodiment_bridge.behaviour.engine.results import Result
from embodiment_bridge.behaviour.nodes.tree_builder import makes
from embodiment_bridge.bml.nodes import decorators as bml


class Finally(Node, Composite):
    """Runs its child, then ``cleanup``, once; the result is that of the child.

    When it is halted, the child is brought to rest first and then the clean-up is run, while the halt
    waits: that is the only thing that begins during a halt. It drives the clean-up itself then, as halted nodes
    are not ticked. A clean-up that is still running after ``CLEANUP_S`` is halted too.
    """

    def __init__(self, name: str, child: Node, cleanup: Node) -> None:
        super().__init__(name)
        self.add_children([child, cleanup])
        self.child = child
        self.cleanup = cleanup

    def reset(self) -> None:
        """Mark child and clean-up as not begun."""
        self._begun = self._cleaning = self._asked = False
        self._verdict: Result | None = None
        self._rest: Halt | None = None
        self._cut: Halt | None = None
        self._t_due = self._deadline = 0.0

    def work(self) -> Iterator[Behaviour]:
        """Tick the child to its end, then the clean-up."""
        if self._rest is not None:
            if not self._rest.done():
                return
            self._rest = None
            self._clean_up(self.context.settle(self._t_due))
        elif not self._begun:
            self._begun = True
            self.child.begin(self.t_start)
        if self._verdict is None:
            yield from self.child.tick()
            child = self.child
            if child.running:
                return
            failed = child.status is Status.FAILURE
            message = child.feedback_message if failed else ""
            self._verdict = Result(Status.FAILURE if failed else Status.SUCCESS, message, child.culprit)
            self._clean_up(child.t_end)
        yield from self.cleanup.tick()
        self._finish_when_clean(self._verdict)

    def _clean_up(self, t: float) -> None:
        self._cleaning = True
        self._t_due = t + bml.CLEANUP_S
        self.context.pause_body(False)
        self.cleanup.begin(t)
        if self._asked:
            self.cleanup.let_go()  # nothing waits at a breakpoint while the run is brought to rest

    def _finish_when_clean(self, verdict: Result) -> None:
        if not self.cleanup.running:
            self._tell_failure()
            self.finish(verdict.status, self.cleanup.t_end, verdict.message, verdict.culprit)
        elif self.context.clock.due(self._t_due):
            self._tell_cut()
            self.close((self.cleanup,), verdict.status, self._t_due, verdict.message, verdict.culprit)

    def end_early(self, status: Status, t: float, message: str) -> None:
        """End as something else asks for; the clean-up is run all the same."""
        if not self._begun:
            super().end_early(status, t, message)
            return
        if self._verdict is not None:
            return
        self._verdict = Result(status, message)
        self._t_due = t
        self._rest = Halt((self.child,), self.context)

    def active_children(self) -> list[Node]:
        """Return the child, or the clean-up."""
        return [self.cleanup if self._cleaning else self.child] if self._begun else []

    def haltable_children(self) -> list[Node]:
        """Leave out the clean-up: it is not halted from outside."""
        return self.active_children() if not self._cleaning or self.ending is not None else []

    def ask_to_end(self) -> None:
        """Ask the child to end; the clean-up follows in ``released``."""
        if not self._asked:
            self._asked = True
            self._deadline = self.context.outside + self.context.settings.halt_limit_s

    @property
    def tidying(self) -> bool:
        """Whether a halt still waits for it."""
        return self._asked and self._begun and self.running

    def released(self) -> bool:
        """Return whether the child is at rest and the clean-up is over; goes on with both."""
        if not self._begun or self.ending is not None:
            return True
        if not self._cleaning and not self._child_at_rest():
            return False
        if self._cut is not None:
            return self._cut.done()
        self.context.unfreeze()
        self._drive()
        if not self.cleanup.running:
            self._tell_failure()
            return True
        if self.context.clock.due(self._t_due):
            self._tell_cut()
            self._cut = Halt((self.cleanup,), self.context)
            return self._cut.done()
        return False

    def _child_at_rest(self) -> bool:
        nodes = active_nodes(self.child)
        slow = [node for node in nodes if not node.released()]
        if slow and (self.context.outside < self._deadline or any(node.tidying for node in slow)):
            return False
        now = self.context.clock.seconds
        for node in reversed(nodes):
            node.drop(now)
        self._clean_up(now)
        return True

    def _drive(self) -> None:
        """Tick the clean-up, which may begin things although the tree round it may not."""
        before, self.context.starts_allowed = self.context.starts_allowed, True
        for _ in self.cleanup.tick():
            pass
        self.context.starts_allowed = before

    def _tell_failure(self) -> None:
        if self.cleanup.status is Status.FAILURE:
            text = f"the clean-up failed: {self.cleanup.feedback_message}"
            self.context.journal.warn(self.cleanup.t_end, self.origin, "FINALLY_FAILED", text)

    def _tell_cut(self) -> None:
        text = f"the clean-up had not ended after {bml.CLEANUP_S:g} s"
        self.context.journal.warn(self._t_due, self.origin, "FINALLY_CUT", text)

    def wake_at(self) -> float:
        """Return when the clean-up is cut off; one that is over may still have to wait for others that are halted."""
        return self._t_due if self._cleaning and self.cleanup.running else super().wake_at()


@makes("finally")
def make_finally(node: bml.Finally, children: list[Node], nesting: int) -> Node:
    return Finally(node.name, children[0], children[1])
