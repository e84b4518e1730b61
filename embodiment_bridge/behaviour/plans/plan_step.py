# SPDX-License-Identifier: Apache-2.0
"""The leaf that does one action of a plan: one skill after the other, each chosen when the one before has ended."""

from dataclasses import replace
from math import inf

from py_trees.common import Status

from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.plans.action_plan import (
    MakeRoutine,
    Options,
    StepState,
    StepStatus,
    Surroundings,
)
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.plans.action import Action
from embodiment_bridge.plans.routine import Routine, SkillCall, Wait

RETRY_AFTER_S = 0.5  # a body that fails at once is not asked again in every tick
WENT_WRONG = {
    SkillStatus.SKIPPED: "the body lacks what skill {} needs",
    SkillStatus.REPLACED: "skill {} was replaced: something else took over",
    SkillStatus.CANCELED: "skill {} was canceled from outside",
    SkillStatus.FAILED: "skill {} failed",
}


class PlanStep(Leaf):
    """Does ``action``; fails with a reason when it is unknown, the body lacks a skill, or the time is up.

    A failed attempt is begun again where the options say retry, but not one whose time was up, as then the others
    would hardly do better.
    """

    def __init__(
        self, action: Action, make_routine: MakeRoutine, surroundings: Surroundings, options: Options
    ) -> None:
        super().__init__(action.name)
        self.action = action
        self._make_routine = make_routine
        self._surroundings = surroundings
        self._options = options
        self.attempts = 0
        self.was_halted = False

    def reset(self) -> None:
        """Nothing begun yet."""
        self.attempts = 0
        self.was_halted = False
        self._routine: Routine | None = None
        self._call: SkillCall | None = None
        self._id = ""
        self._report: SkillReport | None = None
        self._enough_at = inf
        self._next_at = self._begun = self.t_start

    def status_of_step(self, *, over: bool) -> StepStatus:
        """The state of the step; ``over``: the plan has ended, so a step that has not begun never will."""
        state = StepState.CANCELED if over or self.was_halted else StepState.PENDING
        if self.running and self.started:
            state = StepState.RUNNING
        elif self.status is Status.SUCCESS:
            state = StepState.DONE
        elif self.status is Status.FAILURE:
            state = StepState.ERROR
        return StepStatus(self.action.sequence, self.action.name, state, self.attempts, self.feedback_message)

    def start(self) -> None:
        """Begin the first attempt."""
        self._begun = self.context.clock.seconds
        self._attempt()

    def poll(self) -> None:
        """Go on to the next skill, or end."""
        now = self.context.clock.seconds
        # Between two attempts no time is up: the next one has its own.
        if self._routine is not None and now - self._begun > self._options.timeout_s:
            text = f"{self.action.name} took longer than {self._options.timeout_s:g} s"
            self.end_early(Status.FAILURE, now, text)
            return
        try:
            self._advance(now)
        except CommandError as error:
            self._failed(str(error))

    def _advance(self, now: float) -> None:
        if self._id:
            report = self._look()
            if not report.status.ended:
                if now >= self._enough_at:
                    self.context.ports.skills.cancel(self._id)
                return
            self._id = ""
            enough = report.status is SkillStatus.CANCELED and now >= self._enough_at
            if report.status is not SkillStatus.SUCCEEDED and not enough:
                skill = repr(self._call.skill) if self._call is not None else ""
                raise CommandError(
                    ": ".join(filter(None, (WENT_WRONG[report.status].format(skill), report.reason)))
                )
            self._next_at = now
        if not self.context.clock.due(self._next_at):
            return
        if not self.may_start():
            self.context.waiting = True
            return
        if self._routine is None:
            self._attempt()
        if self._surroundings.known():
            self._go_on(now)

    def _attempt(self) -> None:
        self.attempts += 1
        self._begun = self.context.clock.seconds
        try:
            routine = self._make_routine(self.action)
            for skill in routine.skills:  # before the first one moves the body
                self._check(skill)
            self._routine = routine
        except CommandError as error:  # it will not be any better the next time
            self.finish(Status.FAILURE, self._begun, str(error))

    def _go_on(self, now: float) -> None:
        """Begin the next skill of the routine, or succeed."""
        if self._routine is None:
            return
        move = self._routine.next(replace(self._surroundings.world(), time_s=now))
        if move is None:
            self.finish(Status.SUCCESS, now)
            return
        if isinstance(move, Wait):
            self._next_at = now + move.seconds
            return
        self._call = move
        self._check(move.skill)
        self._report = None
        self._enough_at = now + move.most_s if move.most_s else inf
        self._id = self.context.new_id()
        parameters = move.parameters_for(self.context.skills[move.skill])
        request = SkillRequest(self._id, move.skill, parameters, move.slot_s, self.context.run_id)
        self.context.ports.skills.start(request)

    def _check(self, skill: str) -> None:
        info = self.context.skills.get(skill)
        if info is None:
            raise CommandError(f"the body has no skill {skill!r}")
        if not info.available:
            raise CommandError(f"the body lacks {', '.join(info.channels)}, which skill {skill!r} needs")

    def _failed(self, reason: str) -> None:
        now = self.context.clock.seconds
        self._id = ""
        self._routine = None
        if self._options.on_error == "retry" and self.attempts <= self._options.retries:
            self.context.journal.warn(now, self.origin, "RETRY", reason)
            self._next_at = now + RETRY_AFTER_S
        else:
            self.finish(Status.FAILURE, now, reason)

    def _look(self) -> SkillReport:
        """The newest report; the port is not asked again after the end."""
        if self._report is None or not self._report.status.ended:
            self._report = self.context.ports.skills.report(self._id)
        return self._report

    def cancel(self) -> None:
        """Let the body bring it to rest."""
        if self._id and (self._report is None or not self._report.status.ended):
            self.context.ports.skills.cancel(self._id)

    def port_released(self) -> bool:
        """Whether the body is at rest."""
        return not self._id or self._look().status.ended

    def port_held(self) -> bool | None:
        """Whether the motion is frozen; None when nothing moves."""
        if not self._id:
            return None
        report = self._look()
        return None if report.status.ended else report.held

    def drop(self, t: float) -> None:
        """Remember that it was ended from above."""
        self.was_halted = True
        super().drop(t)

    def wake_at(self) -> float:
        """When its time or that of its skill is up, or a retry is due; else only the body knows."""
        return min(self._begun + self._options.timeout_s, self._enough_at) if self._id else self._next_at
