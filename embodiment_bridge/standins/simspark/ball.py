# SPDX-License-Identifier: Apache-2.0
"""The ball of the stand-in: it rolls, bounces off the ground, and is pushed by feet."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import hypot
from typing import Final

from embodiment_bridge.standins.simspark.anatomy import Pose, Vector, add, apply, subtract, transposed
from embodiment_bridge.standins.simspark.balance import GRAVITY
from embodiment_bridge.standins.simspark.field import BALL_RADIUS
from embodiment_bridge.standins.simspark.player import FEET, Player

FRICTION: Final = 0.4  # 1/s
BOUNCE: Final = 0.6
FOOT: Final = (0.04, 0.08, 0.01)  # m: half of its width, length and height
REACH: Final = 0.6  # m from a torso, within which its feet may touch the ball
FASTEST: Final = 10.0  # m/s: a foot that is faster was put there by a beam or a trainer


@dataclass(slots=True)
class Ball:
    """place: m; speed: m/s."""

    place: Vector = (0.0, 0.0, BALL_RADIUS)
    speed: Vector = (0.0, 0.0, 0.0)
    _feet: dict[tuple[int, str], Pose] = field(default_factory=dict)  # that are near, as they were

    def step(self, players: Iterable[Player], dt: float) -> None:
        """Advance by ``dt`` s among players that have moved for as long."""
        self._push(players, dt)
        (x, y, z), (vx, vy, vz) = self.place, self.speed
        rolls = z <= BALL_RADIUS and abs(vz) < 0.1
        keep = max(1.0 - FRICTION * dt, 0.0) if rolls else 1.0
        vx, vy, vz = vx * keep, vy * keep, 0.0 if rolls else vz - GRAVITY * dt
        x, y, z = x + vx * dt, y + vy * dt, z + vz * dt
        if z < BALL_RADIUS:
            z, vz = BALL_RADIUS, -BOUNCE * vz
        self.place, self.speed = (x, y, z), (vx, vy, vz)

    def _push(self, players: Iterable[Player], dt: float) -> None:
        before, self._feet = self._feet, {}
        for player in players:
            away = subtract(self.place, player.place)
            if hypot(away[0], away[1]) > REACH:
                continue
            parts = player.parts_in_world()
            for name in FEET:
                foot = self._feet[id(player), name] = parts[name]
                self._touch(foot, before.get((id(player), name), foot), dt)

    def _touch(self, foot: Pose, before: Pose, dt: float) -> None:
        """Give way to a foot that was at ``before``, and roll on as fast as it goes in that direction at least."""
        centre = apply(transposed(foot.turn), subtract(self.place, foot.place))
        nearest = tuple(min(max(c, -half), half) for c, half in zip(centre, FOOT, strict=True))
        point = (nearest[0], nearest[1], nearest[2])
        x, y, _ = apply(foot.turn, subtract(centre, point))
        gap = hypot(*subtract(centre, point))
        level = hypot(x, y)
        if gap >= BALL_RADIUS or not level:
            return
        x, y = x / level, y / level
        self.place = add(self.place, ((BALL_RADIUS - gap) * x, (BALL_RADIUS - gap) * y, 0.0))
        if hypot(*subtract(foot.place, before.place)) > FASTEST * dt:  # it was put there
            return
        there = add(foot.place, apply(foot.turn, point))
        was = add(before.place, apply(before.turn, point))
        push = ((there[0] - was[0]) * x + (there[1] - was[1]) * y) / dt
        more = push - (self.speed[0] * x + self.speed[1] * y)
        if more > 0.0:
            self.speed = add(self.speed, (more * x, more * y, 0.0))
