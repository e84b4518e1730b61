# SPDX-License-Identifier: Apache-2.0
"""Shows what the robot does at this moment, on one line of the terminal."""

import sys
import time
from typing import TYPE_CHECKING

from embodiment_bridge.cli.progress import together
from embodiment_bridge.cli.say import say

if TYPE_CHECKING:
    from embodiment_bridge.action import ExecuteBml
    from embodiment_bridge.nodes.base.watcher import Watcher

SHOW_EVERY = 0.2  # s


class StatusLine:
    """On a terminal one line that is redrawn in place; otherwise one line per change of the active nodes."""

    def __init__(self, watcher: "Watcher") -> None:
        self._watcher = watcher
        self._active = ""
        self._told = ""
        self._next = 0.0

    def update(self, feedback: "ExecuteBml.Feedback") -> None:
        """Set the active nodes, and print warnings."""
        paused = [] if feedback.state == "RUNNING" else [feedback.state]
        self._active = " ".join([*paused, together(feedback.doing)])
        for warning in feedback.warnings:
            say(warning)

    def show(self) -> bool:
        """Write the line if it is time. Always returns False, for use in the condition of a loop."""
        now = time.monotonic()
        if now < self._next or not self._active:
            return False
        if not sys.stderr.isatty() and self._active == self._told:
            return False
        self._next = now + SHOW_EVERY
        self._told = self._active
        w = self._watcher
        line = f"{w.percepts:6d} percepts | x {w.x:6.2f} y {w.y:6.2f} z {w.z:5.3f} m | {w.posture:8} | {self._active}"
        sys.stderr.write(f"\r\x1b[K{line}" if sys.stderr.isatty() else f"{line}\n")
        sys.stderr.flush()
        return False

    def end(self) -> None:
        """End the line, which keeps its last text."""
        if sys.stderr.isatty():
            sys.stderr.write("\n")
