# SPDX-License-Identifier: Apache-2.0
"""The base of the robot: a disc that follows velocity commands within its acceleration and around obstacles."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, sin

from embodiment_bridge.core.units import wrap_angle
from embodiment_bridge.mock.obstacles import Obstacle, slide

RADIUS = 0.18  # m
ACCELERATION = 4.0  # m/s2
TURN_ACCELERATION = 20.0  # rad/s2
FASTEST = 2.0  # m/s
FASTEST_TURN = 6.0  # rad/s


@dataclass(slots=True)
class Base:
    """x, y m and yaw rad in ``map``; forward, left m/s, turn rad/s (+ left); acceleration m/s2 of the last step."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    forward: float = 0.0
    turn: float = 0.0
    acceleration: float = 0.0
    left: float = 0.0

    @property
    def velocity(self) -> tuple[float, float]:
        """The velocity along x and y of ``map``, m/s."""
        c, s = cos(self.yaw), sin(self.yaw)
        return self.forward * c - self.left * s, self.forward * s + self.left * c

    def drive(
        self, forward: float, turn: float, dt: float, obstacles: Iterable[Obstacle], left: float = 0.0
    ) -> None:
        """Accelerate towards ``forward``, ``left`` m/s and ``turn`` rad/s for ``dt`` s.

        The way must be less than the radius.
        """
        if dt <= 0.0:
            return
        before = self.forward
        self.forward = _towards(self.forward, _within(forward, FASTEST), ACCELERATION * dt)
        self.left = _towards(self.left, _within(left, FASTEST), ACCELERATION * dt)
        self.turn = _towards(self.turn, _within(turn, FASTEST_TURN), TURN_ACCELERATION * dt)
        heading = self.yaw + 0.5 * self.turn * dt
        self.yaw = wrap_angle(self.yaw + self.turn * dt)
        if self.forward or self.left:
            c, s = cos(heading), sin(heading)
            dx, dy = (self.forward * c - self.left * s) * dt, (self.forward * s + self.left * c) * dt
            x, y = slide((self.x, self.y), (self.x + dx, self.y + dy), RADIUS, obstacles)
            # An obstacle reduces the speed to what was really driven.
            gone, aside = (x - self.x) * c + (y - self.y) * s, (y - self.y) * c - (x - self.x) * s
            if abs(gone) < abs(self.forward) * dt:
                self.forward = gone / dt
            if abs(aside) < abs(self.left) * dt:
                self.left = aside / dt
            self.x, self.y = x, y
        self.acceleration = (self.forward - before) / dt


def _towards(value: float, goal: float, step: float) -> float:
    return value + _within(goal - value, step)


def _within(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
