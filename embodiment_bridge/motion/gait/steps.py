# SPDX-License-Identifier: Apache-2.0
"""Special steps of a walk: the capture step against a fall, and the step that swings through a ball."""

from math import cos, pi, sin
from typing import NamedTuple

from embodiment_bridge.body.carriers.gait import GaitParameters
from embodiment_bridge.body.kick_section import KickParameters


class Kick(NamedTuple):
    """Requests a kick: with which foot, and how hard, 0 (softest) .. 1."""

    left: bool
    strength: float


class Swing(NamedTuple):
    """Holds the offset that a kick adds to the step at one moment: m, rad."""

    left: bool
    ahead: float
    lift: float
    sway: float
    lean: float
    toe: float


class KickStep:
    """Waits for the swing of the foot that kicks, and shapes it."""

    def __init__(self, parameters: KickParameters | None) -> None:
        self._p = parameters
        self.reset()

    def reset(self) -> None:
        """Forget the kick."""
        self._now: Kick | None = None

    @property
    def kicking(self) -> bool:
        """Whether the present step is a kick."""
        return self._now is not None

    @property
    def rate(self) -> float:
        """Share of the usual frequency at which the present step is made."""
        return self._p.rate if self._p is not None and self._now is not None else 1.0

    def step(self, kick: Kick | None, before: float, phase: float) -> None:
        """Advance the kick as the gait goes on from ``before`` to ``phase`` (0..1); ``kick`` is the request."""
        if (before < 0.5) == (phase < 0.5):
            return
        if self._now is not None:
            self._now = None
        elif kick is not None and self._p is not None and kick.left == (phase < 0.5):
            self._now = kick

    def swing(self, phase: float) -> Swing | None:
        """Return the offset that the kick adds now; None if there is none."""
        p, kick = self._p, self._now
        if p is None or kick is None:
            return None
        strength = kick.strength
        u = 2.0 * phase if phase < 0.5 else 2.0 * phase - 1.0
        back = p.back_soft + strength * (p.back - p.back_soft)
        reach = p.reach_soft + strength * (p.reach - p.reach_soft)
        if u < p.back_at:
            ahead = -back * _smooth(u / p.back_at)
        elif u < p.reach_at:
            ahead = -back + (back + reach) * _smooth((u - p.back_at) / (p.reach_at - p.back_at))
        else:
            ahead = reach * (1.0 - _smooth((u - p.reach_at) / (1.0 - p.reach_at)))
        arc = sin(pi * u)
        return Swing(kick.left, ahead, p.lift * arc, p.sway * arc, p.lean * arc, p.toe * arc)


def _smooth(share: float) -> float:
    return 0.5 - 0.5 * cos(pi * share)


LONGEST_M = 0.12  # a foot is never moved further than this from where it would land anyway
CROSSING_M = 0.04  # m of that towards the other foot, so that the feet do not touch
REMAINING = 1e-3  # share of a swing below which the foot counts as landed


class CaptureStep:
    """Holds the offsets (m, forward and left) of both feet.

    A foot moves to its new place while it swings and keeps it on the ground: the leg that stands must not push the
    body because the body was pushed.
    """

    def __init__(self, parameters: GaitParameters) -> None:
        self._gains = parameters.capture_x, parameters.capture_y
        self.reset()

    def reset(self) -> None:
        """Put both feet where the gait has them."""
        self._feet = [[0.0, 0.0], [0.0, 0.0]]
        self._before = 0.0

    def step(self, phase: float, ahead: float, left: float) -> None:
        """Move the foot that swings at ``phase`` (0..1) for a body that is too fast by ``ahead`` and ``left`` m/s."""
        foot = 0 if phase < 0.5 else 1
        swung = 2.0 * phase - foot
        moved = 2.0 * ((phase - self._before) % 1.0)
        self._before = phase
        inner, outer = (-CROSSING_M, LONGEST_M) if foot == 0 else (-LONGEST_M, CROSSING_M)
        goals = (
            min(max(self._gains[0] * ahead, -LONGEST_M), LONGEST_M),
            min(max(self._gains[1] * left, inner), outer),
        )
        share = min(moved / max(1.0 - swung + moved, REMAINING), 1.0)
        for axis, goal in enumerate(goals):
            self._feet[foot][axis] += share * (goal - self._feet[foot][axis])

    def offset(self, side: float) -> tuple[float, float]:
        """Return the offset (m, forward and left) of the left (``side`` > 0) or right foot."""
        x, y = self._feet[0 if side > 0.0 else 1]
        return x, y
