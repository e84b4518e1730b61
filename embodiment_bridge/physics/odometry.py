# SPDX-License-Identifier: Apache-2.0
"""The pose that a robot reckons from its own speed and turn rate, which drifts away from the true one."""

from dataclasses import replace
from math import cos, sin
from typing import Final

import numpy as np

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.core.units import wrap_angle

SPEED_ERROR: Final = 0.05  # share of the speed, standard deviation of one robot
TURN_ERROR: Final = 0.002  # rad/s, offset of a gyro, likewise


class Odometry:
    """x, y m and yaw rad in ``odom``, which is ``map`` at the start. Its errors are drawn once, with ``seed``."""

    def __init__(self, seed: int = 0) -> None:
        self.x = self.y = self.yaw = 0.0
        random = np.random.default_rng(seed)
        self._scale = 1.0 + float(random.normal(0.0, SPEED_ERROR))
        self._offset = float(random.normal(0.0, TURN_ERROR))

    def begin(self, state: BodyState) -> None:
        """Begin at the true pose."""
        self.x, self.y, self.yaw = *state.base_position[:2], state.yaw

    def update(self, speed: Vector, turn: float, seconds: float) -> None:
        """Add ``seconds`` at a speed in the base's own axes (m/s) and a turn rate about z (rad/s)."""
        self.yaw = wrap_angle(self.yaw + (turn + self._offset) * seconds)
        forward, left = speed[0] * self._scale, speed[1] * self._scale
        self.x += (forward * cos(self.yaw) - left * sin(self.yaw)) * seconds
        self.y += (forward * sin(self.yaw) + left * cos(self.yaw)) * seconds

    def of(self, state: BodyState) -> BodyState:
        """The state with this pose instead of the true one; height and tilt stay."""
        return replace(state, base_position=(self.x, self.y, state.base_position[2]), yaw=self.yaw)
