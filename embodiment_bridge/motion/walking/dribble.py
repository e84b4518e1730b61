# SPDX-License-Identifier: Apache-2.0
"""Pushes a ball along by walking into it: the walk ``dribble`` of a body file."""

from math import atan2, cos, hypot, sin

from embodiment_bridge.body.description import Skill, WalkLimits
from embodiment_bridge.body.surroundings import Things
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand, within
from embodiment_bridge.motion.walking.steering import Steering, past_others, way_round
from embodiment_bridge.motion.walking.targets import BALL, Ball, Spot, Target, Values, target_of
from embodiment_bridge.motion.walking.walk_program import Pose, Program, way

DISTANCE_M = 0.5  # from the target: near enough
BEHIND_M = 0.38  # m of the body behind the middle of the ball before it pushes
ROUND_M = 0.5  # kept from the ball on the way behind it
BEGIN_M, BEGIN_RAD = 0.12, 0.3  # errors behind the ball with which it pushes
OFF_M, OFF_RAD = 0.2, 0.6  # errors with which it goes behind the ball again
PUSH = 0.75  # share of full speed
LINE_GAIN = 4.0  # share of full speed to the side per m beside the ball
AIM_GAIN = 2.0  # 1/rad
S_PER_M = 12.0  # s that a metre may take
EXTRA_PATIENCE_S = 40.0


class Dribble(Program):
    """Goes behind the ball on the line to the target, pushes it on, and goes behind it again when it rolls away."""

    def __init__(self, limits: WalkLimits, ball: Ball, target: Target | Spot, distance: float) -> None:
        super().__init__(limits, EXTRA_PATIENCE_S)
        self._ball, self._target, self._enough = ball, target, distance
        self._steering = Steering(limits)
        self._pushing = False
        self._way = 0.0

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""
        here = self._steering.filtered(pose, dt)
        ball = self._ball.watch(here, dt)
        if ball is None:
            self.failure = self._ball.lost
            return STAND
        (x, y, _), (to_x, to_y) = ball.position, self._target.last(here)
        left = max(hypot(to_x - x, to_y - y) - self._enough, 0.0)
        if not self._way:
            self._way = max(left, 0.01)
            self.patience += S_PER_M * (left + hypot(x - here.x, y - here.y))
        self.progress = max(self.progress, min(1.0 - left / self._way, 0.99))
        if not left:
            return self._finish()
        yaw = atan2(to_y - y, to_x - x)
        ahead, aside = way(here, Pose(x, y), yaw)
        off = wrap_angle(yaw - here.yaw)
        self._pushing = self._is_behind(ahead, aside, off)
        if self._pushing:
            sideways = within(LINE_GAIN * aside, 0.8) if self._limits.left else 0.0
            turn = off if self._limits.left else off + LINE_GAIN * aside
            return WalkCommand(True, PUSH, within(AIM_GAIN * turn, 1.0), sideways)
        goal = Pose(x - BEHIND_M * cos(yaw), y - BEHIND_M * sin(yaw), yaw)
        way_there = past_others(self._ball.things, way_round(x, y, ROUND_M))
        return self._steering.command(goal, way_there(here, goal), dt)

    def _is_behind(self, ahead: float, aside: float, off: float) -> bool:
        """Return whether to push: the ball is ``ahead``, ``aside`` (m, + left) of the body, which is ``off`` (rad)."""
        limits = (OFF_M, OFF_RAD) if self._pushing else (BEGIN_M, BEGIN_RAD)
        return ahead > 0.0 and abs(aside) < limits[0] and abs(off) < limits[1]


def dribble(skill: Skill, values: Values, limits: WalkLimits, things: Things) -> Dribble:
    """Return the program of a skill of walk ``dribble``.

    Args:
        skill: for the text of errors.
        values: ``to``, a thing, or x and y (m) in ``map``; ``distance`` (m) from there that is near enough;
            ``thing``: the ball.
        limits: of the gait.
        things: that are known.

    Raises:
        CommandError: neither or both places are given, or a thing is not known.
    """
    target = target_of(skill.name, values, "to", things)
    if target is None:
        raise CommandError(f"skill {skill.name!r}: give to, or x and y")
    ball = Ball(str(values.get("thing", BALL)), things)
    return Dribble(limits, ball, target, float(values.get("distance", DISTANCE_M)))
