# SPDX-License-Identifier: Apache-2.0
"""Sends plans to `execute_action_plan` and follows each to its end."""

import time
from collections.abc import Callable

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.node import Node
from rclpy.task import Future

from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.nodes.base.goal_result import ANSWER_WITHIN, GONE_AFTER, NOT_KNOWN, GoalResult

OnFeedback = Callable[[ExecuteActionPlan.Feedback], None]
OnResult = Callable[[ExecuteActionPlan.Result], None]


class PlanGoal:
    """One plan that was sent. ``result`` is set when it has ended."""

    def __init__(self, on_feedback: OnFeedback, on_result: OnResult) -> None:
        self.result: ExecuteActionPlan.Result | None = None
        self.asked = time.monotonic()
        self.answered = False
        self._on_feedback = on_feedback
        self._on_result = on_result
        self._goal: ClientGoalHandle | None = None
        self._asking: GoalResult | None = None
        self._cancel_asked = False
        self.cancel_taken = False  # whether the server said that it will cancel

    def cancel(self) -> None:
        """Ask for the end; the result follows when the body is at rest."""
        self._cancel_asked = True
        if self._goal is not None:
            self._goal.cancel_goal_async().add_done_callback(self._canceling)

    def end(self, outcome: str, reason: str) -> None:
        """End it without the server."""
        self._set(ExecuteActionPlan.Result(outcome=outcome, reason=reason))

    def take_answer(self, answer: "Future") -> None:
        """The server took or refused it."""
        self.answered = True
        goal: ClientGoalHandle = answer.result()
        if not goal.accepted:
            self.end("REJECTED", "the behaviour-tree node refused the goal")
            return
        self._goal = goal
        self._asking = GoalResult(goal, self._ended)
        # An answer that comes after it was given up: nobody looks after the plan any more.
        if self._cancel_asked or self.result is not None:
            goal.cancel_goal_async().add_done_callback(self._canceling)

    def take_feedback(self, feedback: ExecuteActionPlan.Feedback) -> None:
        """News from the server."""
        if self._asking is not None:
            self._asking.heard()
        self._on_feedback(feedback)

    def look(self) -> None:
        """Ask again for the result of a plan of which nothing is heard."""
        if self._asking is not None:
            self._asking.look()

    def _ended(self, result: ExecuteActionPlan.Result | None) -> None:
        if result is None:
            self.end("ERROR", f"the behaviour-tree node {NOT_KNOWN}")
        else:
            self._set(result)

    def _canceling(self, answer: "Future") -> None:
        self.cancel_taken = bool(answer.result().goals_canceling)

    def _set(self, result: ExecuteActionPlan.Result) -> None:
        if self.result is None:
            self.result = result
            self._on_result(result)


class PlanClient:
    """The client of one body, in ``namespace`` (empty: that of the node)."""

    def __init__(self, node: Node, namespace: str = "") -> None:
        name = f"{namespace.rstrip('/')}/execute_action_plan" if namespace else "execute_action_plan"
        self._client = ActionClient(node, ExecuteActionPlan, name)
        self._goals: list[PlanGoal] = []
        self._seen = time.monotonic()

    @property
    def server_is_there(self) -> bool:
        """Whether a behaviour-tree node serves the action."""
        ready: bool = self._client.server_is_ready()
        return ready

    def send(
        self,
        goal: ExecuteActionPlan.Goal,
        on_feedback: OnFeedback = lambda _: None,
        on_result: OnResult = lambda _: None,
    ) -> PlanGoal:
        """Ask for a plan to be run; feedback and result are those of the action."""
        sent = PlanGoal(on_feedback, on_result)
        self._goals.append(sent)
        self._seen = time.monotonic()
        answer = self._client.send_goal_async(
            goal, feedback_callback=lambda m: sent.take_feedback(m.feedback)
        )
        answer.add_done_callback(sent.take_answer)
        return sent

    def look_after(self) -> None:
        """End goals whose server is gone, was started anew, or does not answer; call it now and then."""
        now = time.monotonic()
        if self.server_is_there:
            self._seen = now
        for goal in self._goals:
            if goal.result is None and now - self._seen > GONE_AFTER:
                goal.end("ERROR", "the behaviour-tree node is gone")
            elif goal.result is None and not goal.answered and now - goal.asked > ANSWER_WITHIN:
                goal.end("ERROR", f"the behaviour-tree node did not answer within {ANSWER_WITHIN:g} s")
            elif goal.result is None:
                goal.look()
        self._goals = [goal for goal in self._goals if goal.result is None]

    def destroy(self) -> None:
        """Take the client off the graph."""
        self._client.destroy()
