# SPDX-License-Identifier: Apache-2.0
"""Wakes the timers of an executor when the wall clock of the machine was set back.

The ROS wheels of PyPI are built for a C library without waits on the steady clock, so that also timers on that clock
wait until the wall clock shows a time: after a step back by an hour they wait for an hour (rclpy 7.1.5).
"""

import time
from collections.abc import Iterable
from typing import Final

from rclpy.executors import Executor
from rclpy.node import Node
from typing_extensions import override

from embodiment_bridge.core.closed_on_exit import OwnThread

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
    """The time by which the wall clock is ahead of the steady clock, s."""
    return time.time() - time.monotonic()
