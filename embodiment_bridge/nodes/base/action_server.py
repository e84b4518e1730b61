# SPDX-License-Identifier: Apache-2.0
"""Serves an action for goals that end later, in another callback or on another thread.

The ids of goals and runs; reports a second node that serves the same action.

rclpy offers a coroutine for this, but the events executor polls a waiting coroutine at full speed (one core per goal,
seen on Jazzy's 7.1.6). Here a goal begins in a callback, and ends by ``finish`` from anywhere.
"""

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from rclpy.action import ActionServer, CancelResponse
from rclpy.action.client import ClientGoalHandle
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node


def goal_id_of(goal: ServerGoalHandle | ClientGoalHandle) -> str:
    """Return the id as 32 hexadecimal digits."""
    return uuid.UUID(bytes=bytes(goal.goal_id.uuid)).hex


def run_id_of(goal: ServerGoalHandle | ClientGoalHandle) -> str:
    """Return the run that a goal of the behaviour tree asks for: short, as people read it."""
    return goal_id_of(goal)[:8]


GOAL = "/_action/send_goal"


class ActionTwins:
    """Checks whether another node serves an action of ``node``: every goal goes to both."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._before: set[str] = set()
        self._told: set[str] = set()

    def look(self) -> list[str]:
        """Return one line per doubled action. A node that was just replaced is seen once and not reported."""
        doubled = {
            name: number for name in self._names() if (number := self._node.count_services(name + GOAL)) > 1
        }
        lasting = {name: number for name, number in doubled.items() if name in self._before}
        lines = {
            name: f"{number} nodes serve the action {name}: a goal goes to each; two robots need two namespaces"
            for name, number in lasting.items()
        }
        for name in lasting.keys() - self._told:
            self._node.get_logger().error(lines[name])
        self._before, self._told = set(doubled), set(lasting)
        return list(lines.values())

    def _names(self) -> list[str]:
        servers = [one for one in self._node.waitables if isinstance(one, DeferredActionServer)]
        return [self._node.resolve_service_name(one.name) for one in servers]


# s of the node's time for which a result is kept for late clients. Every status message has all goals of that time, and
# all clients decode it: with rclpy's 900 s, a body that did 20 skills in 28 s needed three times the CPU after a while;
# with 60 s, one that got 20 per second paused for 0.2 s at times. Our clients ask for the result at acceptance.
KEEP_S = 10


class DeferredActionServer(ActionServer):
    """Serves goals that end later: ``begin(goal_handle)`` starts one, ``cancel(goal_handle)`` ends it early."""

    def __init__(
        self,
        node: Node,
        action_type: Any,
        name: str,
        begin: Callable[[ServerGoalHandle], None],
        cancel: Callable[[ServerGoalHandle], None],
    ) -> None:
        self.name = name
        self._begin = begin
        self._cancel_goal = cancel
        super().__init__(
            node, action_type, name, begin, cancel_callback=self._accept_cancel, result_timeout=KEEP_S
        )

    def _accept_cancel(self, goal_handle: ServerGoalHandle) -> CancelResponse:
        self._cancel_goal(goal_handle)
        return CancelResponse.ACCEPT

    def notify_execute(self, goal_handle: ServerGoalHandle, execute_callback: Any) -> None:
        """Begin the goal instead of running it to its end; rclpy calls this when a goal has become EXECUTING.

        If ``begin`` raises, the goal has failed; the exception is raised again.
        """
        try:
            self._begin(goal_handle)
        except Exception:
            self.finish(goal_handle, succeeded=False, result=self.action_type.Result())
            raise

    def finish(self, goal_handle: ServerGoalHandle, *, succeeded: bool, result: Any) -> None:
        """End a goal with a result: SUCCEEDED, CANCELED if it was to be canceled, else ABORTED. From any thread."""
        super().notify_execute(goal_handle, partial(_end, succeeded, result))


def _end(succeeded: bool, result: Any, goal_handle: ServerGoalHandle) -> Any:
    if succeeded:
        goal_handle.succeed()
    elif goal_handle.is_cancel_requested:
        goal_handle.canceled()
    else:
        goal_handle.abort()
    return result
