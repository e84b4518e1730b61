# SPDX-License-Identifier: Apache-2.0
"""Detects whether the body has fallen."""

from embodiment_bridge.body.description import Fall
from embodiment_bridge.motion.joints.sensing import Sensed

# A body on its side gets up as from its front, which rolls it over: rad of pitch to the back up to which it counts so.
ON_ITS_SIDE = 0.5


def side_of(pitch: float) -> str:
    """The side, ``front`` or ``back``, on which a fallen body lies that is pitched so (rad, + forward)."""
    return "back" if pitch < -ON_ITS_SIDE else "front"


class FallDetector:
    """Detects a fall at once when the body is too low or too tilted, and its end after ``recover_s`` of neither.

    Only the tilt is used if the height is unknown or estimated.

    side: on which the body lies or lay last, ``front`` or ``back``; empty before the first fall.
    """

    def __init__(self, fall: Fall | None) -> None:
        self._fall = fall
        self._upright_s = 0.0
        self.fallen = False
        self.side = ""

    def reset(self) -> None:
        """Assume that the body is upright."""
        self.fallen, self._upright_s, self.side = False, 0.0, ""

    def update(self, sensed: Sensed, dt: float) -> None:
        """Update with sensed values, ``dt`` s after the last; without a sensed tilt nothing changes."""
        if self._fall is None or not sensed.tilt_fresh:
            return
        tilt = max(abs(sensed.roll), abs(sensed.pitch))
        low = sensed.height_known and sensed.z < self._fall.height
        if low or tilt > self._fall.tilt:
            self.fallen, self._upright_s = True, 0.0
            self.side = side_of(sensed.pitch)
            return
        self._upright_s += dt
        if self._upright_s >= self._fall.recover_s:
            self.fallen = False
