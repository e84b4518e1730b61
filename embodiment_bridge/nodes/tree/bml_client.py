# SPDX-License-Identifier: Apache-2.0
"""Sends a BML document to the running graph and follows it to its end."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from diagnostic_msgs.msg import KeyValue
from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.nodes.base.goal_result import NOT_KNOWN, GoalResult

EMPTY: Final[Mapping[str, str]] = MappingProxyType({})


class BmlClient:
    """One goal of `execute_bml`. ``result`` is set when it has ended; ``on_feedback(feedback)`` hears progress.

    prefix: of the name of the action, for a robot in another namespace: ``/robot2/``.
    """

    def __init__(
        self, node: Node, on_feedback: Callable[[ExecuteBml.Feedback], None], prefix: str = ""
    ) -> None:
        self.result: ExecuteBml.Result | None = None
        self._on_feedback = on_feedback
        self._client = ActionClient(node, ExecuteBml, f"{prefix}execute_bml")
        self._goal: ClientGoalHandle | None = None
        self._asking: GoalResult | None = None
        self._cancel_asked = False
        self.cancel_taken = False  # whether the server said that it will cancel

    @property
    def server_is_there(self) -> bool:
        """Whether a behaviour-tree node serves the action."""
        ready: bool = self._client.server_is_ready()
        return ready

    @property
    def answered(self) -> bool:
        """Whether the server has taken or refused the goal."""
        return self._goal is not None or self.result is not None

    def send(
        self,
        document: str,
        *,
        source: str,
        values: Mapping[str, str] = EMPTY,
        subtrees: Mapping[str, str] = EMPTY,
        **others: object,
    ) -> None:
        """Ask for a document to be run.

        values: for its blackboard, JSON by key. subtrees: documents by name. others: more fields of the goal.
        """
        self.result, self._goal, self._asking = None, None, None
        self._cancel_asked, self.cancel_taken = False, False
        goal = ExecuteBml.Goal(document=document, source=source, **others)
        goal.values = [KeyValue(key=key, value=value) for key, value in values.items()]
        goal.subtrees = [KeyValue(key=key, value=value) for key, value in subtrees.items()]
        answer = self._client.send_goal_async(goal, feedback_callback=lambda m: self._heard(m.feedback))
        answer.add_done_callback(self._answered)

    def cancel(self) -> None:
        """Ask for the end; ``result`` follows when the body is at rest."""
        self._cancel_asked = True
        if self._goal is not None:
            self._goal.cancel_goal_async().add_done_callback(self._canceling)

    def look_after(self) -> None:
        """Ask again for the result where nothing is heard of the run; call it now and then."""
        if self._asking is not None:
            self._asking.look()

    def destroy(self) -> None:
        """Take the client off the graph."""
        self._client.destroy()

    def _answered(self, answer: "Future") -> None:
        goal: ClientGoalHandle = answer.result()
        if not goal.accepted:
            self.result = ExecuteBml.Result(outcome="REJECTED", reason="the behaviour-tree node is inactive")
            return
        self._goal = goal
        self._asking = GoalResult(goal, self._ended)
        if self._cancel_asked:
            goal.cancel_goal_async().add_done_callback(self._canceling)

    def _canceling(self, answer: "Future") -> None:
        self.cancel_taken = bool(answer.result().goals_canceling)

    def _heard(self, feedback: ExecuteBml.Feedback) -> None:
        if self._asking is not None:
            self._asking.heard()
        self._on_feedback(feedback)

    def _ended(self, result: ExecuteBml.Result | None) -> None:
        lost = ExecuteBml.Result(outcome="ERROR", reason=f"the behaviour-tree node {NOT_KNOWN}")
        self.result = lost if result is None else result
