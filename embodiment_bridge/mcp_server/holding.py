# SPDX-License-Identifier: Apache-2.0
"""The holds of a language model: it lets go what it froze itself, and never what a person froze."""

import threading
from typing import Final

from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.nodes.base.services import HELD_ALREADY
from embodiment_bridge.robot.robot import Robot

FROZEN: Final = ("PAUSING", "PAUSED")  # states of a run, or of the robot when nothing runs
# States that follow a freeze only when somebody has let the robot go on; ENDED: of a pause without a run.
GOES_ON: Final = ("RESUMING", "RUNNING", "ENDED")


class Holding:
    """Freezes a robot and lets it go on. The methods wait for the robot; they may be called on any thread.

    The hold is this server's own unless the robot was held before, or somebody else has let it go on meanwhile.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._lock = threading.Lock()
        self._own = False
        self._seen = False  # that the robot is frozen
        self._end = robot.senses.listen(self._look)

    def close(self) -> None:
        """End what is listened to. The robot stays as it is."""
        self._end()

    def hold(self) -> str:
        """Freeze everything; returns what the robot says.

        Raises:
            LinkError: the robot did not answer.
        """
        with self._lock:
            try:
                said = self._robot.hold()
            except LinkError:  # what has answered is frozen, by this server if it was not before
                self._own = self._own or not self._seen
                raise
            self._own = self._own or HELD_ALREADY not in said
            return said

    def check(self) -> None:
        """See that the hold is this server's own.

        Raises:
            CommandError: it is not.
        """
        with self._lock:
            self._check()

    def _check(self) -> None:
        if not self._own:
            raise CommandError("this server does not hold the robot: somebody else who does lets it go on")

    def let_go(self) -> str:
        """Let everything go on; returns what the robot says.

        Raises:
            CommandError: the hold is not this server's own.
            LinkError: the robot did not answer.
        """
        with self._lock:
            self._check()
            said = self._robot.hold(False)
            self._own = self._seen = False
            return said

    def _look(self, topic: str) -> None:
        """A run that goes on after the robot was frozen was let go by somebody else: a later hold is theirs."""
        if topic != "tree":
            return
        state = self._robot.senses.run_state
        if self._seen and state in GOES_ON:
            self._own = False
        if state:
            self._seen = state in FROZEN
