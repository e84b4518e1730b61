# SPDX-License-Identifier: Apache-2.0
"""Goals that come before the body is there wait a moment, as clients may be quicker than the graph or the body."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.timer import Timer

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.tree.body_skills import BodySkills
from embodiment_bridge.nodes.tree.performance import RunGoal

WAIT_S = 2.0  # of wall time; programs of one machine find each other within one
LOOK_S = 0.1
JOIN_S = 15.0  # of wall time, for a body whose link is being opened
MOST = 100  # goals

Begin = Callable[[Any], None]  # of a goal of an action, or one that stands for it


class EarlyGoals:
    """Goals of an active ``node`` wait for the ``body``, and for the values of guards while they are ``unknown()``.

    ``cancel(goal)`` ends a goal that was begun.
    """

    def __init__(
        self, node: BridgeNode, body: BodySkills, cancel: Begin, unknown: Callable[[], bool]
    ) -> None:
        self._node = node
        self._body = body
        self._cancel = cancel
        self._unknown = unknown
        self._goals: list[tuple[Begin, RunGoal]] = []
        self._timer: Timer | None = None
        self._awaited = ""
        self._since = 0.0  # s of the monotonic clock

    def guard(self, begin: Begin) -> Begin:
        """``begin`` for an action server or a topic, called later for goals that come too early."""
        return partial(self._take, begin)

    def look(self) -> None:
        """The body has changed: begin what waits once it is there, or cannot be joined."""
        if not self._goals:
            return
        if not self._must_wait():
            self.release()

    def release(self) -> None:
        """Begin what waits: the body is there, or the time is over, and then it is refused or fails."""
        self._end_timer()
        goals, self._goals = self._goals, []
        for begin, goal in goals:
            begin(goal)
            if goal.is_cancel_requested:
                self._cancel(goal)

    def _take(self, begin: Begin, goal: RunGoal) -> None:
        if not self._must_wait() or len(self._goals) >= MOST:
            begin(goal)
            return
        self._goals.append((begin, goal))
        self._set_timer()

    def _must_wait(self) -> bool:
        return self._node.active and bool(self._missing())

    def _missing(self) -> str:
        """What is waited for now; empty: nothing."""
        if not self._body.skills:
            return "body"
        if self._body.joining:
            return "link"
        return "values" if self._unknown() else ""

    def _set_timer(self) -> None:
        """Look again and again, until what is missing is there or has been waited for long enough."""
        if self._timer is None:
            self._awaited = ""
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._timer = self._node.create_timer(LOOK_S, self._look_again, clock=steady)

    def _look_again(self) -> None:
        """Each thing that is missing has its own time."""
        now, missing = time.monotonic(), self._missing()
        if missing != self._awaited:
            self._awaited, self._since = missing, now
        patience = JOIN_S if missing == "link" else WAIT_S
        if not self._must_wait() or now > self._since + patience:
            self.release()

    def _end_timer(self) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
