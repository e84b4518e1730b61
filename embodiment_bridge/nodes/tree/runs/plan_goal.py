# SPDX-License-Identifier: Apache-2.0
"""A goal of `execute_action_plan`, joined to the run that does it."""

from collections.abc import Callable, Mapping

from rclpy.action.server import ServerGoalHandle

from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.behaviour.engine.results import Outcome, RunEnding
from embodiment_bridge.behaviour.plans.action_plan import StepStatus
from embodiment_bridge.behaviour.plans.plan_run import PlanRun
from embodiment_bridge.core.errors import BridgeError, text_of
from embodiment_bridge.msg import PlanAction, PlanActionStatus
from embodiment_bridge.plans.action import Action
from embodiment_bridge.protocols.opencog.plans.plan_messages import parameter_of

MOST_ATTEMPTS = 255  # that fit into the message


def actions_of(messages: list[PlanAction]) -> list[Action]:
    """The actions of a plan's message."""
    return [
        Action(one.name, one.sequence, tuple(parameter_of(item) for item in one.parameters))
        for one in messages
    ]


def status_message(status: StepStatus) -> PlanActionStatus:
    """The status of a step as a message."""
    return PlanActionStatus(
        sequence=status.sequence,
        name=status.name,
        status=int(status.state),
        attempts=min(status.attempts, MOST_ATTEMPTS),
        reason=status.reason,
    )


class PlanGoalRun:
    """A run of a plan and its goal: feedback when a step changes, the result at the end.

    finish(goal, succeeded=, result=) ends the goal.
    """

    def __init__(
        self,
        goal: ServerGoalHandle,
        run: PlanRun,
        run_id: str,
        finish: Callable[..., None],
    ) -> None:
        self.goal = goal
        self.run = run
        self.run_id = run_id
        self.breakpoints: tuple[str, ...] = ()  # a plan has none of its own
        self._finish = finish
        self._told: list[StepStatus] | None = None

    def feed(self, values: Mapping[str, object]) -> list[str]:
        """Plans look at no blackboard, so nothing is refused."""
        return []

    def tell(self) -> None:
        """After a tick: tell the client what is new; end the goal if the run has ended."""
        statuses = self.run.statuses()
        if statuses != self._told:
            self._told = statuses
            feedback = ExecuteActionPlan.Feedback(run_id=self.run_id, elapsed=self.run.clock.seconds)
            feedback.actions = [status_message(status) for status in statuses]
            self.goal.publish_feedback(feedback)
        if self.run.ending is not None:
            self._end(self.run.ending, statuses)

    def _end(self, ending: RunEnding, statuses: list[StepStatus]) -> None:
        result = ExecuteActionPlan.Result(
            outcome=ending.outcome.value, reason=ending.reason, elapsed=ending.t
        )
        result.actions = [status_message(status) for status in statuses]
        self._finish(self.goal, succeeded=ending.outcome is Outcome.SUCCEEDED, result=result)


def plan_failure(error: Exception) -> ExecuteActionPlan.Result:
    """The result of a goal that was never begun: REJECTED, or ERROR for a fault of this program."""
    outcome = Outcome.REJECTED if isinstance(error, BridgeError) else Outcome.ERROR
    reason = text_of(error).removeprefix(": ")  # of a JSON pointer, which a plan does not have
    return ExecuteActionPlan.Result(outcome=outcome.value, reason=reason)
