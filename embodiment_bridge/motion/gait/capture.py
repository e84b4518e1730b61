# SPDX-License-Identifier: Apache-2.0
"""The capture step: where a swinging foot lands when the body moves faster or slower than it should."""

from embodiment_bridge.body.carriers.gait import GaitParameters

LONGEST_M = 0.12  # a foot is never moved further than this from where it would land anyway
CROSSING_M = 0.04  # of that towards the other foot, so that the feet do not touch
REMAINING = 1e-3  # of a swing below which it counts as landed


class CaptureStep:
    """The offsets (m, forward and left) of both feet.

    A foot moves to its new place while it swings and keeps it on the ground: the leg that stands must not push the
    body because the body was pushed.
    """

    def __init__(self, parameters: GaitParameters) -> None:
        self._gains = parameters.capture_x, parameters.capture_y
        self.reset()

    def reset(self) -> None:
        """Both feet where the gait puts them."""
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
        """Offset (m, forward and left) of the left (``side`` > 0) or right foot."""
        x, y = self._feet[0 if side > 0.0 else 1]
        return x, y
