# SPDX-License-Identifier: Apache-2.0
"""Whose time the virtual servos live by: that of the wall, a faster or slower one, or that of a test."""

import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Seconds that never go back."""

    def now(self) -> float:
        """The time, s."""

    def wall_time_until(self, moment: float) -> float:
        """Real seconds to wait until ``moment``; infinite if waiting does not bring it nearer."""


class WallClock:
    """Real time times ``scale``, from 0."""

    def __init__(self, scale: float = 1.0) -> None:
        self._scale = scale
        self._start = time.monotonic()

    def now(self) -> float:
        """See ``Clock``."""
        return (time.monotonic() - self._start) * self._scale

    def wall_time_until(self, moment: float) -> float:
        """See ``Clock``."""
        return max(0.0, moment / self._scale - (time.monotonic() - self._start))


class VirtualClock:
    """Stands until ``advance`` is called: a test needs no sleep, and always sees the same."""

    def __init__(self) -> None:
        self._now = 0.0
        self.on_advance: list[Callable[[], None]] = []  # who wants to know

    def now(self) -> float:
        """See ``Clock``."""
        return self._now

    def wall_time_until(self, moment: float) -> float:
        """See ``Clock``."""
        return 0.0 if moment <= self._now else float("inf")

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += max(0.0, seconds)
        for tell in self.on_advance:
            tell()
