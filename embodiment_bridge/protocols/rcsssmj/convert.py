# SPDX-License-Identifier: Apache-2.0
"""Between the server's units and names and those of ROS: degrees to radians, effectors to joints, sensors to frames.

The world frame of the server is our ``map`` as it is (origin in the centre of the field, x to the right team's goal,
y left of that, z up), for both teams alike; the torso frame is ``base_link``.
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final

from embodiment_bridge.body import BodyState, JointTargets
from embodiment_bridge.description import BodyDescription
from embodiment_bridge.errors import ConfigError, unknown
from embodiment_bridge.protocols.rcsssmj.commands import Frame, Init, Motor, Syn
from embodiment_bridge.protocols.rcsssmj.events import Percept, ServerError, Sync
from embodiment_bridge.protocols.rcsssmj.messages import Messages
from embodiment_bridge.protocols.rcsssmj.requests import Requests
from embodiment_bridge.protocols.rcsssmj.robots import ROBOTS, Joint, Robot
from embodiment_bridge.rotation import rpy_from_quaternion
from embodiment_bridge.scene.camera import Camera
from embodiment_bridge.scene.entities import DEFAULT_KEEP, EntityMemory
from embodiment_bridge.scene.soccer import Player
from embodiment_bridge.units import DEG_PER_RAD, RAD_PER_DEG
from embodiment_bridge.urdf import read_urdf

UNSENSED = (0.0, 0.0, 0.0)
MAX_TIME: Final = 2.0**31  # s; the seconds of a ROS stamp have 32 bits


class Converter:
    """One robot on the agent port.

    ``parameters``: robot, team, number, frame_prefix; robot_description_file (a URDF; without one that has
    ``base_link`` and ``camera_link`` there are no ``entities``) and entity_memory (s) may be left out.

    Raises:
        ConfigError: no such robot, the body description names joints that the robot does not have, or the URDF cannot
            be read.
    """

    def __init__(self, parameters: Mapping[str, Any], body: BodyDescription) -> None:
        self._robot = _robot(str(parameters["robot"]))
        self._init = Init(self._robot.name, str(parameters["team"]), int(parameters["number"]))
        self._joints = _joints(self._robot, body)
        names = [joint.joint for joint in self._joints]
        camera, self._remarks = _camera(str(parameters.get("robot_description_file", "")), names)
        self._messages = Messages(
            names,
            str(parameters["frame_prefix"]),
            Player(self._init.team, self._init.number),
            EntityMemory(float(parameters.get("entity_memory", DEFAULT_KEEP))),
            camera,
        )
        self._requests = Requests(self._robot, split=bool(parameters.get("say_split", False)))
        self._order: tuple[int, ...] = ()
        self._order_of: tuple[str, ...] = ()

    def codec_options(self) -> dict[str, Any]:
        """See ``contract.Converter``: the robot's actuators are all that may be commanded."""
        return {"robot": self._robot.name}

    def remarks(self) -> list[str]:
        """See ``contract.Converter``."""
        return self._remarks

    def greet(self) -> list[Any]:
        """See ``contract.Converter``; the world may be another one than before."""
        self._messages.restart()
        return [self._init]

    def body_state(self, event: Any) -> BodyState | None:
        """See ``contract.Converter``: every percept with a possible time and all joints."""
        if not isinstance(event, Percept) or event.time_s is None or event.joints is None:
            return None
        if not 0.0 <= event.time_s < MAX_TIME:
            return None
        order = self._joint_order(event.joints.names)
        if not order:
            return None
        positions, velocities = event.joints.positions_deg, event.joints.velocities_deg_s
        roll, pitch, yaw = UNSENSED
        for turn in event.orientations[:1]:
            roll, pitch, yaw = rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))
        place = next(((p.x_m, p.y_m, p.z_m) for p in event.positions), UNSENSED)
        return BodyState(
            time=event.time_s,
            position=tuple(positions[i] * RAD_PER_DEG for i in order),
            velocity=tuple(velocities[i] * RAD_PER_DEG for i in order),
            base_position=place,
            roll=roll,
            pitch=pitch,
            yaw=yaw,
            base_rates=next(
                (
                    (g.x_deg_s * RAD_PER_DEG, g.y_deg_s * RAD_PER_DEG, g.z_deg_s * RAD_PER_DEG)
                    for g in event.gyros
                ),
                UNSENSED,
            ),
            has_base=bool(event.positions and event.orientations)
            and isfinite(sum(place) + roll + pitch + yaw),
        )

    def answer(self, event: Any, targets: JointTargets | None) -> list[Any]:
        """See ``contract.Converter``: one frame with every actuator and ``(syn)``.

        The server holds garbage controls for a new robot until each of its actuators was commanded once, and in sync
        mode it waits for exactly one frame per percept, also for one that cannot be used.
        """
        if not isinstance(event, Percept | Sync | ServerError):
            return []
        return [Frame((*self._motors(targets), *self._requests.next_actions(), Syn()))]

    def _motors(self, targets: JointTargets | None) -> list[Motor]:
        if targets is None:
            return []
        rows = zip(targets.position, targets.velocity, targets.kp, targets.kd, targets.effort, strict=True)
        return [_motor(joint, *row) for joint, row in zip(self._joints, rows, strict=True)]

    def take(self, name: str, message: Any) -> str:
        """See ``contract.Converter``: `say` and `beam`."""
        return self._requests.take(name, message)

    def messages(self, event: Any, state: BodyState | None, stamp: Any) -> list[tuple[str, Any]]:
        """See ``contract.Converter``."""
        if not isinstance(event, Percept):
            return []
        return self._messages.of(event, state, stamp)

    def _joint_order(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """For each joint of ours, where it stands in a percept; empty when one is missing.

        The server sends the same order each time.
        """
        if names is not self._order_of:
            places = {name.removeprefix("q_"): i for i, name in enumerate(names)}
            order = [places.get(joint.perceptor.removeprefix("q_")) for joint in self._joints]
            self._order = tuple(i for i in order if i is not None) if None not in order else ()
            self._order_of = names
        return self._order


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


def _robot(name: str) -> Robot:
    if name not in ROBOTS:
        raise ConfigError(unknown("value of parameter robot", name, ROBOTS))
    return ROBOTS[name]


def _camera(description_file: str, joints: Sequence[str]) -> tuple[Camera | None, list[str]]:
    """The camera of the URDF, and what people should know when there is none."""
    if not description_file:
        return None, ["no entities: without robot_description_file it is not known where the camera is"]
    robot = read_urdf(Path(description_file))
    try:
        return Camera(robot, joints), []
    except ConfigError as error:
        return None, [f"no entities: it is not known where the camera is: {error}"]


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
