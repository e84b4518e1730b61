# SPDX-License-Identifier: Apache-2.0
"""Percepts as ROS messages: which topics a percept has something for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from sensor_msgs.msg import Imu

from embodiment_bridge.body import state_messages
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.rcsssmj import game_messages
from embodiment_bridge.protocols.rcsssmj.convert import base_pose
from embodiment_bridge.protocols.rcsssmj.events import Percept, Vision
from embodiment_bridge.protocols.soccer import body_messages
from embodiment_bridge.protocols.soccer.convert import rates, sight
from embodiment_bridge.protocols.soccer.game_messages import GameNews
from embodiment_bridge.scene.camera import Camera
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.messages import entity_array, vision_message
from embodiment_bridge.scene.soccer import Player, sightings

BALL_DIAMETER: Final = 0.22  # m, of rcssservermj 0.2.1 on all of its fields
FRAMES: Final = ("map", "base_link", "imu_link", "camera_link", "microphone_link")

Pairs = Iterator[tuple[str, object]]


class PerceptMessages:
    """Makes the messages of one robot. ``is_wanted`` says of a topic whether somebody listens; all are made at first.

    Args:
        joint_names: in the body's order.
        prefix: of all frames.
        me: team and number; that player is no entity.
        memory: of entities.
        camera: None where it is not known where the camera is: then there are no entities.
    """

    def __init__(
        self, joint_names: Sequence[str], prefix: str, me: Player, memory: EntityMemory, camera: Camera | None
    ) -> None:
        self._joint_names = list(joint_names)
        self._frames: Mapping[str, str] = {name: prefix + name for name in FRAMES}
        self._me = me
        self._memory = memory
        self._camera = camera
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
                yield "pose", state_messages.pose(state, stamp, frames["map"])
        if percept.gyros and percept.accelerometers and is_wanted("imu"):
            yield "imu", _imu(percept, stamp, frames["imu_link"])
        if percept.touches and is_wanted("touch"):
            yield "touch", body_messages.touch(percept.touches, stamp, frames["base_link"])
        if percept.game_state is not None:
            news = self._news.message(game_messages.game(percept.game_state), stamp)
            if news is not None:
                yield "game_state", news
        if percept.microphones:
            for message in game_messages.heard(percept, stamp, frames["microphone_link"]):
                yield "heard", message
        if percept.vision is not None:
            yield from self._seen(percept, percept.vision, state, stamp)

    def _seen(self, percept: Percept, vision: Vision, state: BodyState | None, stamp: Stamp) -> Pairs:
        seen = sight(vision.points, vision.agents)
        if self.is_wanted("vision"):
            yield "vision", vision_message(seen, stamp, self._frames["camera_link"])
        base = base_pose(percept)
        if state is None or base is None or self._camera is None:
            return
        eye = self._camera.pose(base, state.position)
        if eye is not None:
            things = sightings(seen, eye, self._me, BALL_DIAMETER)
            known = self._memory.look(things, state.time, stamp)  # it remembers also while nobody listens
            if self.is_wanted("entities"):
                yield "entities", entity_array(known, stamp, self._frames["map"])


def _imu(percept: Percept, stamp: Stamp, frame: str) -> Imu:
    gyro, acceleration = percept.gyros[0], percept.accelerometers[0]
    turn = percept.orientations[0] if percept.orientations else None
    return body_messages.imu(
        rates(gyro),
        (acceleration.x_m_s2, acceleration.y_m_s2, acceleration.z_m_s2),
        None if turn is None else (turn.x, turn.y, turn.z, turn.w),
        stamp,
        frame,
    )
