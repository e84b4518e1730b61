# SPDX-License-Identifier: Apache-2.0
"""Percepts of a Nao as ROS messages: which topics a percept has something for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from sensor_msgs.msg import BatteryState, Temperature
from std_msgs.msg import Header

from embodiment_bridge.body import state_messages
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import quaternion_from_rpy
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.simspark import game_messages
from embodiment_bridge.protocols.simspark.convert import charge, motion
from embodiment_bridge.protocols.simspark.events import AgentState, Percept
from embodiment_bridge.protocols.simspark.force_messages import Forces
from embodiment_bridge.protocols.soccer import body_messages
from embodiment_bridge.protocols.soccer.game_messages import GameNews
from embodiment_bridge.protocols.soccer.team_view import TeamView
from embodiment_bridge.protocols.spec import Output
from embodiment_bridge.scene.camera import Pose
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.field_of_view import SOCCER
from embodiment_bridge.scene.messages import EntityMessages, vision_message
from embodiment_bridge.scene.sight import Sight
from embodiment_bridge.scene.soccer import Player, sightings

BALL_DIAMETER: Final = 0.084  # m, of rcssserver3d 0.7.3
FRAMES: Final = ("base_link", "imu_link", "camera_link")

OUTPUTS: Final = (
    *body_messages.OUTPUTS,
    Output("force/rf", "geometry_msgs.msg:WrenchStamped", "sensor"),
    Output("force/lf", "geometry_msgs.msg:WrenchStamped", "sensor"),
    Output("force/rf1", "geometry_msgs.msg:WrenchStamped", "sensor"),
    Output("force/lf1", "geometry_msgs.msg:WrenchStamped", "sensor"),
    Output("battery", "sensor_msgs.msg:BatteryState", "sensor"),
    Output("temperature", "sensor_msgs.msg:Temperature", "sensor"),
)

Pairs = Iterator[tuple[str, object]]


class Myself(NamedTuple):
    """The player whose percepts these are; side is ``left``, ``right`` or not known (empty)."""

    team: str
    number: int
    side: str


class PerceptMessages:
    """Makes the messages of one Nao. ``is_wanted`` says of a topic whether somebody listens; all are made at first.

    Args:
        joint_names: in the body's order.
        prefix: before every frame name.
        memory: of entities.
        view: from which side the player looks, and in which frame its poses are.
    """

    def __init__(self, joint_names: Sequence[str], prefix: str, memory: EntityMemory, view: TeamView) -> None:
        self._joint_names = list(joint_names)
        self._frames: Mapping[str, str] = {name: prefix + name for name in FRAMES}
        self._memory = memory
        self._entities = EntityMessages()
        self._view = view
        self._base = prefix + view.base
        self._news = GameNews()
        self._forces = Forces(prefix)
        self.is_wanted: Callable[[str], bool] = lambda topic: True

    def restart(self) -> None:
        """A new connection, perhaps to another world: nothing of the old one is remembered."""
        self._memory.clear()
        self._news.forget()

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
        frames, is_wanted = self._frames, self.is_wanted
        if is_wanted("joint_states"):
            yield "joint_states", state_messages.joint_states(self._joint_names, state, stamp)
        if state.has_base and is_wanted("pose"):
            yield "pose", state_messages.pose(state, stamp, self._base)
        if percept.gyros and percept.accelerometers and is_wanted("imu"):
            turn = quaternion_from_rpy(state.roll, state.pitch, state.yaw) if state.has_base else None
            yield "imu", body_messages.imu(*motion(percept), turn, stamp, frames["imu_link"])
        yield from self._forces.messages(percept, stamp)
        if percept.touches and is_wanted("touch"):
            yield "touch", body_messages.touch(percept.touches, stamp, frames["base_link"])
        if percept.game_state is not None:
            news = self._news.message(game_messages.game(percept.game_state, me.team, me.side), stamp)
            if news is not None:
                yield "game_state", news
        if percept.heard:
            yaw = self._view.map_yaw(state.yaw) if state.has_base else None
            for message in game_messages.heard(percept, me.side, yaw, stamp, frames["base_link"]):
                yield "heard", message
        if percept.agent_state is not None:
            yield from _health(percept.agent_state, Header(stamp=stamp, frame_id=frames["base_link"]))
        if picture is not None:
            yield from self._seen(picture[0], picture[1], Player(me.team, me.number), state, stamp)

    def _seen(self, seen: Sight, eye: Pose | None, me: Player, state: BodyState, stamp: Stamp) -> Pairs:
        if self.is_wanted("vision"):
            yield "vision", vision_message(seen, stamp, self._frames["camera_link"])
        if eye is None:
            self._memory.blind()
        else:
            things = sightings(seen, eye, me, BALL_DIAMETER, self._view.landmark)
            # it remembers also while nobody listens
            known = self._memory.look(things, state.time, stamp, partial(SOCCER.surely_shows, eye))
            if self.is_wanted("entities"):
                yield "entities", self._entities.array([*known, *self._memory.forgotten], stamp, self._base)


def _health(agent: AgentState, header: Header) -> Pairs:
    share = charge(agent)
    if share is not None:
        yield "battery", BatteryState(header=header, percentage=share, present=True)
    if agent.temperature is not None:
        yield "temperature", Temperature(header=header, temperature=agent.temperature)
