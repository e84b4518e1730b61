# SPDX-License-Identifier: Apache-2.0
"""One run of a document.

Its goal is read and checked before anything begins, and its result ends the action goal that asked for it.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.behaviour.engine.blackboard import Blackboard, values_of
from embodiment_bridge.behaviour.engine.debugging import MAX_BREAKPOINTS as ALL_BREAKPOINTS
from embodiment_bridge.behaviour.engine.loading import Loaded, Rejected, Rules, load
from embodiment_bridge.behaviour.engine.results import Outcome, RunEnding, RunState
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml.analysis.estimate import Estimate, analyse
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.reading.envelope import age_refusal
from embodiment_bridge.core.errors import CommandError, ConfigError, text_of
from embodiment_bridge.nodes.tree.runs.run_ports import RunPorts

# Reads and checks a goal of `execute_bml` before anything of it begins.

LARGEST_SEED = 2**32 - 1
MAX_BREAKPOINTS = ALL_BREAKPOINTS // 2  # limit of a goal; the node's own may be as many


@dataclass(frozen=True, slots=True)
class CheckedGoal:
    """Represents a goal that can be run.

    request: what was asked for. doubts: what is doubtful in the document, for people. seed: None draws one. values: of
    the goal.
    """

    request: ExecuteBml.Goal
    document: Loaded
    rules: Rules
    estimate: Estimate
    doubts: Sequence[str]
    values: Mapping[str, Value]
    seed: int | None
    suspendable: object
    breakpoints: tuple[str, ...]

    def blackboard(self, known: Mapping[str, Value]) -> Blackboard:
        """Return the values that the run begins with, while topics tell what is ``known``.

        Raises:
            Rejected: one cannot be on a blackboard, or there are too many.
        """
        try:
            return Blackboard({**known, **self.values})
        except CommandError as error:
            raise Rejected.because("", "BAD_VALUE", str(error)) from error


def read_goal(goal: ExecuteBml.Goal, ports: RunPorts) -> CheckedGoal:
    """Read a goal for the body and under the rules of ``ports``; any thread may call it.

    Raises:
        Rejected: something in it is wrong; the text says what.
    """
    rules = ports.rules_of(goal)
    loaded = load(goal.document, rules, speech=ports.rules.speaks)
    document = loaded.document
    stale = age_refusal(document.metadata, ports.rules.max_age, time.time())
    if stale:
        raise Rejected.because("", "STALE", f"the document is refused: {stale}")
    if goal.seed > LARGEST_SEED:
        raise Rejected.because("", "BAD_SEED", f"the seed is {goal.seed}, not within 0 to {LARGEST_SEED}")
    if len(goal.breakpoints) > MAX_BREAKPOINTS:
        text = f"{len(goal.breakpoints)} breakpoints; there may be {MAX_BREAKPOINTS}"
        raise Rejected.because("", "TOO_MANY_BREAKPOINTS", text)
    try:
        values = values_of([(item.key, item.value) for item in goal.values])
    except CommandError as error:
        raise Rejected.because("", "BAD_VALUE", str(error)) from error
    analysis = analyse(document, rules.skills)
    return CheckedGoal(
        goal,
        loaded,
        rules,
        analysis.estimates[document.root.pointer],
        [str(warning) for warning in analysis.warnings],
        values,
        None if goal.seed < 0 else goal.seed,
        goal.suspendable or document.metadata.get("suspendable"),
        tuple(goal.breakpoints),
    )


WENT_WELL = {Outcome.SUCCEEDED, Outcome.STOPPED}
FEEDBACK_EVERY = 0.5  # s of run time, when nothing changes


class RunGoal(Protocol):
    """Represents the part of an action goal that a run uses."""

    @property
    def request(self) -> Any:
        """The message of the client."""

    @property
    def is_cancel_requested(self) -> bool:
        """Whether its client wants the end."""

    def publish_feedback(self, feedback: object) -> None:
        """Tell its client how it stands."""


Finish = Callable[..., None]
"""``finish(goal, succeeded=, result=)`` ends a goal."""


class GoalRun:
    """Tells the client what changed in a run, and ends the goal when the run has ended.

    finish(goal, succeeded=, result=) ends the goal. strict_skills: see ``Settings``.
    """

    strict_skills = False

    def __init__(
        self,
        goal: RunGoal,
        run: Run,
        run_id: str,
        finish: Finish,
        checked: CheckedGoal,
        board: Blackboard,
    ) -> None:
        self.goal = goal
        self.run = run
        self.run_id = run_id
        self.checked = checked
        self._board = board
        self._refused: dict[str, str] = {}
        self._finish = finish
        self._told: tuple[object, ...] = ()
        self._warnings_told: set[str] = set()
        self._still = ""

    def feed(self, values: Mapping[str, Value]) -> None:
        """Write the values of topics before a tick.

        Values that the goal or the document wrote under other names stay.

        A document may fill the blackboard; what has no room then is told as a warning.
        """
        for key, value in values.items():
            self._write(key, value)

    def _write(self, key: str, value: Value) -> None:
        try:
            self._board.write(key, value)
        except CommandError as error:
            self._refused[key] = f": VALUE_REFUSED: {error}"

    def note_clock(self, still: str) -> None:
        """Tell the client why time stands still; empty: it does not."""
        self._still = still
        if still:
            self.run.warn("NO_CLOCK", still)

    def tell(self) -> None:
        """Tell the client what is new after a tick; end the goal if the run has ended."""
        if self.run.ending is None:
            self._tell(self._new_warnings())
            return
        warnings = self._new_warnings()
        if warnings:
            self._tell(warnings)
        self._end(self.run.ending)

    def _new_warnings(self) -> list[str]:
        known = [*self.checked.doubts, *self._refused.values(), *self.run.warnings]
        return [line for line in dict.fromkeys(known) if line not in self._warnings_told]

    def _tell(self, warnings: list[str]) -> None:
        leaves = [origin for origin in self.run.active() if origin.label]
        active = [(origin.document, origin.pointer) for origin in leaves]
        elapsed = self.run.clock.seconds
        news = (self.run.state, active, bool(warnings), elapsed // FEEDBACK_EVERY)
        if news == self._told:
            return
        self._told = (self.run.state, active, False, elapsed // FEEDBACK_EVERY)
        self._warnings_told.update(warnings)
        # A last feedback goes out when the run has ended already; its state is that of a moment ago.
        state = RunState.RUNNING if self.run.ending is not None else self.run.state
        feedback = ExecuteBml.Feedback(run_id=self.run_id, state=state.name, elapsed=elapsed)
        feedback.active = [origin.pointer for origin in leaves]
        feedback.doing = [origin.name or origin.label for origin in leaves]
        feedback.warnings = warnings
        feedback.held_back = [origin.pointer for origin in self.run.held_back()]
        estimate = self.checked.estimate
        feedback.least = estimate.min_s
        feedback.expected = math.nan if estimate.expected_s is None else estimate.expected_s
        feedback.longest = math.inf if estimate.forever else estimate.max_s
        self.goal.publish_feedback(feedback)

    def _end(self, ending: RunEnding) -> None:
        result = ExecuteBml.Result(
            outcome=ending.outcome.value,
            reason=ending.reason,
            pointer=ending.origin.pointer,
            elapsed=ending.t,
            seed=self.run.seed,
        )
        result.problems = [str(problem) for problem in self.run.problems]
        self._finish(self.goal, succeeded=ending.outcome in WENT_WELL, result=result)

    @staticmethod
    def failure(error: Exception) -> ExecuteBml.Result:
        """Return the result of a goal that was never begun: REJECTED, or ERROR for a fault of this program."""
        if not isinstance(error, (CommandError, ConfigError)):
            reason = f"it could not be read or begun: {text_of(error)}"
            return ExecuteBml.Result(outcome=Outcome.ERROR.value, reason=reason, seed=-1)
        result = ExecuteBml.Result(outcome=Outcome.REJECTED.value, reason=str(error), seed=-1)
        if isinstance(error, Rejected) and error.problems:
            result.problems = [str(problem) for problem in error.problems]
            result.pointer = error.problems[0].pointer
        return result
