# SPDX-License-Identifier: Apache-2.0
"""Has the body fallen?"""

from embodiment_bridge.body.description import Fall
from embodiment_bridge.motion.joints.sensing import Sensed


class FallDetector:
    """Fallen at once when too low or too tilted; up again only after a while of neither.

    Tilt alone decides where the height is unknown or only estimated.

    side: on which the body lies, ``front`` or ``back``, or lay last; empty before the first fall.
    """

    def __init__(self, fall: Fall | None) -> None:
        self._fall = fall
        self._upright_s = 0.0
        self.fallen = False
        self.side = ""

    def reset(self) -> None:
        """Up until seen otherwise."""
        self.fallen, self._upright_s, self.side = False, 0.0, ""

    def update(self, sensed: Sensed, dt: float) -> None:
        """Judge by what is sensed now, ``dt`` s later; a body that does not know how it is tilted never falls."""
        if self._fall is None or not sensed.tilt_fresh:
            return
        tilt = max(abs(sensed.roll), abs(sensed.pitch))
        low = sensed.height_known and sensed.z < self._fall.height
        if low or tilt > self._fall.tilt:
            self.fallen, self._upright_s = True, 0.0
            self.side = "front" if sensed.pitch > 0.0 else "back"
            return
        self._upright_s += dt
        if self._upright_s >= self._fall.recover_s:
            self.fallen = False
