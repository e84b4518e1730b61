# SPDX-License-Identifier: Apache-2.0
"""Checks /clock before a node uses it (invalid times, jumps, silence), and wakes timers when the wall clock was set."""

import time
from collections.abc import Callable, Iterable
from typing import Final

from rclpy.executors import Executor
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from typing_extensions import override

from embodiment_bridge.core.closed_on_exit import OwnThread

# Wakes the timers of an executor when the wall clock of the machine was set back.
#
# The ROS wheels of PyPI are built for a C library without waits on the steady clock, so that also timers on that clock
# wait until the wall clock shows a time: after a step back by an hour they wait for an hour (rclpy 7.1.5).

LOOK_S: Final = 0.2
STEP_S: Final = 0.05  # a clock that is only slowed down does not go back by so much between two looks


class ClockSteps(OwnThread):
    """Looks at the wall clock on a thread of its own; ``nodes`` are those that the executor serves."""

    def __init__(self, executor: Executor, nodes: Iterable[Node]) -> None:
        super().__init__()
        self._executor, self._nodes = executor, nodes
        self._start("clock steps")

    @override
    def _serve(self) -> None:
        before = ahead()
        while not self._closing.wait(LOOK_S):
            now = ahead()
            if now < before - STEP_S:
                self._executor.create_task(self._restart)
            before = now

    def _restart(self) -> None:
        """Let each timer wait anew, for its period."""
        for node in self._nodes:
            for timer in node.timers:
                if not timer.is_canceled():
                    timer.reset()


def ahead() -> float:
    """Return the time by which the wall clock is ahead of the steady clock, s."""
    return time.time() - time.monotonic()


FAR_S = 60.0  # ahead of the last time; no simulator takes such a step
# Messages of one publisher may arrive out of order by up to this much; such messages are skipped
BACK_S = 1.0
SILENT_S = 2.0  # s of wall time; nodes look once a second
SILENT: Final = f"no message on /clock for {SILENT_S:g} s: time stands still until one comes (use_sim_time)"
NANOSECONDS = 10**9


class ClockWatch:
    """Checks the clock of one node.

    A negative time, or one with 10^9 nanoseconds and more, is dropped. A jump (back, or more than a minute ahead) is
    accepted if the next message confirms it: a single odd message, or a rare one of a second publisher, has no effect.
    ``skipped`` is the sum of all jumps ahead, s; this time did not pass in the simulation, nor did that before the
    first message, until which the time of a node is 0.

    Args:
        log: receives one line for each jump, and for the first message that is dropped.
        clock: wall time, s.
    """

    def __init__(self, log: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._last: float | None = None
        self._heard: float | None = None  # wall time
        self._odd = False  # the last message was a jump that is not accepted yet
        self.dropped = 0
        self.jumps = 0
        self.skipped = 0.0
        self._silent = False  # as was told

    def checked(self, callback: Callable[[Clock], object]) -> Callable[[Clock], None]:
        """Return a callback that passes accepted messages on to ``callback``."""
        if self._heard is None:
            self._heard = self._clock()

        def check(message: Clock) -> None:
            if self.accepts(message.clock.sec, message.clock.nanosec):
                callback(message)

        return check

    def accepts(self, sec: int, nanosec: int) -> bool:
        """Return whether to use a message with this time."""
        self._heard = self._clock()
        if sec < 0 or nanosec >= NANOSECONDS:
            if not self.dropped:
                self._log(f"/clock: {sec} s and {nanosec} ns is not a valid time; such messages are dropped")
            self.dropped += 1
            return False
        now = sec + nanosec / NANOSECONDS
        if self._last is None:
            self._last = self.skipped = now
        step = now - self._last
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

    @property
    def silent(self) -> bool:
        """Whether nothing is heard that should be."""
        return self._heard is not None and self._clock() - self._heard > SILENT_S

    def troubles(self) -> list[str]:
        """Return the present problems, one line each; also to the log when they begin."""
        before, self._silent = self._silent, self.silent
        if self._silent and not before:
            self._log(SILENT)
        return [SILENT] if self._silent else []

    def values(self) -> dict[str, object]:
        """Return values for diagnostics; empty for a node without simulated time."""
        return (
            {} if self._heard is None else {"clock messages dropped": self.dropped, "clock jumps": self.jumps}
        )
