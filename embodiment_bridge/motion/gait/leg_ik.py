# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of a leg in the sagittal plane: hip pitch, knee pitch, ankle pitch."""

from math import acos, atan2, hypot, sqrt

SHORTEST = 0.2  # m, hip to ankle: at a shorter distance the leg would fold past the knee's range
SHORTEST_SHARE = 0.5  # of a leg that is shorter than those of a T1 or K1
STRAIGHT_MARGIN = 1e-4  # m kept from the fully stretched leg, where the knee's speed has no bound


class LegIk:
    """A leg of two links whose knee may lie behind the line of the thigh.

    Args:
        knee_back: m, how far the knee axis lies behind the hip pitch axis when all joints are zero.
        thigh: m, vertical distance from hip pitch axis to knee axis when all joints are zero.
        shank: m, knee axis to ankle pitch axis.
    """

    __slots__ = ("_longest", "_shank", "_shortest", "_thigh", "_tilt")

    def __init__(self, knee_back: float, thigh: float, shank: float) -> None:
        self._thigh = hypot(knee_back, thigh)
        self._tilt = atan2(knee_back, thigh)
        self._shank = shank
        self._longest = self._thigh + shank - STRAIGHT_MARGIN
        folded = abs(self._thigh - shank) + STRAIGHT_MARGIN
        self._shortest = max(min(SHORTEST, SHORTEST_SHARE * self._longest), folded)

    def solve(self, x: float, z: float) -> tuple[float, float, float]:
        """(hip pitch, knee pitch, ankle pitch) in rad that put the ankle at (x, z) m from the hip, foot level.

        x is forward, z is up (so z < 0). A point out of reach gives the nearest leg length in its direction.
        """
        a, b = self._thigh, self._shank
        squared = min(max(x * x + z * z, self._shortest**2), self._longest**2)
        distance = sqrt(squared)
        toward = atan2(-x, -z)
        at_hip = acos((a * a + squared - b * b) / (2 * a * distance))
        at_ankle = acos((b * b + squared - a * a) / (2 * b * distance))
        shank = toward + at_ankle
        hip = toward - at_hip - self._tilt
        return hip, shank - hip, -shank
