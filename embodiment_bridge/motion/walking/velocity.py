# SPDX-License-Identifier: Apache-2.0
"""Walks at a commanded velocity, corrected by the sensed pose."""

from math import cos, sin

from embodiment_bridge.body.description import WalkLimits
from embodiment_bridge.motion.gait.walk import STAND, Pace, WalkCommand, within
from embodiment_bridge.motion.walking.walk_program import Pose, Program, move, way

LEAST_COMMAND = 0.02  # share of full speed up to which a velocity command means standing
FILTER_S = 0.3  # s: the hips sway with each step
LEAD_M = 0.12  # the body is never asked to make up more than this: a robot that was pushed does not run back
LEAD_RAD = 0.3
SPEED_GAIN = 2.5  # 1/s: speed for each m that the body is behind
TURN_GAIN = 2.0  # 1/s
LINE_GAIN = 1.5  # rad/m: how much a body that cannot go sideways heads back to where it should be
CORRECTION = 0.5  # share of full speed that corrections may use


class Velocity(Program):
    """Walks at a commanded velocity until it times out.

    A wanted pose moves on at the commanded velocity, as fast as the ramps of the gait allow, and the body is steered
    after it. So the mean speed is the commanded one also where the gait alone would be slower, and a straight walk
    stays straight.
    """

    def __init__(self, limits: WalkLimits) -> None:
        super().__init__(limits)
        self._command = STAND
        self._left_s = 0.0
        self._nominal = Pace(limits)
        self._wanted: Pose | None = None
        self._off = [0.0, 0.0, 0.0]

    def set(self, command: WalkCommand, timeout: float) -> None:
        """Walk as commanded for ``timeout`` s."""
        self._command = command if command.length > LEAST_COMMAND else STAND
        self._left_s = timeout

    def pass_time(self, dt: float) -> None:
        """Let ``dt`` s pass, also while the body is held or straightens up and does not ask for a command."""
        self._left_s -= dt
        self.done = self.done or self._left_s <= 0.0

    def step(self, pose: Pose, walker: Pace, dt: float) -> WalkCommand:
        """Return the command for the next ``dt`` s."""
        if self.done or not self._command.stepping:
            self._wanted = None
            return STAND
        if self._wanted is None:
            self._begin(pose, walker)
        return self._steered(self._errors(pose, dt))

    def _begin(self, pose: Pose, walker: Pace) -> None:
        self._wanted = Pose(pose.x, pose.y, pose.yaw)
        self._off = [0.0, 0.0, 0.0]
        nominal = self._nominal
        nominal.forward, nominal.turn, nominal.left = walker.forward, walker.turn, walker.left

    def _errors(self, pose: Pose, dt: float) -> tuple[float, float, float]:
        """Return how far the body is behind the wanted pose: m forward, m left, rad, without the sway of steps."""
        wanted = self._wanted or pose
        ahead, left = way(pose, wanted, pose.yaw)
        turned = wanted.yaw - pose.yaw
        ahead, left, turned = within(ahead, LEAD_M), within(left, LEAD_M), within(turned, LEAD_RAD)
        c, s = cos(pose.yaw), sin(pose.yaw)
        wanted.x, wanted.y = pose.x + c * ahead - s * left, pose.y + s * ahead + c * left
        wanted.yaw = pose.yaw + turned
        # The command of this cycle moves both from here on.
        self._nominal.step(self._command, dt)
        move(wanted, *self._nominal.velocity, dt)
        share = min(dt / FILTER_S, 1.0)
        for axis, value in enumerate((ahead, left, turned)):
            self._off[axis] += share * (value - self._off[axis])
        return self._off[0], self._off[1], self._off[2]

    def _steered(self, off: tuple[float, float, float]) -> WalkCommand:
        limits, nominal = self._limits, self._nominal
        ahead, left, turned = off
        full = limits.forward if nominal.forward >= 0.0 else limits.backward
        forward = nominal.forward + within(SPEED_GAIN * ahead / full, CORRECTION)
        aside = 0.0
        if limits.left:
            aside = nominal.left + within(SPEED_GAIN * left / limits.left, CORRECTION)
        else:
            turned += LINE_GAIN * left * nominal.forward
        turn = nominal.turn + within(TURN_GAIN * turned / limits.turn, CORRECTION)
        return WalkCommand(True, within(forward, 1.0), within(turn, 1.0), within(aside, 1.0))
