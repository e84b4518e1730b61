# SPDX-License-Identifier: Apache-2.0
"""Makes ROS messages of the percepts of a Nao, and names what reaches no topic."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from geometry_msgs.msg import Vector3, Wrench, WrenchStamped
from sensor_msgs.msg import BatteryState, Temperature
from std_msgs.msg import Header

from embodiment_bridge.body import state_messages
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import Vector, quaternion_from_rpy, rotate
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.registry import Output
from embodiment_bridge.protocols.simspark.convert import charge, direction, forward_left_up, motion
from embodiment_bridge.protocols.simspark.events import AgentState, Force, GameState, Percept
from embodiment_bridge.protocols.soccer import messages
from embodiment_bridge.protocols.soccer.convert import TeamView
from embodiment_bridge.protocols.soccer.messages import (
    MAX_HEARD,
    Game,
    LeftOut,
    Pairs,
    PlayerMessages,
    heard,
)
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.messages import vision_message
from embodiment_bridge.scene.sight import BASE_LINK, Pose, Sight
from embodiment_bridge.scene.soccer import Player
from embodiment_bridge.urdf import Robot, link_pose


def note_unused(percept: Percept, left_out: LeftOut) -> None:
    """Name it."""
    for joint in percept.universal_joints:
        left_out.note(f"UJ {joint.name!r} is on no topic: a joint with two axes, of old soccerbots")
    for gyro in percept.gyros[1:]:
        left_out.note(f"GYR {gyro.name!r} is on no topic: imu has {percept.gyros[0].name!r}")
    for sensor in percept.accelerometers[1:]:
        left_out.note(f"ACC {sensor.name!r} is on no topic: imu has {percept.accelerometers[0].name!r}")
    if percept.agent_state is not None and percept.agent_state.pan_deg is not None:
        left_out.note("pan_tilt of AgentState is on no topic: joint_states has the joints of the head")
    if percept.vision is not None and percept.vision.ball_position_m is not None:
        left_out.note("ballpos is on no topic: entities has the ball that the camera sees")


# Where a Nao's feet touch the ground, by its URDF. No ROS.

SENSORS: Final = {"rf": "r_sole", "lf": "l_sole", "rf1": "r_toe", "lf1": "l_toe"}  # links by perceptor


class Feet:
    """The feet of a robot description; a foot whose link it lacks, or that hangs on nothing, tells nothing.

    joints: names in the order in which positions will come.
    """

    def __init__(self, robot: Robot, joints: Sequence[str]) -> None:
        self._robot = robot
        self._joints = tuple(joints)
        has_base = BASE_LINK in robot.links
        self._links = {name: link for name, link in SENSORS.items() if has_base and link in robot.links}

    def contacts(self, forces: Iterable[Force], positions: Sequence[float]) -> list[tuple[Vector, Vector]]:
        """Points at which the ground pushes (m), and how it pushes (N), in base_link.

        Args:
            forces: of one percept.
            positions: rad per joint.
        """
        angles = dict(zip(self._joints, positions, strict=True))
        found = []
        for force in forces:
            link = self._links.get(force.name)
            if link is None or not math.isfinite(sum(force.point_m) + sum(force.force_n)):
                continue
            foot = link_pose(self._robot, angles, link, BASE_LINK)
            if foot is not None:
                at = Pose(foot.xyz, foot.quaternion).place(forward_left_up(*force.point_m))
                found.append((at, rotate(foot.quaternion, forward_left_up(*force.force_n))))
        return found


class Forces:
    """Remembers which feet were touched: one that is not any more is told once, with a wrench of nothing."""

    def __init__(self, prefix: str) -> None:
        self._frames = {name: prefix + frame for name, frame in SENSORS.items()}
        self._touched: set[str] = set()

    def messages(self, percept: Percept, stamp: Stamp) -> Iterator[tuple[str, WrenchStamped]]:
        """(topic, message) of each foot that has news."""
        felt = {force.name: force for force in percept.forces if force.name in SENSORS}
        for name in sorted(self._touched | set(felt)):
            header = Header(stamp=stamp, frame_id=self._frames[name])
            yield f"force/{name}", WrenchStamped(header=header, wrench=_wrench(felt.get(name)))
        self._touched = set(felt)


def _wrench(force: Force | None) -> Wrench:
    """The force, and the torque of its acting at a point beside the origin."""
    if force is None or not math.isfinite(sum(force.point_m) + sum(force.force_n)):
        return Wrench()
    x, y, z = forward_left_up(*force.point_m)
    fx, fy, fz = forward_left_up(*force.force_n)
    return Wrench(
        force=Vector3(x=fx, y=fy, z=fz),
        torque=Vector3(x=y * fz - z * fy, y=z * fx - x * fz, z=x * fy - y * fx),
    )


BALL_DIAMETER: Final = 0.084  # m, of rcssserver3d 0.7.3
OUTPUTS: Final = (
    *messages.OUTPUTS,
    Output("force/rf", "geometry_msgs.msg:WrenchStamped", "sensor"),
    Output("force/lf", "geometry_msgs.msg:WrenchStamped", "sensor"),
    Output("force/rf1", "geometry_msgs.msg:WrenchStamped", "sensor"),
    Output("force/lf1", "geometry_msgs.msg:WrenchStamped", "sensor"),
    Output("battery", "sensor_msgs.msg:BatteryState", "sensor"),
    Output("temperature", "sensor_msgs.msg:Temperature", "sensor"),
)


class Myself(NamedTuple):
    """The player whose percepts these are; side is ``left``, ``right`` or not known (empty)."""

    team: str
    number: int
    side: str


class PerceptMessages(PlayerMessages):
    """Makes the messages of one Nao, with the arguments of ``PlayerMessages`` but the ball."""

    def __init__(self, joint_names: Sequence[str], prefix: str, memory: EntityMemory, view: TeamView) -> None:
        super().__init__(joint_names, prefix, memory, view, BALL_DIAMETER)
        self._forces = Forces(prefix)

    def of(
        self,
        percept: Percept,
        state: BodyState,
        me: Myself,
        picture: tuple[Sight, Pose | None] | None,
        stamp: Stamp,
    ) -> Pairs:
        """(topic, message) pairs of one percept, each made when it is asked for; a missing sensor gives none.

        Args:
            percept: what was sent.
            state: what ``BodyMap`` made of it.
            me: the player.
            picture: what is seen and, where known, the camera in the frame of poses; None in a cycle without a picture.
            stamp: of all messages.
        """
        yield from self._body(state, stamp)
        if percept.gyros and percept.accelerometers and self.is_wanted("imu"):
            turn = quaternion_from_rpy(state.roll, state.pitch, state.yaw) if state.has_base else None
            yield "imu", state_messages.imu(*motion(percept), turn, stamp, self._frames["imu_link"])
        yield from self._forces.messages(percept, stamp)
        yield from self._touched(percept.touches, stamp)
        if percept.game_state is not None:
            yield from self._game(_game(percept.game_state, me), stamp)
        yaw = self._view.map_yaw(state.yaw) if state.has_base else None
        for said in percept.heard[:MAX_HEARD]:
            azimuth = None if yaw is None else direction(said, me.side, yaw)
            yield "heard", heard(said.message, azimuth, self._header("base_link", stamp), said.team or "")
        if percept.agent_state is not None:
            yield from _health(percept.agent_state, self._header("base_link", stamp))
        if picture is not None:
            yield from self._seen(picture[0], picture[1], Player(me.team, me.number), state, stamp)

    def _seen(self, seen: Sight, eye: Pose | None, me: Player, state: BodyState, stamp: Stamp) -> Pairs:
        if self.is_wanted("vision"):
            yield "vision", vision_message(seen, stamp, self._frames["camera_link"])
        if eye is None:
            self._memory.blind()
        else:
            yield from self._remembered(seen, eye, me, state.time, stamp, self._named)


def _game(state: GameState, me: Myself) -> Game:
    """The state of the game for a player; the name of the other team is not known."""
    return Game(
        state.play_time_s,
        state.play_mode,
        me.team if me.side == "left" else "",
        me.team if me.side == "right" else "",
        state.score_left or 0,
        state.score_right or 0,
        me.side,
    )


def _health(agent: AgentState, header: Header) -> Pairs:
    share = charge(agent)
    if share is not None:
        yield "battery", BatteryState(header=header, percentage=share, present=True)
    if agent.temperature is not None:
        yield "temperature", Temperature(header=header, temperature=agent.temperature)
