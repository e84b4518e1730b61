# SPDX-License-Identifier: Apache-2.0
"""Base class of all leaves."""

from collections.abc import Iterator

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.start_budget import Turn
from embodiment_bridge.core.errors import text_of


class Leaf(Node):
    """A node that does something itself.

    Subclasses write ``start`` (once) and ``poll`` (in every tick from then on), and, when they use a port,
    the four methods that follow. An exception in any of them is a FAILURE of this leaf and goes no further.
    """

    uses_port = True
    started = False
    _asked_to_end = False
    _turn: Turn | None = None

    def start(self) -> None:
        """Begin what the leaf does."""

    def poll(self) -> None:
        """See how it stands; call ``finish`` when it is over."""

    def cancel(self) -> None:
        """Ask the port to end it."""

    def port_released(self) -> bool:
        """Whether the port has ended it."""
        return True

    def port_held(self) -> bool | None:
        """Whether the port has it frozen; None when there is nothing to freeze."""
        return None

    def begin(self, t: float) -> None:
        """Start an execution at run time ``t``; the leaf itself starts with the tick that lets it."""
        self.started = self._asked_to_end = False
        self._turn = None
        super().begin(t)

    def announce(self) -> None:
        """Nothing yet: journaled when it starts."""

    def announce_failing(self) -> None:
        """It fails before it starts."""
        super().announce()

    def work(self) -> Iterator[Behaviour]:
        """Start or poll."""
        try:
            if not self.started:
                if not self.may_start() or self.context.gate.step_over or not self._has_leave():
                    self.context.waiting = True
                    return
                self.started = True
                super().announce()
                self.start()
            if self.running:
                self.poll()
        except Exception as error:  # noqa: BLE001 - what a leaf or its port does wrong is that leaf's failure
            self._break(error)
        yield from ()

    def may_start(self) -> bool:
        """Whether this pass of the tick lets it."""
        return self.context.starts_allowed or not self.uses_port

    def _has_leave(self) -> bool:
        """Whether the start budget of the run lets it begin now."""
        budget = self.context.budget
        if not self.uses_port:
            return True
        self._turn = self._turn or Turn()
        if budget.take(self._turn):
            return True
        text = f"waits for its turn: {budget.rate:g} leaves may begin in a second (max_starts)"
        self.context.journal.warn(self.context.clock.seconds, self.origin, "START_LIMIT", text)
        return False

    def _break(self, error: Exception) -> None:
        if self.running:
            self.finish(Status.FAILURE, self.context.clock.seconds, text_of(error))
        self.ask_to_end()  # it may have begun something

    def ask_to_end(self) -> None:
        """Cancel once."""
        if self._turn is not None:
            self._turn.wanted = False
        if self.started and not self._asked_to_end:
            self._asked_to_end = True
            try:
                self.cancel()
            except Exception as error:  # noqa: BLE001 - others must still be canceled
                self._warn_of(error)

    def released(self) -> bool:
        """Whether nothing of it goes on."""
        if not self.started:
            return True
        try:
            return self.port_released()
        except Exception as error:  # noqa: BLE001 - nothing more will be heard of it
            self._warn_of(error)
            return True

    def hold_settled(self, on: bool) -> bool:
        """Whether what it does is frozen (``on``) or goes on."""
        if not self.started:
            return True
        try:
            return self.port_held() in (None, on)
        except Exception as error:  # noqa: BLE001 - the next tick will fail the leaf
            self._warn_of(error)
            return True

    def drop(self, t: float) -> None:
        """The leaf was halted from above; one that never started leaves no trace in the journal."""
        if self.started:
            super().drop(t)
        else:
            self.ending = None
            self.status = Status.INVALID

    def _warn_of(self, error: Exception) -> None:
        self.context.journal.warn(self.context.clock.seconds, self.origin, "PORT_ERROR", text_of(error))
