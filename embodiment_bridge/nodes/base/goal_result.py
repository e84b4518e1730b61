# SPDX-License-Identifier: Apache-2.0
"""How long an action server and its answer to a goal are waited for, and its result.

The result is asked for again while nothing is heard of the goal.

A server that was killed and started again at once is as ready as before, and tells nothing of the goals that it does
not know. Asked for their results, it says so. It says the same of a goal that ended more than
``KEEP_S`` before.
"""

import time
from collections.abc import Callable
from typing import Any, Final

from action_msgs.msg import GoalStatus
from rclpy.action.client import ClientGoalHandle
from rclpy.task import Future

from embodiment_bridge.nodes.base.deferred_action import KEEP_S

# s of wall time. An answer that DDS lost never comes; on a busy computer it takes some seconds.
ANSWER_WITHIN: Final = 15.0
# s of wall time in which a server is out of sight. The graph's view of it flickers now and then, and each look may be
# seconds after the one before where this program waits for its turn.
GONE_AFTER: Final = 10.0
FIRST_S: Final = 3.0  # of wall time without feedback, after which it is asked for again
LONGEST_S: Final = 30.0  # between two questions; each stays open until the goal ends, so they become fewer
# The answer does not tell the two apart. A client that stood still, or was told late that its goal was accepted, may
# ask after that time.
NOT_KNOWN: Final = (
    f"knows no result: it was started anew, or was asked for the result more than {KEEP_S} s after the end"
)


class GoalResult:
    """Calls ``ended(result)`` once, when an accepted goal has ended; with None when its server knows no result."""

    def __init__(self, goal: ClientGoalHandle, ended: Callable[[Any], None]) -> None:
        self._goal, self._ended = goal, ended
        self._over = False
        self.heard()
        self._ask()

    def heard(self) -> None:
        """There was feedback."""
        self._pause = FIRST_S
        self._due = time.monotonic() + FIRST_S

    def look(self) -> None:
        """Ask again if it is time to; call it now and then as long as the goal matters."""
        now = time.monotonic()
        if not self._over and now > self._due:
            self._pause = min(2.0 * self._pause, LONGEST_S)
            self._due = now + self._pause
            self._ask()

    def _ask(self) -> None:
        self._goal.get_result_async().add_done_callback(self._answered)

    def _answered(self, answer: "Future") -> None:
        if not self._over:
            self._over = True
            response = answer.result()
            self._ended(None if response.status == GoalStatus.STATUS_UNKNOWN else response.result)
