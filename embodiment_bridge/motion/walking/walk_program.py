# SPDX-License-Identifier: Apache-2.0
"""Walk programs: the command of a walking skill in each cycle, with feedback from the pose of the hips."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import atan2, copysign, cos, hypot, inf, pi, sin

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand, within
from embodiment_bridge.motion.joints.sensing import Sensed

HEADING_GAIN = 2.5  # 1/rad: full turn command at an error of 0.4 rad
HEADING_FILTER_S = 0.3  # s: the hips turn to and fro with each step
LINE_GAIN = 1.5  # rad/m: how much to head back to the line
SIDE_LINE_GAIN = 2.0  # share of full speed per m beside the line of a walk to the side
PLACE_GAIN = 4.0  # share of full speed per m off the place of a turn
HEADING_LIMIT = 0.4  # rad: steepest way back to the line
CORRECTION_LIMIT = 0.6  # share of full turn that keeping the heading may use
LEAST_SHARE = 0.3  # share of the speed at the end of the way
LEAST_TURN = 0.4  # share of full speed, at the end of a turn
SLOWEST = 0.25  # share of full speed, for the time limit: a slower body does not arrive
EXTRA_PATIENCE_S = 4.0  # s for starting and for short ways


@dataclass(slots=True)
class Pose:
    """Holds the pose of the hips in ``map``: m, rad, yaw continuous.

    reckoned: from the commands alone, as the body does not know where it is; then all three jump once it does.
    """

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    reckoned: bool = False


class Program(ABC):
    """Gives a command per cycle until it is ``done``, then STAND; for a gait with these limits.

    progress: 0..1; patience: s after which the program has failed if it is not done; failure: why it cannot be done,
    empty if it can.
    """

    def __init__(self, limits: WalkLimits, patience: float = inf) -> None:
        self.done = False
        self.progress = 0.0
        self.patience = patience
        self.failure = ""
        self._limits = limits
        self._start: Pose | None = None
        self._last: Pose | None = None

    def _poses(self, pose: Pose) -> tuple[Pose, Pose]:
        """Return the poses at the start (moved with the localisation) and before ``pose``."""
        last, self._last = self._last or pose, replace(pose)
        self._start = carried(self._start or replace(pose), last, pose)
        return self._start, last

    def _finish(self) -> WalkCommand:
        self.done, self.progress = True, 1.0
        return STAND

    @abstractmethod
    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""


class Walk(Program):
    """Walks straight (keeping to the line) or along a curve until distance or duration is used up.

    Args:
        limits: of the gait.
        forward: -1..1, share of full speed.
        left: -1..1, share of full speed to the side.
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
        left: float = 0.0,
    ) -> None:
        super().__init__(limits)
        self.done = not (distance and duration)  # a walk of no length is over
        self.progress = float(self.done)
        full = limits.forward if forward > 0.0 else limits.backward
        ahead, aside = forward * full, left * limits.left
        self._bearing = atan2(aside, ahead) if left else 0.0 if forward >= 0.0 else pi
        if duration == inf:
            self.patience = distance / (SLOWEST * max(hypot(ahead, aside), 0.01)) + EXTRA_PATIENCE_S
        self._coast = limits.coast_forward if forward > 0.0 else limits.coast_backward
        self._coast_left = limits.coast_left
        # A walk that is shorter than its end would otherwise be over before it began.
        self._coast_time = min(1.0 / limits.amplitude_rate, 0.5 * duration)
        self._brake = limits.brake
        self._forward, self._turn, self._left = forward, turn, left
        self._distance, self._duration = distance, duration
        self._elapsed = self._way = self._off = 0.0

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""
        if self.done:
            return STAND
        start, last = self._poses(pose)
        self._elapsed += dt
        # On a curve the way is summed up along the heading, so that the sway from foot to foot cancels out.
        if self._turn and not found(last, pose):
            self._way += way(last, pose, pose.yaw + self._bearing)[0]
        ahead, across = way(start, pose, start.yaw + self._bearing)
        along = self._way if self._turn else ahead
        remaining = self._distance - along
        self.progress = max(self.progress, along / self._distance, self._elapsed / self._duration)
        self.done = remaining <= self._coasts(walker) or self._elapsed >= self._duration - self._coast_time
        if self.done:
            return STAND
        self._off += (pose.yaw - start.yaw - self._off) * min(dt / HEADING_FILTER_S, 1.0)
        share = min(max(remaining / self._brake, LEAST_SHARE), 1.0)
        if not self._left:
            turn = self._turn or self._heading(
                within(-LINE_GAIN * across, HEADING_LIMIT) * abs(self._forward)
            )
            return WalkCommand(True, share * self._forward, turn)
        # To the side the body keeps its heading, and goes back to the line by its speed across it; a curve has none.
        back = 0.0 if self._turn else within(-SIDE_LINE_GAIN * across, CORRECTION_LIMIT)
        forward = share * self._forward - back * sin(self._bearing)
        left = share * self._left + back * cos(self._bearing)
        return WalkCommand(True, within(forward, 1.0), self._turn or self._heading(0.0), within(left, 1.0))

    def _coasts(self, walker: Pace) -> float:
        """Return how far along its way the body still goes when it is told to stop now, m."""
        ahead, aside = self._coast * walker.forward, self._coast_left * walker.left
        return ahead * cos(self._bearing) + aside * sin(self._bearing)

    def _heading(self, back: float) -> float:
        return within(HEADING_GAIN * (back - self._off), CORRECTION_LIMIT)


