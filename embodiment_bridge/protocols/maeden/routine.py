# SPDX-License-Identifier: Apache-2.0
"""Runs a native skill as a routine of commands: each is passed to the link when the one before was answered.

A routine that has to think for long does so bit by bit: no tick waits for it.
"""

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from typing import Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.grid.planner import Search
from embodiment_bridge.motion.skills.native import Judging
from embodiment_bridge.protocols.maeden.conversation import Answer, NoReply
from embodiment_bridge.protocols.maeden.events import Action

# Passes commands of skills to the link, one at a time, and their answers back.

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


THINKING: Final = None
POSES_A_TICK: Final = 2000  # that a search looks at: about 7 ms

Routine: TypeAlias = Generator[Action | None, Ticket, None]
"""Gives commands and is given what became of each, or gives THINKING; a CommandError in it fails the skill."""


class RoutineSkill(Judging):
    """One skill on its way, whose commands the simulator answers; its routine tells ``Progress`` how far it is."""

    def __init__(self, operator: Operator, routine: Routine, share: "Progress | None" = None) -> None:
        super().__init__()
        self._operator = operator
        self._routine = routine
        self._share = share or Progress()
        self._ticket: Ticket | None = None
        self._thinking = self._stopping = False

    @override
    def step(self, dt: float) -> None:
        """Go on as soon as the last command was answered, or time went on for the next thought."""
        waiting = dt <= 0.0 if self._thinking else self._ticket is not None and not self._ticket.done
        if self.done or waiting:
            return
        if self._stopping:
            self.done = True
            return
        try:
            command = next(self._routine) if self._ticket is None else self._routine.send(self._ticket)
            self._thinking = command is THINKING
            self._ticket = None if command is THINKING else self._operator.ask(command)
        except StopIteration:
            self.done = True
            self.progress = 1.0
        except CommandError as error:
            self.failure = str(error)
            self.done = True
        else:
            self.progress = self._share.value

    @override
    def stop(self) -> None:
        """No command after the one that is on its way: that cannot be taken back."""
        self._stopping = True
        if self._ticket is not None:
            self._operator.withdraw(self._ticket)
        if self._ticket is None or self._ticket.done:
            self.done = True


def found_by(search: Search) -> Generator[Action | None, Ticket, list[str] | None]:
    """The way that a search finds, for which a routine may have to think some ticks long."""
    while not search.advance(POSES_A_TICK):
        yield THINKING
    return search.way


class Progress:
    """The progress of a routine: ``value`` 0..1."""

    def __init__(self) -> None:
        self.value = 0.0


def must(ticket: Ticket, what: str) -> None:
    """Fail the skill when a command failed.

    Raises:
        CommandError: it did; the text says at what and why.
    """
    if not ticket.ok:
        raise CommandError(f"{what}: {ticket.reason}")
