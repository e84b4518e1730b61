# SPDX-License-Identifier: Apache-2.0
"""The field of view of a camera, and which places are in the picture: m in ``map``, rad from the optical axis."""

from dataclasses import dataclass
from math import asin, atan2, hypot, inf, radians

from embodiment_bridge.core.rotation import Vector, inverse, rotate
from embodiment_bridge.scene.camera import Pose

EDGE = radians(
    8.0
)  # a head turns this far while a picture is on its way, so the rim of a picture proves nothing
SLACK = 0.15  # m by which the remembered place of a thing may be wrong
NEAREST = 0.3  # m; a nearer thing may be in no picture at all


@dataclass(frozen=True, slots=True)
class FieldOfView:
    """A camera's field of view: whole angles across and up in rad (at most 2 pi and pi), and its reach in m."""

    across: float
    up: float
    reach: float = inf

    def shows(self, eye: Pose, place: Vector) -> bool:
        """Whether a point in ``map`` is in the picture of the camera at ``eye``. Nothing hides anything."""
        away, side, high = _direction(eye, place)
        return away <= self.reach and side <= 0.5 * self.across and high <= 0.5 * self.up

    def surely_shows(self, eye: Pose, place: Vector) -> bool:
        """Whether a thing that is still at ``place`` would be in the picture, also with a slightly wrong place."""
        away, side, high = _direction(eye, place)
        if not NEAREST < away <= self.reach:
            return False
        margin = EDGE + asin(min(SLACK / away, 1.0))
        return side <= 0.5 * self.across - margin and high <= 0.5 * self.up - margin


SOCCER = FieldOfView(
    radians(120.0), radians(120.0)
)  # of the robots of rcssservermj 0.2.1 and rcssserver3d 0.7.3


def _direction(eye: Pose, place: Vector) -> Vector:
    """Distance m, and the angles to the side and up or down from the optical axis, both 0 or more."""
    offset = place[0] - eye.position[0], place[1] - eye.position[1], place[2] - eye.position[2]
    ahead, left, up = rotate(inverse(eye.quaternion), offset)
    return hypot(*offset), abs(atan2(left, ahead)), abs(atan2(up, hypot(ahead, left)))
