# SPDX-License-Identifier: Apache-2.0
"""What comes on /clock, before a node believes it: times that cannot be, jumps, and silence."""

import time
from collections.abc import Callable
from typing import Any

from rosgraph_msgs.msg import Clock

FAR_S = 60.0  # ahead of the time before; no simulator takes such a step
BACK_S = 1.0  # as much may messages of one publisher overtake each other, and be passed over
SILENT_S = 5.0  # of wall time
NANOSECONDS = 10**9


class ClockWatch:
    """Of one node.

    A negative time, or one with 10^9 nanoseconds and more, is dropped. A jump (back, or more than a minute ahead) is
    believed when the next message is one, too: one odd message, or now and then one of a second publisher, moves
    nothing. ``skipped`` is how far time has jumped ahead so far, s: no time in which anything happened.

    Args:
        log: hears one line for each jump, and for the first message that is dropped.
        clock: wall time, s.
    """

    def __init__(self, log: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._last: float | None = None
        self._heard: float | None = None  # wall time
        self._odd = False  # the message before was a jump, not believed yet
        self.dropped = 0
        self.jumps = 0
        self.skipped = 0.0

    def checked(self, take: Callable[[Clock], Any]) -> Callable[[Clock], None]:
        """``take`` for the messages that are believed."""
        if self._heard is None:
            self._heard = self._clock()

        def check(message: Clock) -> None:
            if self.believes(message.clock.sec, message.clock.nanosec):
                take(message)

        return check

    def believes(self, sec: int, nanosec: int) -> bool:
        """Whether a message shall be taken."""
        self._heard = self._clock()
        if sec < 0 or nanosec >= NANOSECONDS:
            if not self.dropped:
                self._log(f"/clock: {sec} s and {nanosec} ns is no time; such messages are dropped")
            self.dropped += 1
            return False
        now = sec + nanosec / NANOSECONDS
        step = 0.0 if self._last is None else now - self._last
        if not -BACK_S <= step <= FAR_S:
            if not self._odd:
                self._odd = True
                return False
            self.jumps += 1
            self.skipped += max(step, 0.0)
            self._log(
                f"/clock: time jumped from {self._last:g} s to {now:g} s; what runs goes on from where it was"
            )
        elif step < 0.0:
            return False
        self._odd = False
        self._last = now
        return True

    def troubles(self) -> list[str]:
        """What is wrong now."""
        silent = 0.0 if self._heard is None else self._clock() - self._heard
        return [f"no message on /clock for {silent:.0f} s"] if silent > SILENT_S else []

    def values(self) -> dict[str, object]:
        """For diagnostics; nothing of a node that has not asked for simulated time."""
        return (
            {} if self._heard is None else {"clock messages dropped": self.dropped, "clock jumps": self.jumps}
        )
