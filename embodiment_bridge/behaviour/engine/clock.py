# SPDX-License-Identifier: Apache-2.0
"""The clock of a run, which a pause stops, and the limit on how often its leaves start."""

import math
from dataclasses import dataclass

from embodiment_bridge.core.errors import ConfigError

BURST_S = 1.0  # burst: tokens of so many seconds may be spent at once


@dataclass(slots=True, eq=False)
class Turn:
    """Represents a leaf's place in the queue for its start. ``wanted`` is False once it has begun or never will."""

    wanted: bool = True


class StartBudget:
    """Limits starts by a token bucket on the run clock, with a queue, so that a busy loop does not flood the body.

    A leaf that finds no token waits; those that wait get theirs in the order in which they came, so that no branch of
    a parallel starves another. State changes only when a leaf begins or queues up, never by a tick in which nothing
    happens: a log without such ticks can be done again.

    Args:
        rate: leaves per s, and as many at once after a rest; 0: any number.
    """

    def __init__(self, rate: float) -> None:
        self.rate = rate
        self.queued = 0  # number of leaves that had to queue so far
        self._gap = 1.0 / rate if rate > 0.0 else 0.0
        self._burst = max(1, int(rate * BURST_S))
        self._full_at = 0.0  # when the token bucket is full, s
        self._now = 0.0
        self._queue: dict[Turn, None] = {}
        self._called: set[Turn] = set()

    def begin_tick(self, now: float) -> None:
        """Run time ``now`` in s has come: call as many of those that wait as there are tokens."""
        self._now = now
        self._called.clear()  # a leaf that was called and did not come queues up again
        while self._queue and len(self._called) < self._tokens():
            turn = next(iter(self._queue))
            del self._queue[turn]
            if turn.wanted:
                self._called.add(turn)

    def take(self, turn: Turn) -> bool:
        """Return whether the leaf may begin now; else it waits, and asks again in the next tick."""
        if self.rate <= 0.0:
            return True
        if turn in self._called:
            self._called.discard(turn)
        elif turn in self._queue:
            return False
        elif self._queue or self._tokens() <= len(self._called):
            self._queue[turn] = None
            self.queued += 1
            return False
        self._full_at = max(self._full_at, self._now) + self._gap
        return True

    def wake_at(self) -> float:
        """Return the run time in s at which one that waits may begin; inf when no leaf waits."""
        return max(self._now, self._full_at - (self._burst - 1) * self._gap) if self._queue else math.inf

    def _tokens(self) -> int:
        missing = max(0.0, self._full_at - self._now)
        return max(0, int(self._burst - missing * self.rate + TIE_S * self.rate))


TIE_S = 1e-6
"""Scheduled times closer than this are one instant: sums of decimal seconds differ in their last bits."""


class RunClock:
    """Counts seconds since the run began, without the time that it was frozen.

    The clock reads no time itself: the owner of the run passes the outside time (ROS, steady or virtual; any
    origin) to ``advance_to``. An outside clock that jumps back (a simulator was reset) counts as no time passed.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self.frozen = False
        self._outside: float | None = None
        self._offset = 0.0

    def advance_to(self, outside: float) -> None:
        """Take the outside time in s; ``seconds`` follows unless frozen.

        Raises:
            ConfigError: the time is not finite.
        """
        if not math.isfinite(outside):
            raise ConfigError(f"outside time {outside!r} s is not a finite number")
        if self._outside is None or self.frozen or outside < self._outside:
            self._offset = outside - self.seconds
        else:
            self.seconds = max(self.seconds, outside - self._offset)
        self._outside = outside

    def freeze(self) -> None:
        """Stop counting from the last ``advance_to`` on."""
        self.frozen = True

    def thaw(self) -> None:
        """Count again from the last ``advance_to`` on."""
        self.frozen = False

    def due(self, t: float) -> bool:
        """Return whether the scheduled time ``t`` (run seconds) has come."""
        return self.seconds >= t - TIE_S
