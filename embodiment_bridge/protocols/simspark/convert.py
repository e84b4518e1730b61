# SPDX-License-Identifier: Apache-2.0
"""Converts between the units, signs and frames of rcssserver3d and those of ROS, without ROS messages.

| wire | ROS |
|---|---|
| the world's frame, turned by half a turn for the right team | ``map``, the same for both teams |
| frames of body and feet: x right, y forward, z up | x forward, y left, z up |
| angles in degrees, rates in degrees per second | rad, rad/s |
| joints by name, with their signs | the same names and signs; commands are rad/s on both sides |
| battery in percent | 0 to 1 |
"""

from collections.abc import Callable, Sequence
from math import isfinite, pi
from typing import Final, NamedTuple

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.rotation import DEG_PER_RAD, RAD_PER_DEG, Vector, wrap_angle
from embodiment_bridge.protocols.simspark.codec import Beam, Hinge
from embodiment_bridge.protocols.simspark.events import AgentState, Force, Heard, Percept, Vision
from embodiment_bridge.protocols.simspark.robots import Robot
from embodiment_bridge.protocols.soccer.convert import JointOrder, rates
from embodiment_bridge.scene.locator import Locator

# From joint targets to the speeds that rcssserver3d takes: one proportional loop with feed-forward per joint.
#
# There is no integrator, so that nothing winds up while a joint is held (by a stop, or for a second after it touched
# another limb): it goes on at its greatest speed at most. The speed is cut so that no joint reaches a stop before the
# next commands can stop it: rcssserver3d 0.7.3 ignores commands while a joint is beyond one, and it bounces there.
#
# A server that is short of time runs many cycles in a row and reads no command meanwhile. Then a speed lasts for all of
# them, so the gain falls with their number; a joint at its target is not driven at all.

CYCLE = 0.02  # s
SHARE = 0.4  # of the way to the goal in the cycles that a speed lasts; it shows one or two later and would overshoot
DELAY = 1.5 * CYCLE  # s until a command is obeyed, beside the cycles for which the speed before it lasts
AT_REST = 0.001  # rad from its goal that a joint may be at rest; the server tells angles in steps of 0.0002
LONGEST_DT = 0.1  # s


class Limits(NamedTuple):
    """Holds the limits of one joint: rad, rad/s."""

    lower: float
    upper: float
    speed: float


class VelocityLoop:
    """The loops of all joints, in the order of ``limits``."""

    def __init__(self, limits: Sequence[Limits]) -> None:
        self._limits = tuple(limits)
        self._last: tuple[float, ...] = ()

    def restart(self) -> None:
        """Forget the last targets."""
        self._last = ()

    def speeds(
        self, angles: Sequence[float], targets: JointTargets, dt: float, cycles: int = 1
    ) -> list[float]:
        """rad/s for each joint.

        The gain of a joint is kp / kd (1/s): at that speed its spring and its damper would balance. ``effort`` means
        nothing to a joint that is driven by speed.

        Args:
            angles: rad, as sensed; of a joint that is not a number, the speed is 0.
            targets: of the joints.
            dt: s since the last percept.
            cycles: of the server, for which a speed may last.
        """
        lasting = max(cycles, 1) * CYCLE
        dt = min(max(dt, CYCLE), LONGEST_DT)
        last = self._last or targets.position
        self._last = targets.position
        rows = zip(
            self._limits,
            angles,
            targets.position,
            last,
            targets.velocity,
            targets.kp,
            targets.kd,
            strict=True,
        )
        return [
            _speed(
                limits, angle, goal, velocity or (goal - before) / dt, _gain(kp, kd, SHARE / lasting), lasting
            )
            for limits, angle, goal, before, velocity, kp, kd in rows
        ]


def _gain(kp: float, kd: float, most: float) -> float:
    if kp <= 0.0:
        return 0.0
    return min(kp / kd, most) if kd > 0.0 else most


