# SPDX-License-Identifier: Apache-2.0
"""Executes plans of one OAC on one body: sends goals, and reports each action once."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.msg import ActionPlan as PlanMessage
from embodiment_bridge.msg import PlanActionStatus
from embodiment_bridge.nodes.base.goal_client import PlanClient, PlanGoal
from embodiment_bridge.protocols.opencog.plans.plan_ledger import DONE, ERROR, PlanLedger, Report, Stand
from embodiment_bridge.protocols.opencog.xml.events import ActionPlan, BadAction

SERVER_WITHIN = 5.0  # s of wall time that a plan waits for a behaviour-tree node
MAX_WAITING = 100  # plans
STATUS = {PlanActionStatus.DONE: DONE, PlanActionStatus.ERROR: ERROR}


@dataclass(frozen=True, slots=True)
class PlanWishes:
    """Holds the options of plans; see ``ExecuteActionPlan``."""

    on_error: str = "stop"
    retries: int = 0
    priority: int = 0
    timeout: float = 0.0


@dataclass(slots=True)
class _Waiting:
    """Represents a plan that waits for an action server."""

    number: int
    goal: ExecuteActionPlan.Goal
    deadline: float


class OpencogPlans:
    """Runs the plans of OACs, on the executor's thread. report(report) sends a report; note(text) tells people.

    source: name of the client, for logs.
    """

    def __init__(
        self,
        client: PlanClient,
        wishes: PlanWishes,
        source: str,
        report: Callable[[Report], None],
        note: Callable[[str], None],
    ) -> None:
        self._client = client
        self._wishes = wishes
        self._source = source
        self._report = report
        self._note = note
        self.life = 0
        self._ledger = PlanLedger(goes_on=wishes.on_error == "continue")
        self._goals: dict[int, PlanGoal] = {}
        self._commands: list[PlanGoal] = []
        self._waiting: deque[_Waiting] = deque()

    @property
    def running(self) -> int:
        """Number of executions that have not ended."""
        return self._ledger.running

    def take(self, plan: ActionPlan, message: PlanMessage, bad: Sequence[BadAction] = ()) -> None:
        """Execute a plan; ``message`` is the same plan for the body; ``bad``: actions of it that cannot be done."""
        order = self._ledger.take(plan, bad)
        if order.warning:
            self._note(order.warning)
        for report in order.reports:
            self._tell(report)
        self._cancel(order.cancel)
        if order.begin:
            message.actions = [one for one in message.actions if one.sequence in order.sequences]
            goal = self._goal(message, "queue" if order.after else "replace")
            self._waiting.append(_Waiting(order.number, goal, time.monotonic() + SERVER_WITHIN))
            if len(self._waiting) > MAX_WAITING:
                self._give_up(self._waiting.popleft(), "too many plans wait")
            self.look_after()

    def command(self, message: PlanMessage) -> None:
        """Execute a plan without reports, after those that run."""
        if self._client.server_is_there:
            sent = self._client.send(self._goal(message, "queue"), on_end=self._command_ended)
            self._commands = [one for one in (*self._commands, sent) if one.result is None]
        else:
            self._note("a command is lost: nothing serves execute_action_plan")

    def look_after(self) -> None:
        """Send waiting plans, and give up those that have waited too long for a server; call it regularly."""
        while self._waiting and self._client.server_is_there:
            waiting = self._waiting.popleft()
            self._goals[waiting.number] = self._client.send(
                waiting.goal, partial(self._stood, waiting.number), partial(self._ended, waiting.number)
            )
        while self._waiting and time.monotonic() > self._waiting[0].deadline:
            self._give_up(self._waiting.popleft(), "nothing serves execute_action_plan")

    def close(self, reason: str) -> None:
        """End all plans and commands, and report that to the OAC."""
        reports, numbers = self._ledger.close(reason)
        for report in reports:
            self._tell(report)
        self._cancel(numbers)
        self._cancel_commands()

    def forget(self, life: int) -> None:
        """End all plans and commands without reports, as the OAC has restarted, with life ``life``."""
        self.life = life
        self._cancel(self._ledger.forget())
        self._cancel_commands()

    def _cancel_commands(self) -> None:
        for goal in self._commands:
            goal.cancel()
        self._commands = []

    def _goal(self, message: PlanMessage, on_new: str) -> ExecuteActionPlan.Goal:
        wishes = self._wishes
        return ExecuteActionPlan.Goal(
            plan=message,
            on_error=wishes.on_error,
            retries=wishes.retries,
            on_new=on_new,
            priority=wishes.priority,
            timeout=wishes.timeout,
            source=self._source,
        )

    def _cancel(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            goal = self._goals.pop(number, None)
            if goal is not None:
                goal.cancel()
        for one in [one for one in self._waiting if one.number in numbers]:
            self._waiting.remove(one)
            self._ledger.ended(one.number, [], well=False)  # it was closed, so this reports nothing

    def _stood(self, number: int, feedback: ExecuteActionPlan.Feedback) -> None:
        for report in self._ledger.stood(number, _stands(feedback.actions)):
            self._tell(report)

    def _ended(self, number: int, sent: PlanGoal) -> None:
        self._goals.pop(number, None)
        result = sent.result or ExecuteActionPlan.Result()
        well = result.outcome == "SUCCEEDED"
        self._conclude(number, _stands(result.actions), well=well, reason=result.reason)

    def _give_up(self, waiting: _Waiting, reason: str) -> None:
        self._conclude(waiting.number, [], well=False, reason=reason)

    def _conclude(self, number: int, stands: Sequence[Stand], *, well: bool, reason: str) -> None:
        for report in self._ledger.ended(number, stands, well=well, reason=reason):
            self._tell(report)
        self._cancel(self._ledger.left_over)

    def _command_ended(self, sent: PlanGoal) -> None:
        result = sent.result or ExecuteActionPlan.Result()
        if result.outcome != "SUCCEEDED":
            self._note(f"a command of the OAC: {result.outcome}: {result.reason}")

    def _tell(self, report: Report) -> None:
        if report.status == ERROR:
            which = f"action {report.sequence} ({report.name})" if report.sequence else "what is left of it"
            self._note(f"plan {report.plan_id}, {which}: error: {report.reason}")
        self._report(report)


def _stands(actions: Sequence[PlanActionStatus]) -> list[Stand]:
    statuses: Mapping[int, str] = STATUS
    return [Stand(one.sequence, one.name, statuses.get(one.status, ""), one.reason) for one in actions]
