# SPDX-License-Identifier: Apache-2.0
"""A plan of actions as a run of the behaviour tree: a sequence of steps, with all that a run can do."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace

from typing_extensions import override

from embodiment_bridge.behaviour.engine import loading
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.journal import Origin
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.engine.results import Policy
from embodiment_bridge.behaviour.nodes.composite import Sequence as SequenceNode
from embodiment_bridge.behaviour.plans.action_plan import (
    MAX_STEPS,
    ON_ERROR,
    MakeRoutine,
    Options,
    StepState,
    StepStatus,
    Surroundings,
)
from embodiment_bridge.behaviour.plans.plan_step import PlanStep
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.plans.action import Action


class PlanRun(Run):
    """Runs the actions of a plan by ascending sequence number; those with the same number as they come.

    It is ticked, paused, stepped, canceled and preempted as a run of a document is. The outcome is FAILED when a
    step failed, also where the others were done all the same.

    Args:
        actions: the steps. None of them is an empty plan, which succeeds at once.
        make_routine: from an action to skills.
        surroundings: where body and things are.
        ports: of the body; only its skills are used.
        skills: what the body can do, by name.
        options: what to do about a failed step, and how long one may take.

    Raises:
        ConfigError: the plan has too many steps, a sequence number below 1, or an option is wrong.
    """

    def __init__(
        self,
        actions: Sequence[Action],
        make_routine: MakeRoutine,
        surroundings: Surroundings,
        ports: Ports,
        skills: Mapping[str, SkillInfo],
        options: Options,
        *,
        run_id: str = "plan",
        settings: Settings | None = None,
    ) -> None:
        _check(actions, options)
        super().__init__("", ports, loading.Rules(skills), run_id=run_id, settings=settings)
        self.steps = [
            PlanStep(action, make_routine, surroundings, options)
            for action in sorted(actions, key=lambda action: action.sequence)
        ]
        self._all_are_tried = options.on_error == "continue"

    def statuses(self) -> list[StepStatus]:
        """The status of each step, in their order."""
        found = [step.status_of_step(over=self.ending is not None) for step in self.steps]
        if self.ending is None or not self.ending.reason:
            return found
        reason = self.ending.reason
        return [
            replace(one, reason=reason) if one.state is StepState.CANCELED and not one.reason else one
            for one in found
        ]

    @override
    def _grow(self) -> Generator[None, None, Node]:
        yield from ()
        for place, step in enumerate(self.steps):
            step.place(
                self._context, Origin(f"/actions/{place}", "action", step.action.name, step.action.name)
            )
        root = SequenceNode("plan", self.steps, Policy(False, self._all_are_tried))
        root.place(self._context, Origin("", "sequence", "plan", "plan"))
        return root


def _check(actions: Sequence[Action], options: Options) -> None:
    if len(actions) > MAX_STEPS:
        raise ConfigError(f"the plan has {len(actions)} actions; {MAX_STEPS} are the most")
    for action in actions:
        if action.sequence < 1:
            raise ConfigError(
                f"action {action.name!r} has the sequence number {action.sequence}; the first is 1"
            )
    if options.on_error not in ON_ERROR:
        raise ConfigError(unknown("value of on_error", options.on_error, ON_ERROR))
    if not options.timeout_s > 0.0:
        raise ConfigError(f"a step may take {options.timeout_s} s; it must be more than 0")
