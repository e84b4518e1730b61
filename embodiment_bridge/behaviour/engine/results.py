# SPDX-License-Identifier: Apache-2.0
"""Results of composites by their success and failure policies, and the states and outcomes of a run."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.journal import Origin

NOWHERE = Origin("", "run")


class RunState(Enum):
    """Names the states of a run, from goal to outcome."""

    LOADING = "loading"  # until the first tick, which reads and checks the document
    RUNNING = "running"
    PAUSING = "pausing"  # the clock stands; waiting for body and sound to freeze
    PAUSED = "paused"
    RESUMING = "resuming"  # waiting for body and sound to go on; then the clock does
    STOPPING = "stopping"  # halted; waiting for the leaves to come to rest
    ENDED = "ended"


class Outcome(Enum):
    """Names the ways in which a run ends."""

    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    STOPPED = "STOPPED"  # by a stop node
    CANCELED = "CANCELED"
    PREEMPTED = "PREEMPTED"
    REJECTED = "REJECTED"  # never began
    ERROR = "ERROR"  # a fault of this program, or a limit that its parameters set


@dataclass(frozen=True, slots=True)
class RunEnding:
    """Holds outcome, scheduled run time in s, reason for people, and the node that ended the run."""

    outcome: Outcome
    t: float
    reason: str = ""
    origin: Origin = NOWHERE


class Result(NamedTuple):
    """Represents the result of a node: SUCCESS, FAILURE, or INVALID when it was left out.

    ``message`` is for people; ``culprit`` is where a failure came from.
    """

    status: Status
    message: str = ""
    culprit: Origin | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """Says when a node with several children (or iterations) succeeds and fails.

    The default succeeds when all succeeded and fails when one failed.
    """

    succeed_on_one: bool = False
    fail_on_all: bool = False

    @property
    def last_decides(self) -> bool:
        """Whether an ordered node that reaches its last child ends as that child does."""
        return self.succeed_on_one == self.fail_on_all

    def verdict(self, succeeded: int, failed: int, total: float) -> Status | None:
        """Return SUCCESS or FAILURE once decided, else None.

        Failure is looked at first, so it wins when both criteria are met. When all ``total`` children are done
        and have not succeeded by the criterion, that is a FAILURE too: all failed, or neither criterion was met.
        ``total`` is ``math.inf`` for an endless loop.
        """
        if failed and not self.fail_on_all:
            return Status.FAILURE
        if succeeded and (self.succeed_on_one or succeeded >= total):
            return Status.SUCCESS
        return Status.FAILURE if succeeded + failed >= total else None


class Tally:
    """Counts how children (or iterations) ended, and remembers the last failure.

    Those left out do not count; ``empty`` is the verdict when none is left to count.
    """

    def __init__(self, policy: Policy, total: float, empty: Status = Status.SUCCESS) -> None:
        self._policy = policy
        self._total = total
        self._empty = empty
        self.succeeded = 0
        self.failed = 0
        self._last_failure = Result(Status.FAILURE)

    def add(self, result: Result) -> None:
        """Count how a child ended."""
        if result.status is Status.INVALID:
            self._total -= 1
        elif result.status is Status.FAILURE:
            self.failed += 1
            self._last_failure = result
        else:
            self.succeeded += 1

    @property
    def verdict(self) -> Status | None:
        """The result that the counts give so far."""
        if self._total == 0:
            return self._empty
        return self._policy.verdict(self.succeeded, self.failed, self._total)

    def blame(self, verdict: Status) -> tuple[str, Origin | None]:
        """Return message and culprit for a node that ends with ``verdict``: of the last failure, if it failed."""
        last = self._last_failure
        return (last.message, last.culprit) if verdict is Status.FAILURE else ("", None)
