# SPDX-License-Identifier: Apache-2.0
"""Makes ROS messages of the percepts of a robot of RCSSServerMJ."""

from collections.abc import Sequence
from typing import Final

from sensor_msgs.msg import Imu
from typing_extensions import override

from embodiment_bridge.body import state_messages
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.rcsssmj.convert import base_pose, direction, named, picture
from embodiment_bridge.protocols.rcsssmj.events import GameState, Percept, Vision
from embodiment_bridge.protocols.rcsssmj.field import FieldFinder
from embodiment_bridge.protocols.rcsssmj.robots import TorsoSensors
from embodiment_bridge.protocols.soccer import messages
from embodiment_bridge.protocols.soccer.convert import TeamView, rates
from embodiment_bridge.protocols.soccer.messages import MAX_HEARD, Game, Pairs, PlayerMessages, heard
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.messages import vision_message
from embodiment_bridge.scene.sight import Camera, Point, Pose
from embodiment_bridge.scene.soccer import Player

BALL_DIAMETER: Final = 0.22  # m, of rcssservermj 0.2.1 on all of its fields
# Of master: one sigma, as a share of the distance; the 0.5 degrees across are nearly that.
NOISE: Final = 0.01
NOWHERE: Final = (0.0, 0.0, 0.0)

OUTPUTS: Final = messages.OUTPUTS


class PerceptMessages(PlayerMessages):
    """Makes the messages of one robot.

    Args:
        joint_names: in the body's order.
        prefix: of all frames.
        memory: of entities.
        view: from which side the player looks, and in which frame its poses are.
        me: team and number; that player is no entity. It may be set again.
        camera: None where it is not known where the camera is: then there are no entities.
        torso: names of its sensors.
        field: names landmarks that have no name of their own.
    """

    def __init__(
        self,
        joint_names: Sequence[str],
        prefix: str,
        memory: EntityMemory,
        view: TeamView,
        me: Player,
        camera: Camera | None,
        torso: TorsoSensors,
        field: FieldFinder,
    ) -> None:
        super().__init__(joint_names, prefix, memory, view, BALL_DIAMETER)
        self.me = me
        self._camera = camera
        self._torso = torso
        self._field = field

    @override
    def restart(self) -> None:
        super().restart()
        self._field.forget()

    def of(self, percept: Percept, state: BodyState | None, stamp: Stamp) -> Pairs:
        """(topic, message) pairs of one percept, each made when it is asked for; a missing sensor gives none."""
        if state is not None:
            yield from self._body(state, stamp)
        if self.is_wanted("imu"):
            imu = self._imu(percept, stamp)
            if imu is not None:
                yield "imu", imu
        yield from self._touched(percept.touches, stamp)
        if percept.game_state is not None:
            yield from self._game(_game(percept.game_state, self._view.side), stamp)
        said = [one for microphone in percept.microphones for one in microphone.heard]
        for one in said[:MAX_HEARD]:
            # anybody may say any bytes
            text = one.message.decode("utf-8", "backslashreplace")
            yield "heard", heard(text, direction(one), self._header("microphone_link", stamp))
        if percept.vision is not None:
            yield from self._seen(percept, percept.vision, state, stamp)

    def _seen(self, percept: Percept, vision: Vision, state: BodyState | None, stamp: Stamp) -> Pairs:
        due = state is not None and self._memory.due(state.time, self.is_wanted("entities"))
        watched = self.is_wanted("vision")
        if not (due or watched):
            return
        seen = picture(vision, percept.game_state)
        if watched:
            yield "vision", vision_message(seen, stamp, self._frames["camera_link"])
        base = base_pose(percept, self._torso) if due else None
        base = None if base is None else self._view.pose(base)
        if state is None or base is None or self._camera is None:
            return
        eye = self._camera.pose(base, state.position)
        if eye is not None:
            how = (self._found, NOISE) if vision.letters else (self._named, 0.0)
            yield from self._remembered(seen, eye, self.me, state.time, stamp, *how)

    def _found(self, point: Point, place: Vector) -> str:
        return self._field.name(point.name, place, point.distance)

    def _imu(self, percept: Percept, stamp: Stamp) -> Imu | None:
        torso = self._torso
        gyro = named(percept.gyros, torso.gyro)
        acceleration = named(percept.accelerometers, torso.accelerometer)
        if gyro is None or acceleration is None:
            return None
        turn = named(percept.orientations, torso.orientation)
        pose = None if turn is None else self._view.pose(Pose(NOWHERE, (turn.x, turn.y, turn.z, turn.w)))
        return state_messages.imu(
            rates(gyro),
            (acceleration.x_m_s2, acceleration.y_m_s2, acceleration.z_m_s2),
            None if pose is None else pose.quaternion,
            stamp,
            self._frames["imu_link"],
        )


def _game(state: GameState, side: str) -> Game:
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
