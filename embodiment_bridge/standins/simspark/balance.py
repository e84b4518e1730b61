# SPDX-License-Identifier: Apache-2.0
"""How a robot of the stand-in leans and falls: a mass on its feet, which leans back when it is shaken or pushed.

The lean is two angles about the axes of a level torso: x (right) and y (forward), rad. The walk of the real server has
gyro values of 20 to 50 deg/s and accelerations of 7 to 25 m/s2, which this has too.
"""

from math import hypot, sin
from typing import Final

from embodiment_bridge.standins.simspark.anatomy import IDENTITY, Matrix, rotation

GRAVITY: Final = 9.81  # m/s2
HEIGHT: Final = 0.38  # m of the mass over the ground
TIPS: Final = 0.35  # rad; a robot that leans further falls
LIES: Final = 1.5  # rad of lean of a robot on the ground
STIFF: Final = 2.5  # rad/s, of the return to upright, without overshoot
RISES: Final = 6.0  # rad/s likewise, of a robot that lies and has its feet under it
SWAY: Final = 0.6  # share of the lean that an acceleration of the torso would need for balance
SHAKES: Final = 3.0  # m/s2; what more the steps of feet without mass would give does not sway it
QUIET: Final = 1e-4  # rad, rad/s: less is upright and at rest


class Balance:
    """lean: rad about right and forward. speed: of the lean, rad/s."""

    def __init__(self) -> None:
        self.upright()

    def upright(self) -> None:
        """Stand straight, at rest."""
        self.lean, self.speed = (0.0, 0.0), (0.0, 0.0)

    @property
    def fallen(self) -> bool:
        """Whether nothing keeps it from lying soon, or it lies."""
        return hypot(*self.lean) > TIPS

    @property
    def turn(self) -> Matrix:
        """The axes of the torso in those of a level one."""
        angle = hypot(*self.lean)
        if angle < QUIET:
            return IDENTITY
        return rotation((self.lean[0] / angle, self.lean[1] / angle, 0.0), angle)

    def push(self, right: float, forward: float) -> None:
        """A push at the torso, m/s of its speed in the axes of a level torso."""
        about_right, about_forward = self.speed
        self.speed = (about_right - forward / HEIGHT, about_forward + right / HEIGHT)

    def step(self, right: float, forward: float, dt: float, *, squats: bool = False) -> None:
        """Advance by ``dt`` s, while the torso accelerates by so many m/s2 (in the axes of a level one).

        squats: its legs are folded with the feet close under it, on which a robot that lies comes up.
        """
        angle = hypot(*self.lean)
        if squats and angle > TIPS:
            pull = (
                -RISES * (RISES * self.lean[0] + 2.0 * self.speed[0]),
                -RISES * (RISES * self.lean[1] + 2.0 * self.speed[1]),
            )
        elif angle >= LIES:
            self.speed = (0.0, 0.0)
            return
        elif angle > TIPS:
            fall = GRAVITY / HEIGHT * sin(angle) / angle
            pull = (fall * self.lean[0], fall * self.lean[1])
        else:
            share = SWAY / GRAVITY
            aim = (share * _within(forward), -share * _within(right))
            pull = (
                STIFF * (STIFF * (aim[0] - self.lean[0]) - 2.0 * self.speed[0]),
                STIFF * (STIFF * (aim[1] - self.lean[1]) - 2.0 * self.speed[1]),
            )
        self.speed = (self.speed[0] + pull[0] * dt, self.speed[1] + pull[1] * dt)
        self.lean = (self.lean[0] + self.speed[0] * dt, self.lean[1] + self.speed[1] * dt)
        angle = hypot(*self.lean)
        if angle > LIES:
            self.lean = (self.lean[0] * LIES / angle, self.lean[1] * LIES / angle)
        elif angle < QUIET and hypot(*self.speed) < QUIET:
            self.upright()


def _within(value: float) -> float:
    return min(max(value, -SHAKES), SHAKES)
