# SPDX-License-Identifier: Apache-2.0
"""Turns until a thing is seen: the walk ``find`` of a body file."""

from dataclasses import replace
from math import atan2, copysign, pi

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.body.things import Things
from embodiment_bridge.core.units import wrap_angle
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand
from embodiment_bridge.motion.walking.targets import named, visible
from embodiment_bridge.motion.walking.walk_program import Pose, found

TURN = 0.6  # share of full turn speed: pictures come while it turns
ROUNDS = 1.25  # turns without the thing, after which it is not here
EXTRA_PATIENCE_S = 10.0


class Find:
    """Look ahead for ``look_s`` s, then turn round until one of the things with this id or kind is seen."""

    def __init__(self, limits: WalkLimits, name: str, things: Things, look_s: float) -> None:
        self._name, self._things, self._look_s = name, things, look_s
        self.done = self._seen()
        self.progress = 1.0 if self.done else 0.0
        self.failure = ""
        self.patience = ROUNDS * 4 * pi / (TURN * limits.turn) + look_s + EXTRA_PATIENCE_S
        self._elapsed = self._turned = 0.0
        self._last: Pose | None = None
        self._side = 0.0

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""
        self._elapsed += dt
        last, self._last = self._last or pose, replace(pose)
        self._turned += 0.0 if found(last, pose) else abs(pose.yaw - last.yaw)
        if self.done or self.failure:
            return STAND
        if self._seen():
            self.done, self.progress = True, 1.0
            return STAND
        if self._elapsed < self._look_s:
            return STAND
        self.progress = min(self._turned / (ROUNDS * 2 * pi), 0.99)
        if self._turned > ROUNDS * 2 * pi:
            self.failure = f"{self._name!r} is not seen all round"
            return STAND
        self._side = self._side or self._first_side(pose)
        return WalkCommand(True, 0.0, TURN * self._side)

    def _seen(self) -> bool:
        known = self._things()
        return any(visible(known[id_]) for id_ in named(self._name, known))

    def _first_side(self, pose: Pose) -> float:
        """The side (1: left) on which the thing is remembered; left for one that is not."""
        known = self._things()
        for id_ in named(self._name, known):
            x, y, _ = known[id_].position
            return copysign(1.0, wrap_angle(atan2(y - pose.y, x - pose.x) - pose.yaw))
        return 1.0
