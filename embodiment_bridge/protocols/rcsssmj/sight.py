# SPDX-License-Identifier: Apache-2.0
"""Where the torso's sensors say that it is, for the chain from camera to ``map``."""

import math
from typing import Final

from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.scene.camera import Pose

HALF_DIGIT: Final = 0.0005  # rcssservermj 0.2.1 cuts quaternions after three digits, towards zero


def base_pose(percept: Percept) -> Pose | None:
    """The torso in ``map``; None where the percept does not say it in finite numbers.

    Each number of the quaternion is taken for the middle of what the server may have cut: at 50 m that halves how
    far landmarks appear from where they are, to 6 cm at most.
    """
    if not percept.positions or not percept.orientations:
        return None
    place, turn = percept.positions[0], percept.orientations[0]
    x, y, z, w = (value + math.copysign(HALF_DIGIT, value) for value in (turn.x, turn.y, turn.z, turn.w))
    length = math.hypot(x, y, z, w)
    if not math.isfinite(length + place.x_m + place.y_m + place.z_m):
        return None
    return Pose((place.x_m, place.y_m, place.z_m), (x / length, y / length, z / length, w / length))
