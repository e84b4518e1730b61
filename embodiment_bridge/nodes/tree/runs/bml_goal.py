# SPDX-License-Identifier: Apache-2.0
"""Reads and checks a goal of `execute_bml` before anything of it begins."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.behaviour.engine.blackboard import Blackboard, values_of
from embodiment_bridge.behaviour.engine.debugging import MAX_BREAKPOINTS as ALL_BREAKPOINTS
from embodiment_bridge.behaviour.engine.loading import Loaded, Rejected, Rules, load
from embodiment_bridge.bml.analysis.estimate import Estimate, analyse
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.reading.envelope import age_refusal
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.nodes.tree.runs.run_ports import RunPorts

LARGEST_SEED = 2**32 - 1
MAX_BREAKPOINTS = ALL_BREAKPOINTS // 2  # of a goal, and as many of the node's own


@dataclass(frozen=True, slots=True)
class Wish:
    """A goal that can be run.

    doubts: what is doubtful in the document, for people. seed: None draws one. values: of the goal.
    """

    document: Loaded
    rules: Rules
    estimate: Estimate
    doubts: Sequence[str]
    values: Mapping[str, Value]
    seed: int | None
    suspendable: object
    breakpoints: tuple[str, ...]

    def blackboard(self, known: Mapping[str, Value]) -> Blackboard:
        """The values that the run begins with, while topics tell what is ``known``.

        Raises:
            Rejected: one cannot be on a blackboard, or there are too many.
        """
        try:
            return Blackboard({**known, **self.values})
        except CommandError as error:
            raise Rejected.because("", "BAD_VALUE", str(error)) from error


def read_goal(goal: ExecuteBml.Goal, ports: RunPorts) -> Wish:
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
    return Wish(
        loaded,
        rules,
        analysis.estimates[document.root.pointer],
        [str(warning) for warning in analysis.warnings],
        values,
        None if goal.seed < 0 else goal.seed,
        goal.suspendable or document.metadata.get("suspendable"),
        tuple(goal.breakpoints),
    )
