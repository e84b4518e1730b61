# SPDX-License-Identifier: Apache-2.0
"""Brings the legs of a gait from one stance to another, while they balance."""

from embodiment_bridge.body.stance import UPRIGHT, Stance

LEAST_S = 0.5  # s, of a change: a faster one pushes the body


class StanceChange:
    """The stance of now: on a smooth way from the last one to the wanted one."""

    def __init__(self) -> None:
        self.now = UPRIGHT
        self._from, self._goal = UPRIGHT, UPRIGHT
        self._share, self._seconds = 1.0, LEAST_S

    @property
    def upright(self) -> bool:
        """Whether the legs stand as usual, and are to."""
        return self.now == UPRIGHT == self._goal

    @property
    def done(self) -> bool:
        """Whether the wanted stance is reached."""
        return self._share >= 1.0

    def reset(self) -> None:
        """Stand as usual, at once."""
        self.now = self._from = self._goal = UPRIGHT
        self._share = 1.0

    def aim(self, stance: Stance, seconds: float = LEAST_S) -> None:
        """Go to ``stance`` in ``seconds`` (at least ``LEAST_S``)."""
        if stance != self._goal:
            self._from, self._goal, self._share = self.now, stance, 0.0
            self._seconds = max(seconds, LEAST_S)

    def step(self, dt: float) -> None:
        """Let ``dt`` s pass."""
        if self.done:
            return
        s = self._share = min(self._share + dt / self._seconds, 1.0)
        blend = s * s * s * (10 + s * (6 * s - 15))
        self.now = self._from.times(1.0 - blend).plus(self._goal.times(blend))
