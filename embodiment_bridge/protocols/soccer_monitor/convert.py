# SPDX-License-Identifier: Apache-2.0
"""Between headings in ``map`` and those of the servers' trainer commands. Places are in ``map`` on both sides."""

from math import isfinite, pi, remainder

from embodiment_bridge.core.units import DEG_PER_RAD


def heading_deg(yaw: float, offset_deg: float) -> float:
    """Of a yaw (rad), which is taken to -180 to 180 degrees first; a server's ``offset_deg`` is added then."""
    return (remainder(yaw, 2.0 * pi) if isfinite(yaw) else yaw) * DEG_PER_RAD + offset_deg
