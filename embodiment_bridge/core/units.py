# SPDX-License-Identifier: Apache-2.0
"""Conversion factors between units of wire protocols and those of ROS; each name says from what to what."""

import math

RAD_PER_DEG = math.pi / 180.0
DEG_PER_RAD = 180.0 / math.pi


def wrap_angle(angle: float) -> float:
    """The same angle in [-pi, pi) rad."""
    return (angle + math.pi) % (2.0 * math.pi) - math.pi