def _speed(limits: Limits, angle: float, goal: float, feed: float, gain: float, lasting: float) -> float:
    off = min(max(goal, limits.lower), limits.upper) - angle
    wanted = feed + gain * off
    if not isfinite(wanted) or (feed == 0.0 and abs(off) < AT_REST):
        return 0.0
    ahead = DELAY + lasting
    up = min(limits.speed, (limits.upper - angle) / ahead)
    down = max(-limits.speed, (limits.lower - angle) / ahead)
    return max(min(wanted, up), down) if up >= down else 0.0


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
        rad = RAD_PER_DEG
        self._loop = VelocityLoop(
            [Limits(one.min_deg * rad, one.max_deg * rad, one.speed_deg_s * rad) for one in self.joints]
        )
        self.restart()

    def restart(self) -> None:
        """Another connection: nothing is known of before."""
        self._loop.restart()
        self._last: tuple[float, tuple[float, ...]] | None = None  # time and angles of the last state
        self._driven: float | None = None  # time of the state for which speeds were last sent

    def state(self, percept: Percept, located: Locator, contacts: Contacts) -> BodyState | None:
        """Return what the robot senses of itself, if the percept has a possible time and all joints.

        ``located`` hears on the way what the robot feels; ``contacts`` tells where its feet touch the ground.
        """
        time = percept.time_s
        if time is None or percept.joints is None or not 0.0 <= time < MAX_TIME:
            return None
        order = self._order.of(percept.joints.names)
        if not order:
            return None
        angles = tuple(percept.joints.positions_deg[i] * RAD_PER_DEG for i in order)
        last_time, before = self._last or (time, angles)
        self._last = time, angles
        step = max(time - last_time, 0.0)
        turning, acceleration = motion(percept)
        located.feel(turning, acceleration, step)
        located.stand(contacts(percept.forces, angles))
        return BodyState(
            time=time,
            position=angles,
            velocity=tuple((a - b) / step if step else 0.0 for a, b in zip(angles, before, strict=True)),
            base_position=located.place,
            roll=located.roll,
            pitch=located.pitch,
            yaw=located.yaw,
            base_rates=turning,
            has_base=located.known,
            has_tilt=located.levelled,
            height_estimated=not located.told,
        )

    def hinges(self, state: BodyState, targets: JointTargets, cycles: int = 1) -> list[Hinge]:
        """A speed for every joint, from the state towards the targets; it may last for ``cycles`` of the server."""
        step = 0.0 if self._driven is None else max(state.time - self._driven, 0.0)
        self._driven = state.time
        speeds = self._loop.speeds(state.position, targets, step, cycles)
        return [Hinge(joint.effector, speed) for joint, speed in zip(self.joints, speeds, strict=True)]


def forward_left_up(right: float, forward: float, up: float) -> Vector:
    """A vector of the server's body frames (x right, y forward) in those of ROS (x forward, y left)."""
    return forward, -right, up


def motion(percept: Percept) -> tuple[Vector, Vector]:
    """Rates (rad/s) and proper acceleration (m/s2) in base_link; nan where there is no such sensor."""
    nothing = (float("nan"),) * 3
    turning = forward_left_up(*rates(percept.gyros[0])) if percept.gyros else nothing
    acceleration = next(
        (forward_left_up(a.x_m_s2, a.y_m_s2, a.z_m_s2) for a in percept.accelerometers), nothing
    )
    return turning, acceleration


def camera_pose(vision: Vision, side: str | None) -> tuple[Vector, float] | None:
    """Place (m) and heading (rad) of the head in ``map``, where the server tells them.

    rcssserver3d 0.7.3 takes both from the camera, not from the torso, and turns them for the right team.
    """
    if vision.my_position_m is None or vision.my_orientation_deg is None:
        return None
    x, y, z = vision.my_position_m
    yaw = vision.my_orientation_deg * RAD_PER_DEG
    return ((-x, -y, z), yaw + pi) if side == "right" else ((x, y, z), yaw)


def direction(heard: Heard, side: str | None, yaw: float) -> float | None:
    """Return the direction of a voice, rad, positive left, at heading ``yaw`` (rad); None: unknown."""
    if heard.direction_deg is None or not isfinite(heard.direction_deg):
        return None
    turned = pi if side == "right" else 0.0
    return wrap_angle(heard.direction_deg * RAD_PER_DEG + turned - yaw)


def charge(agent: AgentState) -> float | None:
    """Return the charge of the battery, 0 to 1."""
    if agent.battery_percent is None or not isfinite(agent.battery_percent):
        return None
    return min(max(agent.battery_percent / 100.0, 0.0), 1.0)


def mirrored(landmark: str) -> str:
    """The name of the landmark that is half a turn of the field away: ``F1L`` and ``F2R``."""
    number, side = landmark[1:2], landmark[2:3]
    return landmark[:1] + {"1": "2", "2": "1"}.get(number, number) + {"L": "R", "R": "L"}.get(side, side)


def beam(x: float, y: float, yaw: float) -> Beam:
    """To a place (m) with a heading (rad) in the frame ``team``, which is what the server takes."""
    return Beam(x, y, yaw * DEG_PER_RAD)