class Turn(Program):
    """Turns on the spot by ``angle`` rad, + left, slower towards the end where the body has a ``brake_turn``.

    A body that can go sideways is kept on the spot.
    """

    def __init__(self, limits: WalkLimits, angle: float) -> None:
        super().__init__(limits, abs(angle) / (SLOWEST * limits.turn) + EXTRA_PATIENCE_S)
        self.done = not angle
        self.progress = float(self.done)
        self._angle = angle

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""
        if self.done:
            return STAND
        start, _ = self._poses(pose)
        sign = copysign(1.0, self._angle)
        turned, goal = sign * (pose.yaw - start.yaw), abs(self._angle)
        self.progress = max(self.progress, turned / goal)
        if goal - turned <= self._limits.coast_turn * sign * walker.turn:
            self.done = True
        if self.done:
            return STAND
        brake = self._limits.brake_turn
        turn = sign * (min(max((goal - turned) / brake, LEAST_TURN), 1.0) if brake else 1.0)
        if not self._limits.left:
            return WalkCommand(True, 0.0, turn)
        ahead, left = (within(PLACE_GAIN * off, CORRECTION_LIMIT) for off in way(pose, start, pose.yaw))
        return WalkCommand(True, ahead, turn, left)


class Twist(Program):
    """Steps in place for about ``duration`` s and turns to the left, to the right, and back."""

    def __init__(self, limits: WalkLimits, duration: float) -> None:
        super().__init__(limits)
        self._duration = max(duration - 1.0 / limits.amplitude_rate, 0.02)
        self._coast = limits.coast_turn
        self._elapsed = 0.0

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""
        start, _ = self._poses(pose)
        self._elapsed += dt
        part = self._elapsed / self._duration
        self.progress = min(part, 1.0)
        off = pose.yaw + self._coast * walker.turn - start.yaw
        # The turn back may take up to half of the duration longer.
        self.done = self.done or part >= 1.5 or (part >= 0.75 and off >= 0.0)
        if self.done:
            return STAND
        return WalkCommand(True, 0.0, 1.0 if part < 0.25 or part >= 0.75 else -1.0)


def found(last: Pose, pose: Pose) -> bool:
    """Return whether the body has just been localised, so that the way since ``last`` is not one that it walked."""
    return last.reckoned and not pose.reckoned


def carried(start: Pose, last: Pose, pose: Pose) -> Pose:
    """Return ``start`` moved with the localisation: it lies to ``pose`` as it lay to ``last``."""
    if not found(last, pose):
        return start
    ahead, left = way(last, start, last.yaw)
    c, s = cos(pose.yaw), sin(pose.yaw)
    yaw = start.yaw + pose.yaw - last.yaw
    return Pose(pose.x + c * ahead - s * left, pose.y + s * ahead + c * left, yaw)


def way(start: Pose, end: Pose, yaw: float) -> tuple[float, float]:
    """Return the way (m) forward and left from ``start`` to ``end``, for the heading ``yaw``."""
    dx, dy, c, s = end.x - start.x, end.y - start.y, cos(yaw), sin(yaw)
    return c * dx + s * dy, c * dy - s * dx


def follow(pose: Pose, sensed: Sensed, yaw: float, pace: Pace, dt: float) -> None:
    """Update ``pose`` by ``dt`` s; ``yaw`` (rad): of the hips, used while the base is sensed."""
    pose.reckoned = not sensed.base_fresh
    if sensed.base_fresh:
        pose.x, pose.y, pose.yaw = sensed.x, sensed.y, yaw
        return
    forward, left, turn = pace.velocity
    move(pose, forward, left, turn, dt)


def move(pose: Pose, forward: float, left: float, turn: float, dt: float) -> None:
    """Move ``pose`` at ``forward`` and ``left`` m/s and ``turn`` rad/s for ``dt`` s."""
    pose.yaw += turn * dt
    c, s = cos(pose.yaw), sin(pose.yaw)
    pose.x += (forward * c - left * s) * dt
    pose.y += (forward * s + left * c) * dt
