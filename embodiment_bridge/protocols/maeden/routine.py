# SPDX-License-Identifier: Apache-2.0
"""A native skill as a routine of commands: each is sent when the one before was answered.

A routine that has to think for long does so bit by bit: no tick waits for it.
"""

from collections.abc import Generator
from math import inf
from typing import Final, TypeAlias

from embodiment_bridge.body.description import Keyframe
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.grid.planner import Search
from embodiment_bridge.protocols.maeden.events import Action
from embodiment_bridge.protocols.maeden.operator import Operator, Ticket

THINKING: Final = None
POSES_A_TICK: Final = 2000  # that a search looks at: about 7 ms

Routine: TypeAlias = Generator[Action | None, Ticket, None]
"""Gives commands and is given what became of each, or gives THINKING; a CommandError in it fails the skill."""


class RoutineSkill:
    """One skill on its way, see ``motion.native.Native``. What it is at is told by the routine in ``Progress``."""

    def __init__(self, operator: Operator, routine: Routine, share: "Progress | None" = None) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = inf
        self.failure = ""
        self.keyframes: tuple[Keyframe, ...] = ()
        self._operator = operator
        self._routine = routine
        self._share = share or Progress()
        self._ticket: Ticket | None = None
        self._thinking = self._stopping = False

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
