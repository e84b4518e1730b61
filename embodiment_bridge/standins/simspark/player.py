# SPDX-License-Identifier: Apache-2.0
"""One Nao of the stand-in.

Joints that integrate their velocities, feet that do not slip, and a torso that leans and falls.
"""

from collections import deque
from math import atan2, cos, degrees, hypot, isnan, radians, sin
from typing import Final

from embodiment_bridge.protocols.simspark.robots import Robot
from embodiment_bridge.standins.simspark.anatomy import (
    IDENTITY,
    SOLE_M,
    Matrix,
    Pose,
    Vector,
    add,
    anatomy_of,
    apply,
    multiply,
    poses,
    rotation,
    transposed,
)

# How a robot of the stand-in leans and falls: a mass on its feet, which leans back when it is shaken or pushed.
#
# The lean is two angles about the axes of a level torso: x (right) and y (forward), rad. The walk of the real
# server has gyro values of 20 to 50 deg/s and accelerations of 7 to 25 m/s2, which this has too.

GRAVITY: Final = 9.81  # m/s2
HEIGHT: Final = 0.38  # m of the mass over the ground
TIPS: Final = 0.35  # rad; a robot that leans further falls
LIES: Final = 1.5  # rad of lean of a robot on the ground
STIFF: Final = 2.5  # rad/s, of the return to upright, without overshoot
RISES: Final = 6.0  # rad/s likewise, of a robot that lies and has its feet under it
SWAY: Final = 0.6  # share of the lean that an acceleration of the torso would need for balance
SHAKES: Final = 3.0  # m/s2; what more the steps of feet without mass would give does not sway it
QUIET: Final = 1e-4  # rad, rad/s: less is upright and at rest


class Balance:
    """lean: rad about right and forward. speed: of the lean, rad/s."""

    def __init__(self) -> None:
        self.upright()

    def upright(self) -> None:
        """Stand straight, at rest."""
        self.lean, self.speed = (0.0, 0.0), (0.0, 0.0)

    @property
    def fallen(self) -> bool:
        """Whether nothing keeps it from lying soon, or it lies."""
        return hypot(*self.lean) > TIPS

    @property
    def turn(self) -> Matrix:
        """The axes of the torso in those of a level one."""
        angle = hypot(*self.lean)
        if angle < QUIET:
            return IDENTITY
        return rotation((self.lean[0] / angle, self.lean[1] / angle, 0.0), angle)

    def push(self, right: float, forward: float) -> None:
        """A push at the torso, m/s of its speed in the axes of a level torso."""
        about_right, about_forward = self.speed
        self.speed = (about_right - forward / HEIGHT, about_forward + right / HEIGHT)

    def step(self, right: float, forward: float, dt: float, *, squats: bool = False) -> None:
        """Advance by ``dt`` s, while the torso accelerates by so many m/s2 (in the axes of a level one).

        squats: its legs are folded with the feet close under it, on which a robot that lies comes up.
        """
        angle = hypot(*self.lean)
        if squats and angle > TIPS:
            pull = (
                -RISES * (RISES * self.lean[0] + 2.0 * self.speed[0]),
                -RISES * (RISES * self.lean[1] + 2.0 * self.speed[1]),
            )
        elif angle >= LIES:
            self.speed = (0.0, 0.0)
            return
        elif angle > TIPS:
            fall = GRAVITY / HEIGHT * sin(angle) / angle
            pull = (fall * self.lean[0], fall * self.lean[1])
        else:
            share = SWAY / GRAVITY
            aim = (share * _within(forward), -share * _within(right))
            pull = (
                STIFF * (STIFF * (aim[0] - self.lean[0]) - 2.0 * self.speed[0]),
                STIFF * (STIFF * (aim[1] - self.lean[1]) - 2.0 * self.speed[1]),
            )
        self.speed = (self.speed[0] + pull[0] * dt, self.speed[1] + pull[1] * dt)
        self.lean = (self.lean[0] + self.speed[0] * dt, self.lean[1] + self.speed[1] * dt)
        angle = hypot(*self.lean)
        if angle > LIES:
            self.lean = (self.lean[0] * LIES / angle, self.lean[1] * LIES / angle)
        elif angle < QUIET and hypot(*self.speed) < QUIET:
            self.upright()


def _within(value: float) -> float:
    return min(max(value, -SHAKES), SHAKES)


