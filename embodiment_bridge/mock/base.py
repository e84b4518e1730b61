# SPDX-License-Identifier: Apache-2.0
"""The base of the robot on the floor: a disc that drives as it is told, as far as acceleration and obstacles let it."""

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
    """x, y m and yaw rad in ``map``; forward m/s, turn rad/s (+ left); acceleration m/s2 of the last step."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    forward: float = 0.0
    turn: float = 0.0
    acceleration: float = 0.0

    @property
    def velocity(self) -> tuple[float, float]:
        """m/s along x and y of ``map``."""
        return self.forward * cos(self.yaw), self.forward * sin(self.yaw)

    def drive(self, forward: float, turn: float, dt: float, obstacles: Iterable[Obstacle]) -> None:
        """Go on towards ``forward`` m/s and ``turn`` rad/s for ``dt`` s, a way of less than the radius."""
        if dt <= 0.0:
            return
        before = self.forward
        self.forward = _towards(self.forward, _within(forward, FASTEST), ACCELERATION * dt)
        self.turn = _towards(self.turn, _within(turn, FASTEST_TURN), TURN_ACCELERATION * dt)
        heading = self.yaw + 0.5 * self.turn * dt
        self.yaw = wrap_angle(self.yaw + self.turn * dt)
        dx, dy = self.forward * dt * cos(heading), self.forward * dt * sin(heading)
        if self.forward:
            x, y = slide((self.x, self.y), (self.x + dx, self.y + dy), RADIUS, obstacles)
            # What an obstacle took away is no speed any more.
            gone = (x - self.x) * cos(heading) + (y - self.y) * sin(heading)
            if abs(gone) < abs(self.forward) * dt:
                self.forward = gone / dt
            self.x, self.y = x, y
        self.acceleration = (self.forward - before) / dt


def _towards(value: float, goal: float, step: float) -> float:
    return value + _within(goal - value, step)


def _within(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
