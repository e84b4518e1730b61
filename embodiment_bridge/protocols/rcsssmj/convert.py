# SPDX-License-Identifier: Apache-2.0
"""Converts between the server's units and names and SI units.

Degrees and radians, gears, effectors, joints and sensors. No ROS.

| wire | SI |
|---|---|
| the world's frame: origin in the centre of the field, x to the right team's goal | ``map``, as it is, for both teams |
| frames of torso and sensors: x forward, y left, z up | ``base_link`` and so on, as they are |
| angles in degrees, rates in degrees per second | rad, rad/s |
| joint by the name of its perceptor or effector | joint by the name in the model |
| motor commands, for the fast side of a gear | for the joint |
"""

import math
from collections.abc import Iterable
from dataclasses import replace
from math import isfinite, radians
from typing import Final, TypeVar

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.rotation import DEG_PER_RAD, RAD_PER_DEG, Vector, rpy_from_quaternion
from embodiment_bridge.protocols.rcsssmj.commands import Beam, Motor
from embodiment_bridge.protocols.rcsssmj.events import GameState, Heard, Percept, Vision
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS, Joint, Robot, TorsoSensors
from embodiment_bridge.protocols.soccer.convert import JointOrder, rates, sight
from embodiment_bridge.protocols.soccer.messages import LeftOut
from embodiment_bridge.protocols.soccer.percepts import Named
from embodiment_bridge.scene.sight import Pose, Sight

Sensor = TypeVar("Sensor", bound=Named)


def named(sensors: Iterable[Sensor], name: str) -> Sensor | None:
    """The sensor of that name, None when the percept lacks it."""
    for sensor in sensors:
        if sensor.name == name:
            return sensor
    return None


def note_others(percept: Percept, robot: Robot, left_out: LeftOut) -> None:
    """Name the sensors that the robot's data does not have."""
    torso = robot.torso
    for kind, sensors, known in (
        ("quat", percept.orientations, torso.orientation),
        ("pos", percept.positions, torso.position),
        ("GYR", percept.gyros, torso.gyro),
        ("ACC", percept.accelerometers, torso.accelerometer),
    ):
        for sensor in sensors:
            if sensor.name != known:
                left_out.note(
                    f"{kind} {sensor.name!r} is on no topic: robot {robot.name} is known to have {known!r} alone"
                )


UNSENSED = (0.0, 0.0, 0.0)
HALF_DIGIT: Final = 0.0005  # rcssservermj 0.2.1 cuts quaternions after three digits, towards zero
WIRE_ANGLE_PER_RAD, RAD_PER_WIRE_ANGLE = DEG_PER_RAD, RAD_PER_DEG  # for those who convert whole arrays
MAX_TIME: Final = 2.0**31  # s; the seconds of a ROS stamp have 32 bits


class BodyMap:
    """One body that is a robot of the server; ``joints`` in the order of the body.

    Raises:
        ConfigError: the body names joints that the robot does not have, or lacks some.
    """

    def __init__(self, robot: Robot, body: BodyDescription) -> None:
        self.joints = _joints(robot, body)
        self._torso = robot.torso
        self._order = JointOrder(joint.perceptor for joint in self.joints)
        self._rows: list[tuple[float, ...]] = [()] * len(self.joints)  # what each motor was told last
        self._motors: list[Motor] = [_motor(joint, 0.0, 0.0, 0.0, 0.0, 0.0) for joint in self.joints]

    def state(self, percept: Percept) -> BodyState | None:
        """Return what the robot senses of itself, if the percept has a possible time and all joints."""
        if percept.time_s is None or percept.joints is None or not 0.0 <= percept.time_s < MAX_TIME:
            return None
        order = self._order.of(percept.joints.names)
        if not order:
            return None
        positions, velocities = percept.joints.positions_deg, percept.joints.velocities_deg_s
        turn = named(percept.orientations, self._torso.orientation)
        at = named(percept.positions, self._torso.position)
        gyro = named(percept.gyros, self._torso.gyro)
        roll, pitch, yaw = UNSENSED if turn is None else rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))
        place = UNSENSED if at is None else (at.x_m, at.y_m, at.z_m)
        return BodyState(
            time=percept.time_s,
            position=tuple(positions[i] * RAD_PER_DEG for i in order),
            velocity=tuple(velocities[i] * RAD_PER_DEG for i in order),
            base_position=place,
            roll=roll,
            pitch=pitch,
            yaw=yaw,
            base_rates=UNSENSED if gyro is None else rates(gyro),
            has_base=at is not None and turn is not None and isfinite(sum(place) + roll + pitch + yaw),
            has_tilt=turn is not None and isfinite(roll + pitch + yaw),
        )

    def motors(self, targets: JointTargets) -> list[Motor]:
        """A command for every motor; the same object as before for one that is told the same."""
        rows = zip(targets.position, targets.velocity, targets.kp, targets.kd, targets.effort, strict=True)
        for i, row in enumerate(rows):
            if row != self._rows[i]:
                self._rows[i] = row
                self._motors[i] = _motor(self.joints[i], *row)
        return self._motors.copy()


