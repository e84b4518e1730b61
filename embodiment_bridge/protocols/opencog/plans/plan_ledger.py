# SPDX-License-Identifier: Apache-2.0
"""Which reports are owed for the plans of one OAC: one for each action, one for a plan that ends before its time.

An OAC waits up to 90 s for each report and is confused by a second one, because in some versions each report makes
it send the next action. So everything is reported, and nothing twice.
"""

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from embodiment_bridge.protocols.opencog.xml.events import ActionPlan

KEPT_PLANS: Final = 500  # ids of plans that are over; what comes late for them is ignored
DONE, ERROR = "done", "error"


@dataclass(frozen=True, slots=True)
class Report:
    """One thing to tell the OAC. ``sequence`` None: all actions of the plan that are still open."""

    plan_id: str
    name: str
    status: str
    sequence: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Stand:
    """How one action stands: ``status`` is done, error or empty while it is open."""

    sequence: int
    name: str
    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """What to do about a plan that has come.

    reports: to send at once. cancel: numbers of executions to end. begin: whether to execute the plan as execution
    ``number``; ``after``: behind those that run for the same plan. remark: for people.
    """

    number: int = 0
    begin: bool = False
    after: bool = False
    cancel: tuple[int, ...] = ()
    reports: tuple[Report, ...] = ()
    remark: str = ""


@dataclass(slots=True)
class _Plan:
    """A plan of which something runs, or that may go on with another message of the same id."""

    id: str
    name: str
    reported: set[int] = field(default_factory=set)
    asked: set[int] = field(default_factory=set)
    running: set[int] = field(default_factory=set)
    failed: bool = False
    closed: bool = False

    @property
    def all_done(self) -> bool:
        """Everything that was asked was reported as done."""
        return not self.failed and self.asked <= self.reported


class PlanLedger:
    """Plans of one OAC. goes_on: after an action that failed the others are tried (policy continue)."""

    def __init__(self, *, goes_on: bool = False) -> None:
        self._goes_on = goes_on
        self._plans: OrderedDict[str, _Plan] = OrderedDict()
        self._of_execution: dict[int, _Plan] = {}
        self._numbers = 0

    def take(self, plan: ActionPlan) -> Order:
        """A plan, or the next action of one whose beginning came before, has arrived."""
        if not plan.actions:
            return Order(remark=f"plan {plan.id} is empty")
        known = self._plans.get(plan.id)
        if known is not None and (known.running or not known.asked & _sequences(plan)):
            return self._go_on(known, plan)
        self._plans.pop(plan.id, None)  # an id that is used again, by an OAC that has begun anew
        closing, cancel = self.close("replaced by a newer plan")
        fresh = _Plan(plan.id, plan.actions[0].name)
        self._plans[plan.id] = fresh
        while len(self._plans) > KEPT_PLANS:
            self._plans.popitem(last=False)
        return self._begin(fresh, plan, cancel=cancel, reports=closing)

    def _go_on(self, known: _Plan, plan: ActionPlan) -> Order:
        if known.closed:
            return Order(remark=f"plan {plan.id} is over; its new action is ignored")
        repeated = known.asked & _sequences(plan)
        if repeated:
            return Order(remark=f"plan {plan.id} repeats the actions {sorted(repeated)}; ignored")
        return self._begin(known, plan, after=bool(known.running))

    def _begin(
        self,
        known: _Plan,
        plan: ActionPlan,
        *,
        after: bool = False,
        cancel: Sequence[int] = (),
        reports: Sequence[Report] = (),
    ) -> Order:
        self._numbers += 1
        known.asked |= _sequences(plan)
        known.running.add(self._numbers)
        self._of_execution[self._numbers] = known
        return Order(self._numbers, True, after, tuple(cancel), tuple(reports))

    def stood(self, number: int, stands: Iterable[Stand]) -> list[Report]:
        """How the actions of an execution stand; returns what is to be reported of that, once."""
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
        """An execution is over; ``well``: all its actions were done."""
        stands = list(stands)
        reports = self.stood(number, stands)
        known = self._of_execution.pop(number, None)
        if known is None:
            return reports
        known.running.discard(number)
        all_told = bool(stands) and all(stand.sequence in known.reported for stand in stands)
        if well or known.closed or (self._goes_on and all_told):
            return reports
        return [*reports, self._close(known, reason)]

    def close(self, reason: str) -> tuple[list[Report], list[int]]:
        """End everything that runs: what to report, and which executions to cancel.

        An execution may still run when its last action was reported: the OAC answers that faster than the result
        comes. Of such a plan nothing is left to report.
        """
        reports: list[Report] = []
        numbers: list[int] = []
        for known in self._plans.values():
            if known.running and not known.closed:
                numbers += sorted(known.running)
                closing = self._close(known, reason)
                reports += [] if known.all_done else [closing]
        return reports, numbers

    def forget(self) -> list[int]:
        """The OAC that wanted all this is gone: owe it nothing. Returns the executions to cancel."""
        numbers = sorted(self._of_execution)
        self._plans.clear()
        self._of_execution.clear()
        return numbers

    @property
    def running(self) -> int:
        """How many executions have not ended."""
        return len(self._of_execution)

    @staticmethod
    def _close(known: _Plan, reason: str) -> Report:
        known.closed = True
        return Report(known.id, known.name, ERROR, None, reason)


def _sequences(plan: ActionPlan) -> set[int]:
    return {action.sequence for action in plan.actions}
