# SPDX-License-Identifier: Apache-2.0
"""Between the joints of a body in SI units and those of a robot on the wire, both ways. No ROS."""

from math import isfinite
from typing import Final

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.core.units import DEG_PER_RAD, RAD_PER_DEG
from embodiment_bridge.protocols.rcsssmj.commands import Motor
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS, Joint, Robot
from embodiment_bridge.protocols.soccer.joint_order import JointOrder

UNSENSED = (0.0, 0.0, 0.0)
MAX_TIME: Final = 2.0**31  # s; the seconds of a ROS stamp have 32 bits


class BodyMap:
    """One body that is a robot of the server; ``joints`` in the order of the body.

    Raises:
        ConfigError: the body names joints that the robot does not have, or lacks some.
    """

    def __init__(self, robot: Robot, body: BodyDescription) -> None:
        self.joints = _joints(robot, body)
        self._order = JointOrder(joint.perceptor for joint in self.joints)

    def state(self, percept: Percept) -> BodyState | None:
        """What the robot senses of itself, if the percept has a possible time and all joints."""
        if percept.time_s is None or percept.joints is None or not 0.0 <= percept.time_s < MAX_TIME:
            return None
        order = self._order.of(percept.joints.names)
        if not order:
            return None
        positions, velocities = percept.joints.positions_deg, percept.joints.velocities_deg_s
        roll, pitch, yaw = UNSENSED
        for turn in percept.orientations[:1]:
            roll, pitch, yaw = rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))
        place = next(((p.x_m, p.y_m, p.z_m) for p in percept.positions), UNSENSED)
        return BodyState(
            time=percept.time_s,
            position=tuple(positions[i] * RAD_PER_DEG for i in order),
            velocity=tuple(velocities[i] * RAD_PER_DEG for i in order),
            base_position=place,
            roll=roll,
            pitch=pitch,
            yaw=yaw,
            base_rates=next(
                (
                    (g.x_deg_s * RAD_PER_DEG, g.y_deg_s * RAD_PER_DEG, g.z_deg_s * RAD_PER_DEG)
                    for g in percept.gyros
                ),
                UNSENSED,
            ),
            has_base=bool(percept.positions and percept.orientations)
            and isfinite(sum(place) + roll + pitch + yaw),
            has_tilt=bool(percept.orientations) and isfinite(roll + pitch + yaw),
        )

    def motors(self, targets: JointTargets) -> list[Motor]:
        """A command for every motor."""
        rows = zip(targets.position, targets.velocity, targets.kp, targets.kd, targets.effort, strict=True)
        return [_motor(joint, *row) for joint, row in zip(self.joints, rows, strict=True)]


def robot_named(name: str) -> Robot:
    """The robot that ``init`` calls ``name``.

    Raises:
        ConfigError: there is none.
    """
    if name not in ROBOTS:
        raise ConfigError(unknown("value of parameter robot", name, ROBOTS))
    return ROBOTS[name]


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
