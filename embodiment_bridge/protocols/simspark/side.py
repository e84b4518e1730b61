# SPDX-License-Identifier: Apache-2.0
"""Finds the side of a player that was not told it: the server turns the place of a player of the right team."""

import math
from collections.abc import Sequence
from typing import Final

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.protocols.simspark.convert import camera_pose
from embodiment_bridge.protocols.simspark.events import Vision
from embodiment_bridge.scene.locator import Locator

CLEAR: Final = (
    1.0  # m by which one place has to be nearer to that of the landmarks; at the centre both are the same
)


def side_of(vision: Vision, points: Sequence[tuple[str, Vector]], located: Locator) -> str:
    """``left`` or ``right`` where the picture has ``mypos`` and landmarks that agree with one of them; else empty.

    Args:
        vision: the picture.
        points: the points in it by name, m in the frame of the body.
        located: knows the tilt of the body.
    """
    left, right = camera_pose(vision, "left"), camera_pose(vision, "right")
    seen = located.another()
    seen.look(points)
    if left is None or right is None or not seen.known:
        return ""
    further = math.dist(seen.place[:2], left[0][:2]) - math.dist(seen.place[:2], right[0][:2])
    if abs(further) < CLEAR:
        return ""
    return "right" if further > 0.0 else "left"