TOUCHING = 0.002  # m: a sole that is at most this much higher than the other stands on the ground
LETS_GO = 0.02  # m: a robot whose feet are higher than this over the ground falls
WEIGHT_N = 45.2  # of a Nao
LIES_AT = 0.08  # m: half the depth of a torso that lies
SQUAT = 0.27  # m from the torso to each foot, 0.36 in a stand: a robot that lies comes up on feet so close
SMOOTH_S = 0.03  # s over which the acceleration of a torso on feet without mass is smoothed
HARDEST = 15.0  # m/s2, of an acceleration that is felt
FEET = ("rfoot", "lfoot")


class Player:
    """A robot in the world.

    angles: deg by joint name. speeds: rad/s by joint name, as commanded last. place: of the torso, m. yaw: rad, the
    direction that it faces (0 is +x). side: ``left`` or ``right`` once it has joined a team.
    frozen: it was killed. balance: how it leans.
    """

    def __init__(self, robot: Robot, place: Vector = (0.0, -1.0, 1.5), yaw: float = radians(90.0)) -> None:
        self.robot = robot
        self.team = ""
        self.number = 0
        self.side = ""
        self.frozen = False
        self.told_side = False  # the server sends number and side of a player once
        self.angles = {joint.name: 0.0 for joint in robot.joints}
        self.speeds = {joint.name: 0.0 for joint in robot.joints}
        self.place = place
        self.yaw = yaw
        self.heard: deque[str] = deque(maxlen=64)  # lists for the next percept
        self.rates: Vector = (0.0, 0.0, 0.0)  # deg/s in the torso's frame
        self.acceleration: Vector = (0.0, 0.0, 0.0)  # m/s2, proper
        self.balance = Balance()
        self._speed: Vector = (0.0, 0.0, 0.0)  # of the torso, m/s
        self._shaken: Vector = (0.0, 0.0, 0.0)  # its acceleration in the axes of a level torso, m/s2
        self._limits = {joint.effector: joint for joint in robot.joints}
        self._falls, self._fall_speed = True, 0.0
        self._prints: dict[str, tuple[float, float, float]] = {}  # of the feet in the world: x, y, heading
        self._anatomy = anatomy_of(robot.type)
        self._moved = True
        self._parts: dict[str, Pose] = {}

    def drive(self, effector: str, rad_s: float) -> bool:
        """Command a joint.

        Returns:
            False if there is no such joint, or if it is beyond a stop, where rcssserver3d 0.7.3 ignores commands.
        """
        joint = self._limits.get(effector)
        if joint is None or isnan(rad_s) or not joint.min_deg <= self.angles[joint.name] <= joint.max_deg:
            return False
        limit = radians(joint.speed_deg_s)
        self.speeds[joint.name] = min(max(rad_s, -limit), limit)
        return True

    def put(self, place: Vector, yaw: float) -> None:
        """Move the player to a place, upright and at rest; it falls from there to the ground."""
        self.balance.upright()
        self.carry(place, yaw)

    def carry(self, place: Vector, yaw: float) -> None:
        """Move the player to a place as it is, leaning or lying."""
        self.place, self.yaw = place, yaw
        self._falls, self._fall_speed = True, 0.0
        self._prints = {}
        self._speed = self._shaken = (0.0, 0.0, 0.0)

    def shove(self, angle: float, speed: float, way: float) -> None:
        """Push the torso towards an angle in the world (rad) by a speed (m/s), and move it on its feet (m)."""
        right = angle - self.yaw + radians(90.0)
        self.balance.push(speed * cos(right), speed * sin(right))
        x, y, z = self.place
        self.place = (x + way * cos(angle), y + way * sin(angle), z)
        self._prints = {}

    @property
    def turn(self) -> Matrix:
        """The torso's axes (x right, y forward) in the world."""
        return multiply(rotation((0.0, 0.0, 1.0), self.yaw - radians(90.0)), self.balance.turn)

    @property
    def parts(self) -> dict[str, Pose]:
        """All parts in the torso's frame."""
        if self._moved:
            self._parts = poses(self.angles, parts=self._anatomy)
            self._moved = False
        return self._parts

    def parts_in_world(self) -> dict[str, Pose]:
        """All parts in the world, in the order of the monitor's scene graph."""
        turn = self.turn
        return {
            name: Pose(add(self.place, apply(turn, pose.place)), multiply(turn, pose.turn))
            for name, pose in self.parts.items()
        }

    @property
    def on_ground(self) -> tuple[str, ...]:
        """The feet that stand on the ground now."""
        if self.balance.fallen:
            return ()
        heights = {foot: self._height(foot) + self.place[2] for foot in FEET}
        return tuple(foot for foot, height in heights.items() if height < TOUCHING)

    def step(self, dt: float) -> None:
        """Advance by ``dt`` s."""
        self._step_joints(dt)
        yaw, place = self.yaw, self.place
        falling = self._step_height(dt)
        if not falling and not self.balance.fallen:
            self._step_on_feet()
        self._feel(place, dt, falling)
        if not falling:
            self.balance.step(self._shaken[0], self._shaken[1], dt, squats=self._squats)
        upright = transposed(self.balance.turn)
        about_right, about_forward = self.balance.speed
        rates = apply(upright, (about_right, about_forward, (self.yaw - yaw) / dt))
        self.rates = (degrees(rates[0]), degrees(rates[1]), degrees(rates[2]))
        right, forward, up = self._shaken
        self.acceleration = apply(upright, (right, forward, 0.0 if falling else up + GRAVITY))

    @property
    def _squats(self) -> bool:
        return self.balance.fallen and all(hypot(*self.parts[foot].place) < SQUAT for foot in FEET)

    def _feel(self, before: Vector, dt: float, falling: bool) -> None:
        """The acceleration of the torso since it was at ``before``."""
        x, y, z = ((new - old) / dt for new, old in zip(self.place, before, strict=True))
        speed = (x, y, z)
        change = tuple((new - old) / dt for new, old in zip(speed, self._speed, strict=True))
        self._speed = speed
        if falling:
            self._shaken = (0.0, 0.0, 0.0)
            return
        level = transposed(rotation((0.0, 0.0, 1.0), self.yaw - radians(90.0)))
        share = dt / SMOOTH_S
        felt = apply(level, (change[0], change[1], change[2]))
        right, forward, up = (
            old + share * (min(max(new, -HARDEST), HARDEST) - old)
            for new, old in zip(felt, self._shaken, strict=True)
        )
        self._shaken = (right, forward, up)

    def _step_joints(self, dt: float) -> None:
        """Turn the joints; one that is driven into a stop goes beyond it a little and bounces, repeatedly."""
        for joint in self.robot.joints:
            speed = self.speeds[joint.name]
            if speed:
                angle = self.angles[joint.name]
                stop = min(max(angle, joint.min_deg), joint.max_deg)
                self.angles[joint.name] = 2.0 * stop - angle if angle != stop else angle + degrees(speed) * dt
                self._moved = True

    def _sole(self, foot: str) -> Vector:
        """The point of the sole under the ankle, in the torso's frame."""
        pose = self.parts[foot]
        return add(pose.place, apply(pose.turn, (0.0, -0.03, -SOLE_M)))

    def _height(self, foot: str) -> float:
        """Return the height of a sole over the torso, m: negative."""
        return apply(self.balance.turn, self._sole(foot))[2]

    def _step_height(self, dt: float) -> bool:
        """Fall, or stand on the lower sole; returns whether the player falls."""
        x, y, z = self.place
        stand = max(-min(self._height(foot) for foot in FEET), LIES_AT)
        fallen_to = z - self._fall_speed * dt if self._falls or z > stand + LETS_GO else stand
        self._falls = fallen_to > stand
        self._fall_speed = self._fall_speed + GRAVITY * dt if self._falls else 0.0
        self.place = (x, y, max(fallen_to, stand))
        if self._falls:
            self._prints = {}
        return self._falls

    def _step_on_feet(self) -> None:
        """Move the torso so that the lower foot keeps its pose on the ground."""
        lower = min(FEET, key=self._height)
        if lower in self._prints:
            was_x, was_y, heading = self._prints[lower]
            self.yaw = heading - _heading(self.parts[lower])
            x, y, _ = add(self.place, apply(self.turn, self._sole(lower)))
            self.place = (self.place[0] + was_x - x, self.place[1] + was_y - y, self.place[2])
        turn = self.turn
        for foot in FEET:
            x, y, _ = add(self.place, apply(turn, self._sole(foot)))
            self._prints[foot] = (x, y, self.yaw + _heading(self.parts[foot]))


def _heading(pose: Pose) -> float:
    """Yaw of a foot in the torso's frame, rad, positive to the left."""
    return atan2(-pose.turn[0][1], pose.turn[1][1])
