# SPDX-License-Identifier: Apache-2.0
"""What a plan of actions is to a behaviour tree: its steps, what to do about a failed one, and how each stands."""

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
    """How a step stands; the numbers are those of PlanActionStatus.msg."""

    PENDING = 0
    RUNNING = 1
    DONE = 2
    ERROR = 3
    CANCELED = 4


@dataclass(frozen=True, slots=True)
class StepStatus:
    """How one step stands: ``attempts`` times begun, ``reason`` for people."""

    sequence: int
    name: str
    state: StepState
    attempts: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Options:
    """What to do about a step that failed (see ``ON_ERROR``), and the longest that an attempt may take in s."""

    on_error: str = ON_ERROR[0]
    retries: int = 3
    timeout_s: float = 60.0


class Surroundings(Protocol):
    """What the steps of a plan need to know of the world."""

    def known(self) -> bool:
        """Whether ``world`` is worth looking at; False for a moment after the start."""

    def world(self) -> World:
        """The body's place, and the things around it, now."""


MakeRoutine = Callable[[Action], Routine]
"""From an action to the skills that do it; raises CommandError when there is no way."""
