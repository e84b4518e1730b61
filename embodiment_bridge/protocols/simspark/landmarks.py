# SPDX-License-Identifier: Apache-2.0
"""Where the flags of a field are."""

from embodiment_bridge.core.rotation import Vector

GOAL_HALF_WIDTH = 1.05  # m
GOAL_HEIGHT = 0.8  # m


def landmarks(length: float, width: float) -> dict[str, Vector]:
    """The flags of a field (m) in ``map``: corners ``F`` and tops of goal posts ``G``, 1 is the upper one (+y)."""
    flags: dict[str, Vector] = {}
    for side, x in (("L", -0.5 * length), ("R", 0.5 * length)):
        for number, up in ((1, 1.0), (2, -1.0)):
            flags[f"F{number}{side}"] = (x, up * 0.5 * width, 0.0)
            flags[f"G{number}{side}"] = (x, up * GOAL_HALF_WIDTH, GOAL_HEIGHT)
    return flags
