# SPDX-License-Identifier: Apache-2.0
"""Goals that come before the node knows of a body wait a moment, as clients may be quicker than the graph."""

from collections.abc import Callable
from functools import partial

from rclpy.action.server import ServerGoalHandle
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.timer import Timer

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.tree.body_skills import BodySkills

WAIT_S = 2.0  # of wall time; programs of one machine find each other within one
MOST = 100  # goals

Begin = Callable[[ServerGoalHandle], None]


class EarlyGoals:
    """Goals of an active ``node`` wait for the ``body``; ``cancel(goal)`` ends a goal that was begun."""

    def __init__(self, node: BridgeNode, body: BodySkills, cancel: Begin) -> None:
        self._node = node
        self._body = body
        self._cancel = cancel
        self._goals: list[tuple[Begin, ServerGoalHandle]] = []
        self._timer: Timer | None = None

    def guard(self, begin: Begin) -> Begin:
        """``begin`` for an action server, called later for goals that come too early."""
        return partial(self._take, begin)

    def release(self) -> None:
        """Begin what waits, as a body came or the time is over; without a body it is refused then."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None
        goals, self._goals = self._goals, []
        for begin, goal in goals:
            begin(goal)
            if goal.is_cancel_requested:
                self._cancel(goal)

    def _take(self, begin: Begin, goal: ServerGoalHandle) -> None:
        must_wait = self._node.active and not self._body.skills
        if not must_wait or len(self._goals) >= MOST:
            begin(goal)
            return
        self._goals.append((begin, goal))
        if self._timer is None:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._timer = self._node.create_timer(WAIT_S, self.release, clock=steady)
