# SPDX-License-Identifier: Apache-2.0
"""The thread of a simulation: it keeps time, and does between two cycles what others ask for."""

import time
from collections import deque
from collections.abc import Callable
from typing import Final

from typing_extensions import override

from embodiment_bridge.core.closed_on_exit import OwnThread

LATE_S: Final = 0.1  # s of delay that are caught up; more is forgotten


class Pace(OwnThread):
    """Calls ``cycle`` every ``period`` s of real time (0: without a pause) from its construction until ``close``."""

    def __init__(self, cycle: Callable[[], object], period: float) -> None:
        super().__init__()
        self._cycle, self._period = cycle, period
        self._asked: deque[tuple[Callable[[], object], Callable[[], object]]] = deque()  # atomic at both ends
        self.cycles = 0
        self.began = time.monotonic()
        self._start("simulation")

    def ask(self, work: Callable[[], object], too_late: Callable[[], object]) -> None:
        """Call ``work`` on the thread before the next cycle, or ``too_late`` if there is none any more."""
        self._asked.append((work, too_late))
        if self.ended:
            self._give_up()

    @override
    def close(self) -> None:
        super().close()
        self._give_up()

    @override
    def _serve(self) -> None:
        due = time.monotonic()
        while not self._closing.wait(max(due - time.monotonic(), 0.0)):
            while self._asked:
                work, _ = self._asked.popleft()
                work()
            self._cycle()
            self.cycles += 1
            due = max(due + self._period, time.monotonic() - LATE_S)

    def _give_up(self) -> None:
        while self._asked:
            _, too_late = self._asked.popleft()
            too_late()
