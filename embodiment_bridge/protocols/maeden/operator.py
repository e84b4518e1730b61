# SPDX-License-Identifier: Apache-2.0
"""Passes commands of skills to the link, one at a time, and their answers back."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.maeden.conversation import Answer, NoReply
from embodiment_bridge.protocols.maeden.events import Action

QUEUE_LIMIT: Final = 32  # sayings that wait; skills wait one each


@dataclass(slots=True, eq=False)
class Ticket:
    """A command on its way. done: nothing more happens to it; ok: it did what it should; reason: why not."""

    command: Action
    sent: bool = False
    done: bool = False
    ok: bool = False
    reason: str = ""


class Operator:
    """Hands commands out in the order in which they were asked for. ``ask`` may be called from any thread.

    After an answer that did not come, none is handed out until the server is heard again: it could not be withdrawn.
    """

    def __init__(self) -> None:
        self._waiting: deque[Ticket] = deque()
        self._current: Ticket | None = None
        self._unheard = False

    def ask(self, command: Action) -> Ticket:
        """Let a command be sent when its turn comes.

        Raises:
            CommandError: too many wait already.
        """
        if len(self._waiting) >= QUEUE_LIMIT:
            raise CommandError(f"{len(self._waiting)} commands wait already; the server takes one a cycle")
        ticket = Ticket(command)
        self._waiting.append(ticket)
        return ticket

    def withdraw(self, ticket: Ticket) -> None:
        """Take back what was not sent; what was sent cannot be."""
        if not ticket.sent:
            ticket.done, ticket.reason = True, "withdrawn"

    def next(self) -> list[Action]:
        """The command to send now, if any; the one before has been answered then."""
        while self._current is None and not self._unheard and self._waiting:
            ticket = self._waiting.popleft()
            if not ticket.done:
                ticket.sent = True
                self._current = ticket
                return [ticket.command]
        return []

    def heard(self, event: Answer | NoReply) -> None:
        """An answer came, or will not come."""
        self._unheard = isinstance(event, NoReply)
        ticket = self._current
        if ticket is None or ticket.command is not event.command:
            return
        self._current = None
        ticket.done = True
        if isinstance(event, Answer):
            ticket.ok = event.percept.ok
            ticket.reason = "" if ticket.ok else "the simulator says that it failed"
        else:
            waited = f"no answer within {event.waited_s:.1f} s"
            ticket.reason = waited if event.sent else "not sent: the server does not answer"

    def drop(self, reason: str) -> None:
        """The link is gone: nothing will be answered."""
        tickets = [*self._waiting, *([self._current] if self._current is not None else [])]
        self._waiting.clear()
        self._current, self._unheard = None, False
        for ticket in tickets:
            ticket.done, ticket.ok, ticket.reason = True, False, reason
