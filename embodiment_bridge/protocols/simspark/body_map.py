# SPDX-License-Identifier: Apache-2.0
"""Between the joints of a body in SI units and those of a Nao on the wire, both ways. No ROS."""

from collections.abc import Callable, Sequence
from math import radians
from typing import Final

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.core.units import RAD_PER_DEG
from embodiment_bridge.protocols.simspark.commands import Hinge
from embodiment_bridge.protocols.simspark.events import Force, Percept
from embodiment_bridge.protocols.simspark.robots import MAX_SPEED_DEG_S, Robot
from embodiment_bridge.protocols.simspark.velocity_loop import Limits, VelocityLoop
from embodiment_bridge.protocols.soccer.joint_order import JointOrder
from embodiment_bridge.scene.locator import Locator

Contacts = Callable[[Sequence[Force], Sequence[float]], list[tuple[Vector, Vector]]]  # see ``feet.Feet``
MAX_TIME: Final = 2.0**31  # s; the seconds of a ROS stamp have 32 bits


class BodyMap:
    """One body that is a robot of the server; it may lack joints, which then stay where they are.

    Raises:
        ConfigError: the body names joints that the robot does not have.
    """

    def __init__(self, robot: Robot, body: BodyDescription) -> None:
        known = {joint.name: joint for joint in robot.joints}
        for joint in body.joints:
            if joint.name not in known:
                text = unknown(f"joint of robot {robot.name}", joint.name, known)
                raise ConfigError(f"body {body.name!r}: {text}")
        self.joints = tuple(known[joint.name] for joint in body.joints)
        self._order = JointOrder(joint.name for joint in self.joints)
        speed = radians(MAX_SPEED_DEG_S)
        self._loop = VelocityLoop(
            [Limits(radians(joint.min_deg), radians(joint.max_deg), speed) for joint in self.joints]
        )
        self.restart()

    def restart(self) -> None:
        """Another connection: nothing is known of before."""
        self._loop.restart()
        self._time: float | None = None
        self._angles: tuple[float, ...] = ()
        self.step = 0.0  # s between the last two states

    def state(self, percept: Percept, located: Locator, contacts: Contacts) -> BodyState | None:
        """What the robot senses of itself, if the percept has a possible time and all joints; speeds by difference.

        ``located`` hears on the way what the robot feels; ``contacts`` tells where its feet touch the ground.
        """
        time = percept.time_s
        if time is None or percept.joints is None or not 0.0 <= time < MAX_TIME:
            return None
        order = self._order.of(percept.joints.names)
        if not order:
            return None
        angles = tuple(percept.joints.positions_deg[i] * RAD_PER_DEG for i in order)
        self.step = time - self._time if self._time is not None and time > self._time else 0.0
        before = self._angles if self.step else angles
        self._time, self._angles = time, angles
        rates, acceleration = motion(percept)
        located.feel(rates, acceleration, self.step)
        located.stand(contacts(percept.forces, angles))
        return BodyState(
            time=time,
            position=angles,
            velocity=tuple(
                (a - b) / self.step if self.step else 0.0 for a, b in zip(angles, before, strict=True)
            ),
            base_position=located.place,
            roll=located.roll,
            pitch=located.pitch,
            yaw=located.yaw,
            base_rates=rates,
            has_base=located.known,
            has_tilt=located.levelled,
            height_estimated=not located.told,
        )

    def hinges(self, targets: JointTargets) -> list[Hinge]:
        """A speed for every joint, towards the targets from the last state."""
        speeds = self._loop.speeds(self._angles, targets, self.step)
        return [Hinge(joint.effector, speed) for joint, speed in zip(self.joints, speeds, strict=True)]


def forward_left_up(right: float, forward: float, up: float) -> Vector:
    """A vector of the server's body frames (x right, y forward) in those of ROS (x forward, y left)."""
    return forward, -right, up


def motion(percept: Percept) -> tuple[Vector, Vector]:
    """Rates (rad/s) and proper acceleration (m/s2) in base_link; nan where there is no such sensor."""
    nothing = (float("nan"),) * 3
    rates = next((forward_left_up(g.x_deg_s, g.y_deg_s, g.z_deg_s) for g in percept.gyros), nothing)
    acceleration = next(
        (forward_left_up(a.x_m_s2, a.y_m_s2, a.z_m_s2) for a in percept.accelerometers), nothing
    )
    return (rates[0] * RAD_PER_DEG, rates[1] * RAD_PER_DEG, rates[2] * RAD_PER_DEG), acceleration
