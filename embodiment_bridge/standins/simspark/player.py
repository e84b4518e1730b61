# SPDX-License-Identifier: Apache-2.0
"""One Nao of the stand-in: joints that integrate their velocities, on feet that do not slip."""

from collections import deque
from math import atan2, degrees, isnan, radians

from embodiment_bridge.protocols.simspark.robots import MAX_SPEED_DEG_S, Robot
from embodiment_bridge.standins.simspark.anatomy import (
    SOLE_M,
    Matrix,
    Pose,
    Vector,
    add,
    apply,
    multiply,
    poses,
    rotation,
)

GRAVITY = 9.81  # m/s2
TOUCHING = 0.002  # m: a sole that is at most this much higher than the other stands on the ground
LETS_GO = 0.02  # m: a robot whose feet are higher than this over the ground falls
WEIGHT_N = 45.2  # of a Nao
FEET = ("rfoot", "lfoot")


class Player:
    """A robot in the world.

    angles: deg by joint name. speeds: rad/s by joint name, as commanded last. place: of the torso, m. yaw: rad, the
    direction that it faces (0 is +x). side: ``left`` or ``right`` once it has joined a team.
    frozen: it was killed.
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
        self._limits = {joint.effector: joint for joint in robot.joints}
        self._falls, self._fall_speed = True, 0.0
        self._prints: dict[str, tuple[float, float, float]] = {}  # of the feet in the world: x, y, heading
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
        limit = radians(MAX_SPEED_DEG_S)
        self.speeds[joint.name] = min(max(rad_s, -limit), limit)
        return True

    def put(self, place: Vector, yaw: float) -> None:
        """Move the player to a place, at rest; it falls from there to the ground."""
        self.place, self.yaw = place, yaw
        self._falls, self._fall_speed = True, 0.0
        self._prints = {}

    @property
    def turn(self) -> Matrix:
        """The torso's axes (x right, y forward) in the world."""
        return rotation((0.0, 0.0, 1.0), self.yaw - radians(90.0))

    @property
    def parts(self) -> dict[str, Pose]:
        """All parts in the torso's frame."""
        if self._moved:
            self._parts = poses(self.angles)
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
        heights = {foot: self._sole(foot)[2] + self.place[2] for foot in FEET}
        return tuple(foot for foot, height in heights.items() if height < TOUCHING)

    def step(self, dt: float) -> None:
        """Advance by ``dt`` s."""
        self._step_joints(dt)
        yaw = self.yaw
        falling = self._step_height(dt)
        if not falling:
            self._step_on_feet()
        self.rates = (0.0, 0.0, degrees(self.yaw - yaw) / dt)
        self.acceleration = (0.0, 0.0, 0.0 if falling else GRAVITY)

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

    def _step_height(self, dt: float) -> bool:
        """Fall, or stand on the lower sole; returns whether the player falls."""
        x, y, z = self.place
        stand = -min(self._sole(foot)[2] for foot in FEET)
        fallen_to = z - self._fall_speed * dt if self._falls or z > stand + LETS_GO else stand
        self._falls = fallen_to > stand
        self._fall_speed = self._fall_speed + GRAVITY * dt if self._falls else 0.0
        self.place = (x, y, max(fallen_to, stand))
        if self._falls:
            self._prints = {}
        return self._falls

    def _step_on_feet(self) -> None:
        """Move the torso so that the lower foot keeps its pose on the ground."""
        lower = min(FEET, key=lambda foot: self._sole(foot)[2])
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
