# SPDX-License-Identifier: Apache-2.0
"""Steers a walk to a pose: forwards from afar, in any direction near it, and round a thing that is in the way."""

from collections.abc import Callable
from math import acos, atan2, copysign, cos, hypot, sin
from typing import TypeAlias

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.body.surroundings import Things
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.motion.gait.walk import TOGETHER, Pace, WalkCommand, within
from embodiment_bridge.motion.walking.walk_program import Pose

NEAR_M = 0.5  # nearer than this the body goes in any direction while it turns to face the wanted one
STAY_NEAR_M = 0.3  # so much further away it turns to the place again and walks forward
ANY_WAY_M = 1.5  # up to here it does so too where that is faster than to turn, go forwards, and turn again
STAY_ANY_WAY_S = 1.0  # s; it is kept while it is slower by less than this
AIM_RAD = 0.9  # with a larger heading error the body turns on the spot before it goes on
AIM_GAIN = 2.0  # 1/rad: full turn command at half a radian
BRAKE_S = 0.6  # near the place the body goes at most as fast as takes it there in this time
LEARN = 0.4  # share of full speed per s and m: what a gait that does not follow small commands needs more
LEARNT = 0.35  # at most so much
FILTER_S = 0.25  # s: the hips sway with each step
LAG_S, TURN_LAG_S = 0.25, 0.15  # s by which the filtered pose of a walking body is behind
PASSED_M = 0.1  # for a body that cannot go sideways, and may pass the place
OTHERS = "player"  # the kind of thing that other bodies are
OTHERS_M = 0.8  # kept from the middle of another body on the way
ROUND_STEP_RAD = 0.6  # rad; a body near the circle aims so far ahead on it

Way: TypeAlias = Callable[[Pose, Pose], tuple[float, float]]
"""Where to go next (x, y, m in map) on the way from the first pose to the second."""


def straight(_: Pose, goal: Pose) -> tuple[float, float]:
    """Return the goal itself."""
    return goal.x, goal.y


def way_round(x: float, y: float, radius: float) -> Way:
    """Return a way round a thing at (x, y) that keeps ``radius`` m from it, but for a goal that is nearer to it."""

    def way(here: Pose, goal: Pose) -> tuple[float, float]:
        side = atan2(goal.y - y, goal.x - x)
        off = wrap_angle(atan2(here.y - y, here.x - x) - side)
        away = hypot(here.x - x, here.y - y)
        seen = max(acos(radius / away) if away > radius else 0.0, ROUND_STEP_RAD)
        if abs(off) <= seen:
            return goal.x, goal.y
        next_off = side + off - copysign(seen, off)
        return x + radius * cos(next_off), y + radius * sin(next_off)

    return way


def others_of(things: Things) -> list[Pose]:
    """Return the poses of the other bodies that are known."""
    return [Pose(*thing.position[:2]) for thing in things().values() if thing.kind == OTHERS]


def past_others(things: Things, way: Way) -> Way:
    """Return the same way, but round the nearest of the other bodies that are known where it stands in that way."""

    def past(here: Pose, goal: Pose) -> tuple[float, float]:
        x, y = way(here, goal)
        others = others_of(things)
        if not others:
            return x, y
        other = min(others, key=lambda place: hypot(place.x - here.x, place.y - here.y))
        if hypot(other.x - here.x, other.y - here.y) > hypot(x - here.x, y - here.y) + OTHERS_M:
            return x, y
        return way_round(other.x, other.y, OTHERS_M)(here, Pose(x, y))

    return past