def picture(vision: Vision, game: GameState | None) -> Sight:
    """Return what is seen, in m and rad; a team told by its side gets its name where the percept has that."""
    agents = vision.agents
    if vision.letters and game is not None:
        teams = {"0": game.team_left, "1": game.team_right}
        agents = tuple(replace(one, team=teams.get(one.team) or one.team) for one in agents)
    return sight(vision.points, agents, letters=vision.letters)


def base_pose(percept: Percept, torso: TorsoSensors) -> Pose | None:
    """The torso in ``map``; None where the percept does not say it in finite numbers.

    Each number of the quaternion is taken for the middle of what the server may have cut: at 50 m that halves how
    far landmarks appear from where they are, to 6 cm at most.
    """
    place = named(percept.positions, torso.position)
    turn = named(percept.orientations, torso.orientation)
    if place is None or turn is None:
        return None
    x, y, z, w = (value + math.copysign(HALF_DIGIT, value) for value in (turn.x, turn.y, turn.z, turn.w))
    length = math.hypot(x, y, z, w)
    if not isfinite(length + place.x_m + place.y_m + place.z_m):
        return None
    return Pose((place.x_m, place.y_m, place.z_m), (x / length, y / length, z / length, w / length))


def direction(heard: Heard) -> float | None:
    """rad, positive left, in the microphone's frame; None where it is not finite."""
    return heard.azimuth_deg * RAD_PER_DEG if isfinite(heard.azimuth_deg) else None


def beam(side: str, x: float, y: float, yaw: float) -> Beam:
    """To a place (m) with a heading (rad) in the frame ``team``: the server turns x and heading itself, but not y."""
    return Beam(x, -y if side == "right" else y, yaw * DEG_PER_RAD)


def own_side(state: GameState, team: str) -> str:
    """``left`` or ``right``; empty when the server does not name the team."""
    return {state.team_left: "left", state.team_right: "right"}.get(team, "")


def mirrored(landmark: str) -> str:
    """The name of the landmark that is half a turn of the field away: ``l_luf`` and ``l_rlf``.

    The third letter is left, right or centre, the fourth upper (+y) or lower.
    """
    side, height = landmark[2:3], landmark[3:4]
    opposite = {"l": "r", "r": "l"}.get(side, side) + {"u": "l", "l": "u"}.get(height, height)
    return landmark[:2] + opposite + landmark[4:]


def simulator_beam(command: Beam) -> Vector:
    """Place (m) and heading (rad), as the classes of rcsssmj want them."""
    return command.x, command.y, radians(command.theta_deg)


def simulator_motor(command: Motor) -> tuple[float, float, float, float, float]:
    """Angle (rad), rate (rad/s), gains and torque (Nm), as the classes of rcsssmj want them."""
    return radians(command.q_deg), radians(command.dq_deg_s), command.kp, command.kd, command.tau_nm


def _motor(joint: Joint, position: float, velocity: float, kp: float, kd: float, effort: float) -> Motor:
    """rad, rad/s, Nm/rad, Nm s/rad, Nm of one joint on the wire; behind a gear the wire means its fast side."""
    gear = joint.gear
    return Motor(
        joint.effector,
        position * DEG_PER_RAD * gear,
        velocity * DEG_PER_RAD * gear,
        kp / gear**2,
        kd / gear**2,
        effort / gear,
    )


def _joints(robot: Robot, body: BodyDescription) -> tuple[Joint, ...]:
    """The robot's joints in the order of the body description."""
    known = {joint.joint: joint for joint in robot.joints}
    named = [joint.name for joint in body.joints]
    for name in named:
        if name not in known:
            raise ConfigError(f"body {body.name!r}: {unknown(f'joint of robot {robot.name}', name, known)}")
    missing = sorted(set(known) - set(named))
    if missing:
        raise ConfigError(f"body {body.name!r} lacks joints of robot {robot.name}: {', '.join(missing)}")
    return tuple(known[name] for name in named)


def robot_of(body: BodyDescription) -> Robot:
    """The robot that has the joints of a body.

    Raises:
        ConfigError: none has.
    """
    names = {joint.name for joint in body.joints}
    for robot in ROBOTS.values():
        if names == {joint.joint for joint in robot.joints}:
            return robot
    raise ConfigError(f"body {body.name!r} has the joints of no robot (there are {', '.join(ROBOTS)})")
