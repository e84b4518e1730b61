# SPDX-License-Identifier: Apache-2.0
"""A plan of actions for the behaviour tree: its steps, the policy for a failed one, and the state of each."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from embodiment_bridge.plans.action import Action
from embodiment_bridge.plans.routine import Routine
from embodiment_bridge.plans.world import World

ON_ERROR = ("stop", "continue", "retry")  # the first is the default
MAX_STEPS = 1000


class StepState(IntEnum):
    """The state of a step; the numbers are those of PlanActionStatus.msg."""

    PENDING = 0
    RUNNING = 1
    DONE = 2
    ERROR = 3
    CANCELED = 4


@dataclass(frozen=True, slots=True)
class StepStatus:
    """The status of one step: ``attempts`` times begun, ``reason`` for people."""

    sequence: int
    name: str
    state: StepState
    attempts: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """How a failed step is handled (see ``ON_ERROR``), and the longest time of an attempt in s."""

    on_error: str = ON_ERROR[0]
    retries: int = 3
    timeout_s: float = 60.0


class Surroundings(Protocol):
    """The knowledge of the world that steps of a plan need."""

    def known(self) -> bool:
        """Whether ``world`` is worth looking at; False for a moment after the start."""

    def world(self) -> World:
        """The body's place, and the things around it, now."""


MakeRoutine = Callable[[Action], Routine]
"""From an action to the skills that do it; raises CommandError when there is no way."""
