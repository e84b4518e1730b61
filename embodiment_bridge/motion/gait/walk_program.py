# SPDX-License-Identifier: Apache-2.0
"""Walk programs: the command of a walking skill in each cycle, with feedback from the sensed pose of the hips."""

from dataclasses import dataclass
from math import copysign, cos, inf, sin
from typing import Protocol

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand

HEADING_GAIN = 2.5  # 1/rad: full turn command at an error of 0.4 rad
HEADING_FILTER_S = 0.3  # s: the hips turn to and fro with each step
LINE_GAIN = 1.5  # rad/m: how much to head back to the line
HEADING_LIMIT = 0.4  # rad: steepest way back to the line
CORRECTION_LIMIT = 0.6  # share of full turn that keeping the heading may use
LEAST_SHARE = 0.3  # of the speed, at the end of the way
LEAST_COMMAND = 0.02  # share of full speed below which a velocity command means standing
SLOWEST = 0.25  # share of full speed, for the time limit: a slower body does not arrive
EXTRA_PATIENCE_S = 4.0  # s for starting and for short ways


@dataclass(slots=True)
class Pose:
    """The pose of the hips in ``map``: m, rad, yaw continuous."""

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0


class Program(Protocol):
    """Gives a command per cycle until it is ``done``, then STAND.

    progress: 0..1; patience: s after which the program has failed if it is not done.
    """

    done: bool
    progress: float
    patience: float

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""


class Walk:
    """Walk straight (keeping to the line) or along a curve until distance or duration is used up.

    Args:
        limits: of the gait.
        forward: -1..1, share of full speed.
        turn: -1..1, share of full turn speed; 0 keeps the heading at the start.
        distance: m; inf: without end.
        duration: s; inf: without end.
    """

    def __init__(
        self,
        limits: WalkLimits,
        forward: float,
        turn: float = 0.0,
        distance: float = inf,
        duration: float = inf,
    ) -> None:
        self.done = False
        self.progress = 0.0
        full = limits.forward if forward > 0.0 else limits.backward
        slowest = SLOWEST * max(abs(forward) * full, 0.01)
        self.patience = distance / slowest + EXTRA_PATIENCE_S if duration == inf else inf
        self._coast = limits.coast_forward if forward > 0.0 else limits.coast_backward
        self._coast_time = 1.0 / limits.amplitude_rate
        self._brake = limits.brake
        self._forward, self._turn = forward, turn
        self._distance, self._duration = distance, duration
        self._elapsed = self._way = self._off = 0.0
        self._start: Pose | None = None
        self._last: Pose | None = None

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""
        start = self._start = self._start or Pose(pose.x, pose.y, pose.yaw)
        last, self._last = self._last or start, Pose(pose.x, pose.y, pose.yaw)
        self._elapsed += dt
        # On a curve the way is summed up along the heading, so that the sway from foot to foot cancels out.
        self._way += _ahead(last, pose, pose.yaw)[0] if self._turn else 0.0
        ahead, left = _ahead(start, pose, start.yaw)
        along = copysign(1.0, self._forward) * (self._way if self._turn else ahead)
        remaining = self._distance - along
        self.progress = max(self.progress, along / self._distance, self._elapsed / self._duration)
        near_enough = remaining <= self._coast * abs(walker.forward)
        self.done = self.done or near_enough or self._elapsed >= self._duration - self._coast_time
        if self.done:
            return STAND
        self._off += (pose.yaw - start.yaw - self._off) * min(dt / HEADING_FILTER_S, 1.0)
        share = min(max(remaining / self._brake, LEAST_SHARE), 1.0)
        return WalkCommand(True, share * self._forward, self._turn or self._correction(left, self._off))

    def _correction(self, left: float, yaw: float) -> float:
        back = _clamp(-LINE_GAIN * left, HEADING_LIMIT) * self._forward
        return _clamp(HEADING_GAIN * (back - yaw), CORRECTION_LIMIT)


class Turn:
    """Turn on the spot by ``angle`` rad, + left."""

    def __init__(self, limits: WalkLimits, angle: float) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = abs(angle) / (SLOWEST * limits.turn) + EXTRA_PATIENCE_S
        self._limits = limits
        self._angle = angle
        self._start: float | None = None

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""
        if self._start is None:
            self._start = pose.yaw
        sign = copysign(1.0, self._angle)
        turned, goal = sign * (pose.yaw - self._start), abs(self._angle)
        self.progress = max(self.progress, turned / goal)
        if goal - turned <= self._limits.coast_turn * abs(walker.turn):
            self.done = True
        return STAND if self.done else WalkCommand(True, 0.0, sign)


class Twist:
    """Step in place for about ``duration`` s and turn to the left, to the right, and back."""

    def __init__(self, limits: WalkLimits, duration: float) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = inf
        self._duration = max(duration - 1.0 / limits.amplitude_rate, 0.02)
        self._coast = limits.coast_turn
        self._elapsed = 0.0
        self._start: float | None = None

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""
        if self._start is None:
            self._start = pose.yaw
        self._elapsed += dt
        part = self._elapsed / self._duration
        self.progress = min(part, 1.0)
        off = pose.yaw + self._coast * walker.turn - self._start
        # The turn back may take up to half of the duration longer.
        self.done = self.done or part >= 1.5 or (part >= 0.75 and off >= 0.0)
        if self.done:
            return STAND
        return WalkCommand(True, 0.0, 1.0 if part < 0.25 or part >= 0.75 else -1.0)


class Velocity:
    """Walk at a commanded velocity until it times out."""

    def __init__(self) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = inf
        self._command = STAND
        self._left_s = 0.0

    def set(self, forward: float, turn: float, timeout: float) -> None:
        """Walk at these shares of full speed (-1..1) for ``timeout`` s."""
        stepping = max(abs(forward), abs(turn)) > LEAST_COMMAND
        self._command = WalkCommand(True, forward, turn) if stepping else STAND
        self._left_s = timeout

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """The command for the next ``dt`` s."""
        self._left_s -= dt
        self.done = self.done or self._left_s <= 0.0
        return STAND if self.done else self._command


def _ahead(start: Pose, end: Pose, yaw: float) -> tuple[float, float]:
    """The way (m) forward and left from ``start`` to ``end``, for the heading ``yaw``."""
    dx, dy, c, s = end.x - start.x, end.y - start.y, cos(yaw), sin(yaw)
    return c * dx + s * dy, c * dy - s * dx


def _clamp(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
