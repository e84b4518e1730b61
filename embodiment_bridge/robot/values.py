# SPDX-License-Identifier: Apache-2.0
"""The state of a robot as plain values. SI units, frame ``map``."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from embodiment_bridge.bml.base.problems import Problem
from embodiment_bridge.core.rotation import wrap_angle

WENT_WELL = ("SUCCEEDED", "STOPPED")


@dataclass(frozen=True, slots=True)
class Pose:
    """Holds the pose of the robot: m, and its heading in rad (0 along x, positive to the left)."""

    x: float
    y: float
    yaw: float

    def distance(self, x: float, y: float) -> float:
        """To a place, m."""
        return math.hypot(x - self.x, y - self.y)

    def bearing(self, x: float, y: float) -> float:
        """Return the bearing of a place from the heading, rad, positive to the left."""
        return wrap_angle(math.atan2(y - self.y, x - self.x) - self.yaw)


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing in the world: its place in m, and s since it was last seen."""

    id: str
    kind: str
    x: float
    y: float
    z: float
    visible: bool
    age: float = 0.0
    properties: Mapping[str, str] = field(default_factory=dict)

    def is_named(self, name: str) -> bool:
        """Whether ``name`` is its id or its kind."""
        return name in (self.id, self.kind)


@dataclass(frozen=True, slots=True)
class Heard:
    """A text that was heard; ``number`` counts them."""

    number: int
    sender: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Tells how a run ended. ``warnings`` and ``problems`` as ``POINTER: CODE: text``; elapsed: s of its clock."""

    outcome: str
    reason: str = ""
    pointer: str = ""
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    elapsed: float = 0.0

    @property
    def went_well(self) -> bool:
        """Whether it did what was asked, or was stopped as its document says."""
        return self.outcome in WENT_WELL

    @property
    def not_done(self) -> tuple[str, ...]:
        """The warnings that an action was skipped or replaced."""
        return self._warnings("SKIPPED", "REPLACED")

    def _warnings(self, *codes: str) -> tuple[str, ...]:
        return tuple(one for one in self.warnings if any(f": {code}: " in one for code in codes))

    def __str__(self) -> str:
        told = self._warnings("SKIPPED", "REPLACED", "REMARK")
        reasons = [self.reason, *told] if self.reason not in self.problems else list(self.problems)
        return "; ".join([f"{self.outcome} after {self.elapsed:.1f} s", *filter(None, reasons)])


@dataclass(frozen=True, slots=True)
class Progress:
    """The status of a run: its state, s of its clock, and what runs in it: by JSON pointers, and in words.

    ``expected`` s in all; None where that is not known.
    """

    state: str
    elapsed: float
    active: tuple[str, ...] = ()
    expected: float | None = None
    doing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """The errors and warnings of a document, how long it takes in s (inf: without end), and the channels it drives.

    ``expected`` is None where the time is not known. ``channels`` are those of a document without errors.
    """

    problems: tuple[Problem, ...]
    least: float = 0.0
    expected: float | None = None
    longest: float = math.inf
    channels: frozenset[str] = frozenset()

    @property
    def can_run(self) -> bool:
        """Whether nothing in it is wrong."""
        return not any(problem.fatal for problem in self.problems)
