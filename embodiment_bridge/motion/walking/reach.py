# SPDX-License-Identifier: Apache-2.0
"""Walks to a place and faces a direction there."""

from math import atan2, hypot, pi

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.body.things import Things, no_things
from embodiment_bridge.core.units import wrap_angle
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand
from embodiment_bridge.motion.walking.steering import BRAKE_S, Steering, Way, past_others, straight
from embodiment_bridge.motion.walking.walk_program import Pose

ARRIVED_M = 0.04  # mean distance at which the body stops
ARRIVED_RAD = 0.05
KEPT_M = 0.06  # a body that stands further away than this takes up its way again
KEPT_RAD = 0.08
FORESEEN_BRAKE_S = 0.3  # s in which a body is to be there that knows where it would come to stand
CALM_S = 0.2  # s of standing after which a foreseen pose counts
FILTERED_CALM_S = 0.4  # the same of a filtered pose, which comes later
TRIES = 4  # of a body that cannot go sideways: it would circle about a place that it cannot hit
SPEED_SHARE = 0.25  # of full speed, for the time limit: a slower body does not arrive
EXTRA_PATIENCE_S = 12.0


class Reach:
    """Walk to (x, y) in ``map`` and face ``yaw`` there; m, rad.

    A far place is walked to forwards. Near it a body that can go sideways goes in any direction while it turns to
    ``yaw``. It has arrived when it stands at the place; one that came to stand beside it goes on.
    The way is straight, or the given one, but round the other bodies among ``things``; other obstacles are not avoided.
    """

    def __init__(
        self,
        limits: WalkLimits,
        x: float,
        y: float,
        yaw: float,
        things: Things = no_things,
        way: Way = straight,
    ) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = EXTRA_PATIENCE_S
        self.failure = ""
        self._limits = limits
        self._goal = Pose(x, y, yaw)
        self._way = past_others(things, way)
        self._steering = Steering(limits, brake_s=FORESEEN_BRAKE_S if limits.left else BRAKE_S)
        self._distance = 0.0
        self._waiting = False
        self._stood_s = 0.0
        self._tries = 0

    def change(self, x: float, y: float, yaw: float) -> None:
        """Go to another pose nearby (m, rad); what was filtered and learnt on the way stays."""
        self._goal = Pose(x, y, yaw)

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""
        goal, sides = self._goal, bool(self._limits.left)
        here = self._steering.foreseen(pose, walker, dt) if sides else self._steering.filtered(pose, dt)
        dx, dy = goal.x - here.x, goal.y - here.y
        left, off = hypot(dx, dy), wrap_angle(goal.yaw - here.yaw)
        if not self._distance:
            self._distance = max(left, ARRIVED_M)
            self.patience += left / (SPEED_SHARE * self._limits.forward) + 4 * pi / self._limits.turn
        self.progress = max(self.progress, min(1.0 - left / self._distance, 0.99))
        if self._waiting:
            self._wait(left, abs(off), walker, dt)
            return STAND
        coast = 0.0 if sides else self._limits.coast_turn * walker.turn
        there = left < ARRIVED_M and abs(off - coast) < ARRIVED_RAD
        if not there and not sides and abs(off) < ARRIVED_RAD:
            there = self._steering.passed(left, wrap_angle(atan2(dy, dx) - here.yaw))
        if there:
            self._waiting, self._stood_s = True, 0.0
            return STAND
        return self._steering.command(goal, self._way(here, goal), dt)

    def _wait(self, left: float, off: float, walker: Pace, dt: float) -> None:
        """Stand, and see where the body came to stand."""
        self._stood_s = self._stood_s + dt if walker.standing else 0.0
        if self._stood_s < (CALM_S if self._limits.left else FILTERED_CALM_S):
            return
        self._tries += 1
        there = left < KEPT_M and off < KEPT_RAD
        if there or (not self._limits.left and self._tries >= TRIES):
            self.done, self.progress = True, 1.0
        self._waiting = False