class Steering:
    """Computes the command towards a pose, cycle after cycle, for one walk.

    near: m from it, within which the body faces the wanted direction and goes in any. brake_s: near it the body goes
        at most as fast as takes it there in this time.
    """

    def __init__(self, limits: WalkLimits, near: float = NEAR_M, brake_s: float = BRAKE_S) -> None:
        self._limits = limits
        self._near_m = near
        self._mean: Pose | None = None
        self._here: Pose | None = None
        self._speed = [0.0, 0.0, 0.0]
        self._near = False
        self._learnt = [0.0, 0.0]
        # A fast body needs more than the last half metre to slow down.
        self._brake_s = limits.brake / limits.forward if limits.brake > NEAR_M else brake_s

    def filtered(self, pose: Pose, dt: float) -> Pose:
        """Return the pose without the sway of the steps."""
        mean = self._mean = self._mean or Pose(pose.x, pose.y, pose.yaw)
        share = min(dt / FILTER_S, 1.0)
        for axis, off in enumerate((pose.x - mean.x, pose.y - mean.y, pose.yaw - mean.yaw)):
            self._speed[axis] += share * (off / FILTER_S - self._speed[axis])
        mean.x += share * (pose.x - mean.x)
        mean.y += share * (pose.y - mean.y)
        mean.yaw += share * (pose.yaw - mean.yaw)
        self._here = mean
        return mean

    def foreseen(self, pose: Pose, walker: Pace, dt: float) -> Pose:
        """Return where the body would come to stand if it were told to stop now."""
        mean, limits = self.filtered(pose, dt), self._limits
        ahead = walker.forward * (limits.coast_forward if walker.forward > 0.0 else limits.coast_backward)
        aside, c, s = walker.left * limits.coast_left, cos(mean.yaw), sin(mean.yaw)
        self._here = Pose(
            mean.x + LAG_S * self._speed[0] + c * ahead - s * aside,
            mean.y + LAG_S * self._speed[1] + s * ahead + c * aside,
            mean.yaw + TURN_LAG_S * self._speed[2] + walker.turn * limits.coast_turn,
        )
        return self._here

    def command(self, goal: Pose, place: tuple[float, float], dt: float) -> WalkCommand:
        """Return the command to the pose ``goal`` by way of ``place`` (x, y), for ``dt`` s.

        From the pose that ``filtered`` or ``foreseen`` returned last.
        """
        here = self._here or goal
        left = hypot(goal.x - here.x, goal.y - here.y)
        dx, dy = place[0] - here.x, place[1] - here.y
        away, bearing = hypot(dx, dy), wrap_angle(atan2(dy, dx) - here.yaw)
        off = wrap_angle(goal.yaw - here.yaw)
        if not self._limits.left:
            self._near = left < self._near_m + (STAY_NEAR_M if self._near else 0.0)
            return self._without_sides(left, away, bearing, off)
        self._near = left < self._near_m + (STAY_NEAR_M if self._near else 0.0) or (
            left < ANY_WAY_M and place == (goal.x, goal.y) and self._any_way_is_faster(left, bearing, off)
        )
        if not self._near:
            return _go(self._far_share(left), bearing)
        return self._any_way(away * cos(bearing), away * sin(bearing), off, dt)

    def passed(self, left: float, bearing: float) -> bool:
        """Return whether a body that cannot go sideways is as near to the place, ``left`` m away, as it comes."""
        return left < (2.0 * PASSED_M if self._near and abs(bearing) > AIM_RAD else PASSED_M)

    def _far_share(self, left: float) -> float:
        """Return the share of full speed for a place ``left`` m away."""
        slows = self._limits.brake > NEAR_M
        return left / (self._brake_s * self._limits.forward) if slows else 1.0

    def _any_way_is_faster(self, left: float, bearing: float, off: float) -> bool:
        """Return whether to go any way is faster than to turn, go forwards and turn again; ``left`` m, and rad."""
        limits, ahead = self._limits, left * cos(bearing)
        full = limits.forward if ahead > 0.0 else limits.backward
        any_s = hypot(ahead / full, left * sin(bearing) / limits.left, off / limits.turn) / TOGETHER
        turns = abs(bearing) + abs(wrap_angle(off - bearing))
        return any_s < left / limits.forward + turns / limits.turn + (STAY_ANY_WAY_S if self._near else 0.0)

    def _any_way(self, ahead: float, aside: float, off: float, dt: float) -> WalkCommand:
        limits = self._limits
        speeds = ahead / self._brake_s, aside / self._brake_s
        full = limits.forward if ahead > 0.0 else limits.backward
        learn = LEARN * BRAKE_S / self._brake_s
        shares = [speeds[0] / full, speeds[1] / limits.left]
        for axis, way in enumerate((ahead, aside)):
            if max(abs(share) for share in shares) < 1.0:
                self._learnt[axis] = within(self._learnt[axis] + learn * way * dt, LEARNT * learn / LEARN)
            shares[axis] += self._learnt[axis]
        most = max(abs(shares[0]), abs(shares[1]), 1.0)
        return WalkCommand(True, shares[0] / most, within(AIM_GAIN * off, 1.0), shares[1] / most)

    def _without_sides(self, left: float, away: float, bearing: float, off: float) -> WalkCommand:
        """Return a walk forwards to the place, then a turn on the spot."""
        if self.passed(left, bearing):
            return WalkCommand(True, 0.0, within(AIM_GAIN * off, 1.0))
        return _go(min(away / (BRAKE_S * self._limits.forward), 1.0), bearing)


def _go(share: float, bearing: float) -> WalkCommand:
    """Forward at ``share`` of full speed while turning to ``bearing`` (rad), or a turn first if that is far."""
    share, turn = min(share, 1.0), within(AIM_GAIN * bearing, 1.0)
    slow = max(cos(bearing), 0.0) ** 2 if abs(bearing) < AIM_RAD else 0.0
    return WalkCommand(True, max(share, 0.35) * slow, turn)
