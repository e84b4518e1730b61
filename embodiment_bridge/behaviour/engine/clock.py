# SPDX-License-Identifier: Apache-2.0
"""The clock of a run: it stands still while the run is paused."""

import math

from embodiment_bridge.core.errors import ConfigError

TIE_S = 1e-6
"""Scheduled times closer than this are one instant: sums of decimal seconds differ in their last bits."""


class RunClock:
    """Seconds since the run began, without the time that it was frozen.

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
        """Whether the scheduled time ``t`` (run seconds) has come."""
        return self.seconds >= t - TIE_S
