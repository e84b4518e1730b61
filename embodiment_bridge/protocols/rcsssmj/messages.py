# SPDX-License-Identifier: Apache-2.0
"""Percepts as ROS messages: which topics a percept has something for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from sensor_msgs.msg import Imu
from std_msgs.msg import Header

from embodiment_bridge.body import state_messages
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.msg import HeardMessage
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.rcsssmj import events
from embodiment_bridge.protocols.rcsssmj.convert import base_pose, direction, named
from embodiment_bridge.protocols.rcsssmj.events import Percept, Vision
from embodiment_bridge.protocols.rcsssmj.robots import TorsoSensors
from embodiment_bridge.protocols.soccer import messages
from embodiment_bridge.protocols.soccer.convert import TeamView, rates, sight
from embodiment_bridge.protocols.soccer.messages import MAX_HEARD, Game, GameNews
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.messages import EntityMessages, vision_message
from embodiment_bridge.scene.sight import SOCCER, Camera, Pose
from embodiment_bridge.scene.soccer import Player, sightings


def game(state: events.GameState, side: str) -> Game:
    """The state of the game for a player on ``side``; a team that does not exist yet has no name."""
    return Game(
        state.play_time_s,
        state.play_mode,
        state.team_left or "",
        state.team_right or "",
        state.score_left,
        state.score_right,
        side,
    )


def heard(percept: events.Percept, stamp: Stamp, frame: str) -> list[HeardMessage]:
    """Return what was said, in the server's order; ``frame`` is the microphone's."""
    said = [one for microphone in percept.microphones for one in microphone.heard]
    return [_heard(one, stamp, frame) for one in said[:MAX_HEARD]]


def _heard(said: events.Heard, stamp: Stamp, frame: str) -> HeardMessage:
    azimuth = direction(said)
    return HeardMessage(
        header=Header(stamp=stamp, frame_id=frame),
        text=_text(said.message),
        has_direction=azimuth is not None,
        azimuth=azimuth or 0.0,
    )


def _text(message: bytes) -> str:
    """Anybody may say any bytes. A zero byte would end a ROS string, so it is escaped as those that are no UTF-8."""
    return message.decode("utf-8", "backslashreplace").replace("\0", "\\x00")


BALL_DIAMETER: Final = 0.22  # m, of rcssservermj 0.2.1 on all of its fields
NOWHERE: Final = (0.0, 0.0, 0.0)
FRAMES: Final = ("base_link", "imu_link", "camera_link", "microphone_link")

OUTPUTS: Final = messages.OUTPUTS

Pairs = Iterator[tuple[str, object]]


class PerceptMessages:
    """Makes the messages of one robot. ``is_wanted`` says of a topic whether somebody listens; all are made at first.

    Args:
        joint_names: in the body's order.
        prefix: of all frames.
        me: team and number; that player is no entity. It may be set again.
        memory: of entities.
        camera: None where it is not known where the camera is: then there are no entities.
        torso: names of its sensors.
        view: from which side the player looks, and in which frame its poses are.
    """

    def __init__(
        self,
        joint_names: Sequence[str],
        prefix: str,
        me: Player,
        memory: EntityMemory,
        camera: Camera | None,
        torso: TorsoSensors,
        view: TeamView,
    ) -> None:
        self._joint_names = list(joint_names)
        self._frames: Mapping[str, str] = {name: prefix + name for name in FRAMES}
        self.me = me
        self._memory = memory
        self._entities = EntityMessages()
        self._camera = camera
        self._torso = torso
        self._view = view
        self._base = prefix + view.base
        self._news = GameNews()
        self.is_wanted: Callable[[str], bool] = lambda topic: True

    def restart(self) -> None:
        """A new connection, perhaps to another world: nothing of the old one is remembered."""
        self._memory.clear()
        self._news.forget()

    def of(self, percept: Percept, state: BodyState | None, stamp: Stamp) -> Pairs:
        """(topic, message) pairs of one percept, each made when it is asked for; a missing sensor gives none."""
        frames, is_wanted = self._frames, self.is_wanted
        if state is not None:
            if is_wanted("joint_states"):
                yield "joint_states", state_messages.joint_states(self._joint_names, state, stamp)
            if state.has_base and is_wanted("pose"):
                yield "pose", state_messages.pose(state, stamp, self._base)
        if is_wanted("imu"):
            imu = self._imu(percept, stamp, frames["imu_link"])
            if imu is not None:
                yield "imu", imu
        if percept.touches and is_wanted("touch"):
            yield "touch", messages.touch(percept.touches, stamp, frames["base_link"])
        if percept.game_state is not None:
            news = self._news.message(game(percept.game_state, self._view.side), stamp)
            if news is not None:
                yield "game_state", news
        if percept.microphones:
            for message in heard(percept, stamp, frames["microphone_link"]):
                yield "heard", message
        if percept.vision is not None:
            yield from self._seen(percept, percept.vision, state, stamp)

    def _seen(self, percept: Percept, vision: Vision, state: BodyState | None, stamp: Stamp) -> Pairs:
        wanted, watched = self.is_wanted("entities"), self.is_wanted("vision")
        due = state is not None and self._memory.due(
            state.time, wanted
        )  # it remembers also while nobody listens
        if not (due or watched):
            return
        seen = sight(vision.points, vision.agents)
        if watched:
            yield "vision", vision_message(seen, stamp, self._frames["camera_link"])
        if not due:
            return
        base = base_pose(percept, self._torso)
        base = None if base is None else self._view.pose(base)
        if state is None or base is None or self._camera is None:
            return
        eye = self._camera.pose(base, state.position)
        if eye is not None:
            things = sightings(seen, eye, self.me, BALL_DIAMETER, self._view.landmark)
            known = self._memory.look(things, state.time, stamp, partial(SOCCER.surely_shows, eye))
            if wanted:
                yield "entities", self._entities.array([*known, *self._memory.forgotten], stamp, self._base)

    def _imu(self, percept: Percept, stamp: Stamp, frame: str) -> Imu | None:
        torso = self._torso
        gyro, acceleration = (
            named(percept.gyros, torso.gyro),
            named(percept.accelerometers, torso.accelerometer),
        )
        if gyro is None or acceleration is None:
            return None
        turn = named(percept.orientations, torso.orientation)
        pose = None if turn is None else self._view.pose(Pose(NOWHERE, (turn.x, turn.y, turn.z, turn.w)))
        return messages.imu(
            rates(gyro),
            (acceleration.x_m_s2, acceleration.y_m_s2, acceleration.z_m_s2),
            None if pose is None else pose.quaternion,
            stamp,
            frame,
        )
