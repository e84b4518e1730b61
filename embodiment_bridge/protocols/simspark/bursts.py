# SPDX-License-Identifier: Apache-2.0
"""Notices a server that is short of time: it catches up in bursts, many cycles at once, and reads nothing meanwhile."""

from collections import deque

KEPT = 50  # percepts (1 s of the server's time) for which a burst counts
LATE = 5  # percepts at once (0.1 s) from which the server counts as late
ON_TIME = 250  # percepts (5 s) without such a burst until it does not


class Bursts:
    """cycles: for how many cycles of the server a speed may last that is sent now, by the bursts of the last second.

    late: why the server counts as late, empty when it does not; the text stays the same meanwhile.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Another connection."""
        self._lengths: deque[int] = deque(maxlen=KEPT)
        self._on_time = 0
        self.cycles = 1
        self.late = ""

    def came(self, count: int) -> None:
        """So many percepts came at once."""
        self._lengths.extend([count] * min(count, KEPT))
        self.cycles = max(self._lengths, default=1)
        if count >= LATE:
            self._on_time = 0
            self.late = (
                self.late or f"the server is late: {count} percepts came at once, so commands act too late"
            )
            return
        self._on_time += count
        if self._on_time >= ON_TIME:
            self.late = ""
