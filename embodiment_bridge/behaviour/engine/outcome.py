# SPDX-License-Identifier: Apache-2.0
"""The states and outcomes of a run."""

from dataclasses import dataclass
from enum import Enum

from embodiment_bridge.behaviour.engine.journal import Origin

NOWHERE = Origin("", "run")


class RunState(Enum):
    """The states of a run, from goal to outcome."""

    LOADING = "loading"  # until the first tick, which reads and checks the document
    RUNNING = "running"
    PAUSING = "pausing"  # the clock stands; waiting for body and sound to freeze
    PAUSED = "paused"
    RESUMING = "resuming"  # waiting for body and sound to go on; then the clock does
    STOPPING = "stopping"  # halted; waiting for the leaves to come to rest
    ENDED = "ended"


class Outcome(Enum):
    """How a run ended."""

    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    STOPPED = "STOPPED"  # by a stop node
    CANCELED = "CANCELED"
    PREEMPTED = "PREEMPTED"
    REJECTED = "REJECTED"  # never began
    ERROR = "ERROR"  # a fault of this program, or a limit that its parameters set


@dataclass(frozen=True, slots=True)
class RunEnding:
    """Outcome, scheduled run time in s, reason for people, and the node that it comes from."""

    outcome: Outcome
    t: float
    reason: str = ""
    origin: Origin = NOWHERE
