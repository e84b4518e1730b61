# SPDX-License-Identifier: Apache-2.0
"""A ball that rolls, bounces, falls and can be held in the hand. Lengths in m, times in s."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import hypot
from typing import NamedTuple

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.mock.obstacles import Obstacle, is_free, pushed_out

RADIUS = 0.08
SLOWING = 0.4  # m/s2, deceleration by rolling friction
BOUNCE = 0.6  # share of the speed that is left after a wall
GRAVITY = 9.81
FASTEST = 5.0  # m/s


class Mover(NamedTuple):
    """An obstacle that moves at (vx, vy) m/s."""

    obstacle: Obstacle
    vx: float = 0.0
    vy: float = 0.0


@dataclass(slots=True)
class Ball:
    """Position (of the centre, in ``map``) and velocity of the ball; ``held``: it is in the hand of the robot."""

    x: float
    y: float
    z: float = RADIUS
    vx: float = 0.0
    vy: float = 0.0
    vz: float = field(default=0.0)
    held: bool = False

    @property
    def place(self) -> Vector:
        """The position of the centre, m in ``map``."""
        return self.x, self.y, self.z

    @property
    def speed(self) -> float:
        """The speed over the floor, m/s."""
        return hypot(self.vx, self.vy)

    def take(self) -> None:
        """Put the ball into the hand."""
        self.held = True
        self.vx = self.vy = self.vz = 0.0

    def carry(self, place: Vector) -> None:
        """Move the ball with the hand that holds it to ``place``."""
        self.x, self.y, self.z = place

    def let_go(self, x: float, y: float) -> None:
        """Release the ball over a free place of the floor."""
        self.held = False
        self.x, self.y, self.z = x, y, max(self.z, RADIUS)

    def hit(self, vx: float, vy: float) -> None:
        """Set the velocity, limited to ``FASTEST``."""
        share = min(1.0, FASTEST / max(hypot(vx, vy), 1e-9))
        self.vx, self.vy = vx * share, vy * share

    def step(self, dt: float, walls: Iterable[Obstacle], movers: Iterable[Mover]) -> None:
        """Let ``dt`` s pass; the ball must roll less than its radius in this time."""
        if self.held:
            return
        self._fall(dt)
        walls, movers = tuple(walls), tuple(movers)
        if not self.speed and not any(m.obstacle.overlap((self.x, self.y), RADIUS)[0] > 0.0 for m in movers):
            return
        before = (self.x, self.y)
        self.x, self.y = self.x + self.vx * dt, self.y + self.vy * dt
        slower = max(1.0 - SLOWING * dt / self.speed, 0.0) if self.speed > 0.0 else 0.0
        self.vx, self.vy = self.vx * slower, self.vy * slower
        for mover in (*movers, *map(Mover, walls)):
            self._bounce(mover)
        # Walls come last, so that nothing can push the ball into them.
        self.x, self.y = pushed_out((self.x, self.y), RADIUS, walls)
        if not is_free((self.x, self.y), RADIUS, walls):
            self.x, self.y = before
            self.vx = self.vy = 0.0

    def _fall(self, dt: float) -> None:
        if self.z <= RADIUS:
            return
        self.vz -= GRAVITY * dt
        self.z += self.vz * dt
        if self.z <= RADIUS:
            self.z, self.vz = RADIUS, 0.0

    def _bounce(self, mover: Mover) -> None:
        depth, (nx, ny) = mover.obstacle.overlap((self.x, self.y), RADIUS)
        if depth <= 0.0:
            return
        self.x, self.y = self.x + depth * nx, self.y + depth * ny
        towards = (self.vx - mover.vx) * nx + (self.vy - mover.vy) * ny
        if towards < 0.0:
            self.hit(self.vx - (1.0 + BOUNCE) * towards * nx, self.vy - (1.0 + BOUNCE) * towards * ny)
