# SPDX-License-Identifier: Apache-2.0
"""How long the cycles of a bus take, over the last of them."""

from collections import deque

KEPT = 500


class CycleTimes:
    """Filled by the bus thread; others may look."""

    def __init__(self) -> None:
        self.count = 0
        self._periods: deque[float] = deque(maxlen=KEPT)
        self._lengths: deque[float] = deque(maxlen=KEPT)

    def add(self, period: float, length: float) -> None:
        """A cycle began ``period`` s after the one before, and was busy for ``length`` s."""
        self.count += 1
        self._periods.append(period)
        self._lengths.append(length)

    @property
    def rate_hz(self) -> float:
        """Cycles per second."""
        periods = tuple(self._periods)
        total = sum(periods)
        return len(periods) / total if total > 0.0 else 0.0

    @property
    def mean_ms(self) -> float:
        """Mean length of a cycle, without waiting for the next."""
        lengths = tuple(self._lengths)
        return 1e3 * sum(lengths) / len(lengths) if lengths else 0.0

    @property
    def longest_ms(self) -> float:
        """The longest of them."""
        return 1e3 * max(tuple(self._lengths), default=0.0)
