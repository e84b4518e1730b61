# SPDX-License-Identifier: Apache-2.0
"""The clocks of virtual servos: real time, a faster or slower one, or a time that a test sets."""

import time
from collections.abc import Callable
from typing import Protocol

from typing_extensions import override


class Clock(Protocol):
    """A monotonic time in s."""

    def now(self) -> float:
        """The time, s."""

    def wall_time_until(self, moment: float) -> float:
        """Real seconds to wait until ``moment``; infinite if waiting does not bring it nearer."""


class WallClock(Clock):
    """Real time times ``scale``, from 0."""

    def __init__(self, scale: float = 1.0) -> None:
        self._scale = scale
        self._start = time.monotonic()

    @override
    def now(self) -> float:
        return (time.monotonic() - self._start) * self._scale

    @override
    def wall_time_until(self, moment: float) -> float:
        return max(0.0, moment / self._scale - (time.monotonic() - self._start))


class VirtualClock(Clock):
    """A time that only ``advance`` moves: a test needs no sleep and is repeatable."""

    def __init__(self) -> None:
        self._now = 0.0
        self.on_advance: list[Callable[[], None]] = []  # called after each ``advance``

    @override
    def now(self) -> float:
        return self._now

    @override
    def wall_time_until(self, moment: float) -> float:
        return 0.0 if moment <= self._now else float("inf")

    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass."""
        self._now += max(0.0, seconds)
        for notify in self.on_advance:
            notify()
