# SPDX-License-Identifier: Apache-2.0
"""Percepts as ROS messages: which topics a percept has something for."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from embodiment_bridge.body import BodyState
from embodiment_bridge.protocols.rcsssmj import body_messages, game_messages
from embodiment_bridge.protocols.rcsssmj.events import GameState, Percept, Vision
from embodiment_bridge.protocols.rcsssmj.sight import base_pose, sight
from embodiment_bridge.scene.camera import Camera
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.messages import entity_array, vision_message
from embodiment_bridge.scene.soccer import Player, sightings

BALL_DIAMETER: Final = 0.22  # m, of rcssservermj 0.2.1 on all of its fields
FRAMES: Final = ("map", "base_link", "imu_link", "camera_link", "microphone_link")

Pairs = list[tuple[str, Any]]


class Messages:
    """Makes the messages of one robot.

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
        self._game_told: tuple[Any, ...] = ()

    def restart(self) -> None:
        """A new connection, perhaps to another world: nothing of the old one is remembered."""
        self._memory.clear()
        self._game_told = ()

    def of(self, percept: Percept, state: BodyState | None, stamp: Any) -> Pairs:
        """(topic, message) pairs of one percept; a sensor that it did not have gives none."""
        frames = self._frames
        pairs: Pairs = []
        if state is not None:
            pairs.append(("joint_states", body_messages.joint_states(self._joint_names, state, stamp)))
            if state.has_base:
                pairs.append(("pose", body_messages.pose(state, stamp, frames["map"])))
        if percept.gyros and percept.accelerometers:
            pairs.append(("imu", body_messages.imu(percept, stamp, frames["imu_link"])))
        if percept.touches:
            pairs.append(("touch", body_messages.touch(percept, stamp, frames["base_link"])))
        if percept.game_state is not None and self._is_news(percept.game_state, stamp):
            pairs.append(("game_state", game_messages.game_state(percept.game_state, stamp)))
        if percept.microphones:
            heard = game_messages.heard(percept, stamp, frames["microphone_link"])
            pairs += [("heard", message) for message in heard]
        if percept.vision is not None:
            pairs += self._seen(percept, percept.vision, state, stamp)
        return pairs

    def _is_news(self, game: GameState, stamp: Any) -> bool:
        """Whether anything but the play time has changed, or a second has passed."""
        now = (game.play_mode, game.team_left, game.team_right, game.score_left, game.score_right, stamp.sec)
        news = now != self._game_told
        self._game_told = now
        return news

    def _seen(self, percept: Percept, vision: Vision, state: BodyState | None, stamp: Any) -> Pairs:
        seen = sight(vision)
        pairs: Pairs = [("vision", vision_message(seen, stamp, self._frames["camera_link"]))]
        base = base_pose(percept)
        if state is None or base is None or self._camera is None:
            return pairs
        eye = self._camera.pose(base, state.position)
        if eye is not None:
            things = sightings(seen, eye, self._me, BALL_DIAMETER)
            known = self._memory.look(things, state.time, stamp)
            pairs.append(("entities", entity_array(known, stamp, self._frames["map"])))
        return pairs
