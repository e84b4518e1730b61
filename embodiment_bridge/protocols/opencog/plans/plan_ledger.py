# SPDX-License-Identifier: Apache-2.0
"""Keeps and makes the reports that are due for the plans of one OAC: one an action, one for an early end.

An OAC waits up to 90 s for each report and is confused by a second one, because in some versions each report makes
it send the next action. So each action is reported exactly once.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from embodiment_bridge.protocols.opencog.xml.events import ActionPlan, AvatarSignal, BadAction
from embodiment_bridge.protocols.opencog.xml.parts import ActionSignal, Param

# Reports of a proxy on the plans that it executes.

LONGEST_REASON = 200  # characters


def action_report(
    agent_id: str,
    timestamp: str,
    plan_id: str,
    name: str,
    status: str,
    sequence: int | None = None,
    reason: str = "",
) -> AvatarSignal:
    """The report on an action of a plan, or without ``sequence`` on all that are still open.

    Args:
        agent_id: of the body.
        timestamp: time of the report.
        plan_id: as in the plan.
        name: of the action, as in the plan; for a whole plan any text that is not empty.
        status: ``done`` or ``error``.
        sequence: from 1.
        reason: of an error, or a remark of the body on what is done, for people; an OAC ignores it.
    """
    why = (Param("string", "reason", reason[:LONGEST_REASON]),) if reason else ()
    report = ActionSignal(name or plan_id, plan_id, sequence, status, why)
    return AvatarSignal(agent_id, timestamp, actions=(report,))


KEPT_PLANS: Final = 500  # ids of ended plans; late messages about them are ignored
DONE, ERROR = "done", "error"


@dataclass(frozen=True, slots=True)
class Report:
    """One report to the OAC. ``sequence`` None: all actions of the plan that are still open."""

    plan_id: str
    name: str
    status: str
    sequence: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Stand:
    """State of one action: ``status`` is done, error or empty while it is open."""

    sequence: int
    name: str
    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """Says what to do about a received plan.

    reports: to send at once. cancel: numbers of executions to end. begin: whether to execute actions of the plan as
    execution ``number``, those with the numbers ``sequences``; ``after``: behind those that run for the same plan.
    warning: for people.
    """

    number: int = 0
    begin: bool = False
    sequences: frozenset[int] = frozenset()
    after: bool = False
    cancel: tuple[int, ...] = ()
    reports: tuple[Report, ...] = ()
    warning: str = ""


@dataclass(slots=True)
class _Plan:
    """A plan that runs, or that may be continued by another message with the same id."""

    id: str
    name: str
    reported: set[int] = field(default_factory=set)
    asked: set[int] = field(default_factory=set)
    running: set[int] = field(default_factory=set)
    failed: bool = False
    cut: str = ""  # why some actions will never be executed nor reported one by one; empty: there are none
    closed: bool = False

    @property
    def all_done(self) -> bool:
        """Whether all requested actions were reported as done."""
        return not self.failed and self.asked <= self.reported


class PlanLedger:
    """Plans of one OAC. goes_on: a failed action does not end its plan (policy continue)."""

    def __init__(self, *, goes_on: bool = False) -> None:
        self._goes_on = goes_on
        self._plans: OrderedDict[str, _Plan] = OrderedDict()
        self._of_execution: dict[int, _Plan] = {}
        self._numbers = 0

    def take(self, plan: ActionPlan, bad: Sequence[BadAction] = ()) -> Order:
        """Handle a plan, or the next action of a plan whose first part came before.

        ``bad``: actions of it that cannot be executed. Each is reported at once where it has a number of its own; what
        follows it is not executed, except with the policy continue.
        """
        if not plan.actions and not bad:
            return Order(warning=f"plan {plan.id} is empty")
        known = self._plans.get(plan.id)
        if known is not None and (known.running or not known.asked & _sequences(plan, bad)):
            return self._go_on(known, plan, bad)
        self._plans.pop(plan.id, None)  # an OAC that has restarted uses an id again
        closing, cancel = self.close("replaced by a newer plan")
        fresh = _Plan(plan.id, plan.actions[0].name if plan.actions else bad[0].name)
        self._plans[plan.id] = fresh
        while len(self._plans) > KEPT_PLANS:
            self._plans.popitem(last=False)
        return self._begin(fresh, plan, bad, cancel=cancel, reports=closing)

    def _go_on(self, known: _Plan, plan: ActionPlan, bad: Sequence[BadAction]) -> Order:
        if known.closed:
            reports = tuple(
                Report(plan.id, action.name, ERROR, action.sequence, "the plan is over")
                for action in plan.actions
                if action.sequence not in known.asked
            )
            known.asked |= _sequences(plan, bad)
            return Order(reports=reports, warning=f"plan {plan.id} is over; its new actions are not done")
        repeated = known.asked & _sequences(plan, bad)
        if not repeated:
            return self._begin(known, plan, bad, after=bool(known.running))
        fresh = tuple(action for action in plan.actions if action.sequence not in repeated)
        new_bad = [one for one in bad if one.sequence not in repeated]
        warning = f"plan {plan.id} repeats the actions {sorted(repeated)}; they are ignored"
        if not fresh and not new_bad:
            return Order(warning=warning)
        order = self._begin(known, replace(plan, actions=fresh), new_bad, after=bool(known.running))
        return replace(order, warning=warning)

    def _begin(
        self,
        known: _Plan,
        plan: ActionPlan,
        bad: Sequence[BadAction],
        *,
        after: bool = False,
        cancel: Sequence[int] = (),
        reports: Sequence[Report] = (),
    ) -> Order:
        known.asked |= _sequences(plan, bad)
        told = list(reports)
        for one in bad:
            known.failed = True
            if one.sequence is not None:
                known.reported.add(one.sequence)
                told.append(Report(plan.id, one.name, ERROR, one.sequence, one.reason))
            if one.sequence is None or not self._goes_on:
                known.cut = known.cut or one.reason
        sequences = {action.sequence for action in plan.actions}
        if bad and not self._goes_on:
            first = min(one.sequence or 1 for one in bad)
            sequences = {sequence for sequence in sequences if sequence < first}
        if not sequences:
            told += [self._close(known, known.cut)] if known.cut and not known.running else []
            return Order(cancel=tuple(cancel), reports=tuple(told))
        self._numbers += 1
        known.running.add(self._numbers)
        self._of_execution[self._numbers] = known
        return Order(self._numbers, True, frozenset(sequences), after, tuple(cancel), tuple(told))

    def stood(self, number: int, stands: Iterable[Stand]) -> list[Report]:
        """Update the states of an execution's actions; returns the new reports."""
        known = self._of_execution.get(number)
        if known is None or known.closed:
            return []
        by_sequence: dict[int, list[Stand]] = {}
        for stand in stands:
            by_sequence.setdefault(stand.sequence, []).append(stand)
        reports = []
        for sequence, same in by_sequence.items():
            if sequence not in known.reported and all(stand.status for stand in same):
                known.reported.add(sequence)
                worst = next((stand for stand in same if stand.status == ERROR), same[-1])
                known.failed |= worst.status == ERROR
                reports.append(Report(known.id, worst.name, worst.status, sequence, worst.reason))
        return reports

    def ended(self, number: int, stands: Iterable[Stand], *, well: bool, reason: str = "") -> list[Report]:
        """An execution has ended; ``well``: all its actions were done. Returns the new reports."""
        stands = list(stands)
        reports = self.stood(number, stands)
        known = self._of_execution.pop(number, None)
        if known is None:
            return reports
        known.running.discard(number)
        all_told = bool(stands) and all(stand.sequence in known.reported for stand in stands)
        if known.closed:
            return reports
        if not well and not (self._goes_on and all_told):
            return [*reports, self._close(known, reason)]
        if known.cut and not known.running:
            return [*reports, self._close(known, known.cut)]
        return reports

    def close(self, reason: str) -> tuple[list[Report], list[int]]:
        """End all running plans; returns the reports and the executions to cancel.

        An execution may still run after the report on its last action, because the OAC answers faster than the action
        server. Such a plan gives no further report.
        """
        reports: list[Report] = []
        numbers: list[int] = []
        for known in self._plans.values():
            if known.running and not known.closed:
                numbers += sorted(known.running)
                closing = self._close(known, reason)
                reports += [] if known.all_done else [closing]
        return reports, numbers

    @property
    def left_over(self) -> list[int]:
        """Executions that run for plans that were closed; they are to be canceled."""
        return sorted(number for number, known in self._of_execution.items() if known.closed)

    def forget(self) -> list[int]:
        """The OAC of these plans is gone: drop all reports. Returns the executions to cancel."""
        numbers = sorted(self._of_execution)
        self._plans.clear()
        self._of_execution.clear()
        return numbers

    @property
    def running(self) -> int:
        """Number of executions that have not ended."""
        return len(self._of_execution)

    @staticmethod
    def _close(known: _Plan, reason: str) -> Report:
        known.closed = True
        return Report(known.id, known.name, ERROR, None, reason)


def _sequences(plan: ActionPlan, bad: Sequence[BadAction]) -> set[int]:
    numbered = {one.sequence for one in bad if one.sequence is not None}
    return {action.sequence for action in plan.actions} | numbered
