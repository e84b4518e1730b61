# SPDX-License-Identifier: Apache-2.0
"""Limits the goals of a servo: to the range and speed of the joint, and with a soft start after torque comes on."""

from math import inf, isfinite

from embodiment_bridge.dynamixel.config.servo_config import ServoConfig

LONGEST_STEP_S = 0.1  # s; a longer time between cycles counts as this
CREEP = 0.02  # share of the full speed at which a soft start begins


class GoalFilter:
    """The goals of one joint. ``fastest``: speed of the joint in rad/s where the description has no limit."""

    def __init__(self, config: ServoConfig, fastest: float) -> None:
        self._lower, self._upper = config.lower, config.upper
        self._fastest = min(config.velocity, fastest)
        self._strongest = config.effort
        self._soft_s = config.soft_start_s
        self._share = 0.0
        self.goal = 0.0

    def start(self, position: float) -> None:
        """Torque comes on with the joint at ``position`` (rad): this is the first goal, and a soft start follows."""
        self.goal = position
        self._share = 0.0 if self._soft_s > 0.0 else 1.0

    def position(self, target: float, dt: float, *, fresh: bool = True) -> float:
        """The next goal (rad) on the way to ``target`` after ``dt`` s; without fresh commands it does not change."""
        share = self._share if self._share >= 1.0 else self._grow(dt)
        if not fresh or not isfinite(target):
            return self.goal
        reach = self._fastest * share * (dt if dt < LONGEST_STEP_S else LONGEST_STEP_S)
        # A joint that was beyond an end when torque came on stays there until it is asked to be inside.
        if target <= self._lower:
            target = self._lower if self.goal > self._lower else self.goal
        elif target >= self._upper:
            target = self._upper if self.goal < self._upper else self.goal
        way = target - self.goal
        if way > reach:
            way = reach
        elif way < -reach:
            way = -reach
        self.goal += way
        return self.goal

    def velocity(self, target: float, position: float, dt: float, *, fresh: bool = True) -> float:
        """The next speed (rad/s); 0 if it would lead further out of the range, and without fresh commands."""
        share = self._grow(dt)
        if not fresh or not isfinite(target):
            return 0.0
        speed = min(max(target, -self._fastest), self._fastest) * share
        return self._inwards(speed, position)

    def effort(self, target: float, position: float, dt: float, *, fresh: bool = True) -> float:
        """The next torque (Nm); 0 if it would lead further out of the range, and without fresh commands."""
        share = self._grow(dt)
        if not fresh or not isfinite(target):
            return 0.0
        effort = min(max(target, -self._strongest), self._strongest) * share
        return self._inwards(effort, position)

    def share_of_full(self, target: float, position: float, dt: float, *, fresh: bool = True) -> float:
        """The next torque as a share (-1..1) of the joint's limit; for PWM."""
        effort = self.effort(target, position, dt, fresh=fresh)
        return effort / self._strongest if isfinite(self._strongest) else min(max(effort, -1.0), 1.0)

    def _grow(self, dt: float) -> float:
        if self._share < 1.0:
            self._share = min(self._share + min(dt, LONGEST_STEP_S) / self._soft_s, 1.0)
        return max(self._share, CREEP)

    def _inwards(self, value: float, position: float) -> float:
        if not isfinite(position):
            return 0.0 if self._lower > -inf or self._upper < inf else value
        if (position >= self._upper and value > 0.0) or (position <= self._lower and value < 0.0):
            return 0.0
        return value
