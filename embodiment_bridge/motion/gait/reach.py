# SPDX-License-Identifier: Apache-2.0
"""Walks to a place and faces a direction there."""

from math import atan2, hypot, inf, pi

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.core.units import wrap_angle
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand
from embodiment_bridge.motion.gait.walk_program import Pose

ARRIVED_M = 0.1  # a step
PASSED_M = 0.3  # m: a body that was nearer and then goes away has passed the place; circling would not bring it nearer
FACING_RAD = 0.08  # of the direction in the end; a step turns by more
AIM_RAD = 0.35  # with a larger heading error the body turns on the spot before it goes on
AIM_GAIN = 2.0  # 1/rad: full turn command at half a radian
BRAKE_M = 0.4  # from the place on which the body slows down
SLOWEST = 0.35  # share of full speed at the end
SPEED_SHARE = 0.25  # of full speed, for the time limit: a slower body does not arrive
EXTRA_PATIENCE_S = 10.0


class Reach:
    """Turn towards (x, y) in ``map``, walk there, then turn to ``yaw``; m, rad.

    There is no planning: the way is straight, and obstacles are not avoided.
    """

    def __init__(self, limits: WalkLimits, x: float, y: float, yaw: float) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = EXTRA_PATIENCE_S
        self._limits = limits
        self._goal = (x, y, yaw)
        self._distance = 0.0
        self._there = False
        self._nearest = inf
        self._aiming = True

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""
        x, y, yaw = self._goal
        dx, dy = x - pose.x, y - pose.y
        left = hypot(dx, dy)
        if not self._distance:
            self._distance = max(left, ARRIVED_M)
            self.patience += left / (SPEED_SHARE * self._limits.forward) + 4 * pi / self._limits.turn
        self.progress = max(self.progress, min(1.0 - left / self._distance, 0.99))
        self._nearest = min(self._nearest, left)
        passed = self._nearest < PASSED_M and left > self._nearest + ARRIVED_M / 2
        self._there = self._there or left < ARRIVED_M or passed
        if self._there:
            return self._face(wrap_angle(yaw - pose.yaw), walker)
        return self._go(left, wrap_angle(atan2(dy, dx) - pose.yaw))

    def _go(self, left: float, off: float) -> WalkCommand:
        self._aiming = abs(off) > (AIM_RAD / 3 if self._aiming else AIM_RAD)
        turn = min(max(AIM_GAIN * off, -1.0), 1.0)
        if self._aiming:
            return WalkCommand(True, 0.0, turn)
        return WalkCommand(True, min(max(left / BRAKE_M, SLOWEST), 1.0), turn)

    def _face(self, off: float, walker: Pace) -> WalkCommand:
        coast = self._limits.coast_turn * walker.turn
        if abs(wrap_angle(off - coast)) < FACING_RAD or off * (off - coast) < 0.0:
            self.done, self.progress = True, 1.0
        return STAND if self.done else WalkCommand(True, 0.0, 1.0 if off > 0.0 else -1.0)
