# SPDX-License-Identifier: Apache-2.0
"""Makes messages of what a robot senses of itself and of the game, and names once what reaches no topic."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from std_msgs.msg import Header

from embodiment_bridge.body import state_messages
from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.msg import GameState, HeardMessage, TouchState, TouchStates
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.registry import Output
from embodiment_bridge.protocols.soccer.convert import TeamView
from embodiment_bridge.protocols.soccer.percepts import Touch
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.messages import EntityMessages
from embodiment_bridge.scene.sight import SOCCER, Point, Pose, Sight
from embodiment_bridge.scene.soccer import NameOf, Player, sightings

# What a server sends that reaches no topic, so that people are told of it once.

MAX_TOLD: Final = 20  # sentences; a server that sends ever new names is not followed further


class LeftOut:
    """Collects sentences; each is given out once."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._new: list[str] = []

    def note(self, sentence: str) -> None:
        """Say this, unless it was said before."""
        if sentence not in self._told and len(self._told) < MAX_TOLD:
            self._told.add(sentence)
            self._new.append(sentence)

    def take(self) -> list[str]:
        """Return the sentences that are new since the last call."""
        if not self._new:
            return []
        new, self._new = self._new, []
        return new


# What goes on around a robot, as messages: how the game stands, and when that is news.

INT32: Final = 2**31 - 1
MAX_HEARD: Final = 64  # messages of one percept; at most 21 others speak in a cycle


class Game(NamedTuple):
    """The state of a game: play time s, play mode as the server calls it, team names (empty: not known), scores.

    own_side: ``left`` or ``right``, of the player who tells; empty: not known.
    """

    play_time: float
    play_mode: str
    team_left: str
    team_right: str
    score_left: int
    score_right: int
    own_side: str = ""


class GameNews:
    """Makes messages of what is news: a change of anything but the play time, or a second that has passed."""

    def __init__(self) -> None:
        self._told: tuple[str | int, ...] = ()

    def forget(self) -> None:
        """Another game perhaps: all is news."""
        self._told = ()

    def message(self, game: Game, stamp: Stamp) -> GameState | None:
        """The message, or None when this is no news; scores beyond 32 bits stay at that limit."""
        now = (*game[1:], stamp.sec)
        if now == self._told:
            return None
        self._told = now
        return GameState(
            header=Header(stamp=stamp),
            play_time=game.play_time,
            play_mode=game.play_mode,
            team_left=game.team_left,
            team_right=game.team_right,
            score_left=int32(game.score_left),
            score_right=int32(game.score_right),
            own_side=game.own_side,
        )


def int32(value: int) -> int:
    """The nearest number of 32 bits."""
    return max(-INT32 - 1, min(value, INT32))


OUTPUTS: Final = (
    Output("joint_states", "sensor_msgs.msg:JointState", "sensor", of_state=True),
    Output("imu", "sensor_msgs.msg:Imu", "sensor"),
    Output("pose", "geometry_msgs.msg:PoseStamped", "sensor"),
    Output("vision", "embodiment_bridge.msg:Vision", "sensor"),
    Output("entities", "embodiment_bridge.msg:EntityArray", "sensor"),
    Output("touch", "embodiment_bridge.msg:TouchStates", "sensor"),
    Output("heard", "embodiment_bridge.msg:HeardMessage", "events"),
    Output("game_state", "embodiment_bridge.msg:GameState", "latched"),
)
"""The topics of every soccer simulator."""
MAX_TOUCHES: Final = 64  # sensors; far more than any robot has


FRAMES: Final = ("base_link", "imu_link", "camera_link", "microphone_link")
Pairs: TypeAlias = Iterator[tuple[str, object]]
"""(topic, message) pairs, each made when it is asked for."""


class PlayerMessages:
    """Makes the messages that the percepts of every simulator give.

    ``is_wanted`` says of a topic whether somebody listens; all are made at first.

    Args:
        joint_names: in the body's order.
        prefix: before every frame name.
        memory: of entities.
        view: from which side the player looks, and in which frame its poses are.
        ball: its diameter, m.
    """

    def __init__(
        self, joint_names: Sequence[str], prefix: str, memory: EntityMemory, view: TeamView, ball: float
    ) -> None:
        self._joint_names = list(joint_names)
        self._frames = {name: prefix + name for name in FRAMES}
        self._memory = memory
        self._entities = EntityMessages()
        self._view = view
        self._base = prefix + view.base
        self._ball = ball
        self._news = GameNews()
        self.is_wanted: Callable[[str], bool] = lambda topic: True

    def restart(self) -> None:
        """Forget the last connection: the world may be another one."""
        self._memory.clear()
        self._news.forget()

    def _body(self, state: BodyState, stamp: Stamp) -> Pairs:
        if self.is_wanted("joint_states"):
            yield "joint_states", state_messages.joint_states(self._joint_names, state, stamp)
        if state.has_base and self.is_wanted("pose"):
            yield "pose", state_messages.pose(state, stamp, self._base)

    def _touched(self, touches: Sequence[Touch], stamp: Stamp) -> Pairs:
        """All touch sensors; the simulators send a whole number, 0 without contact."""
        if touches and self.is_wanted("touch"):
            states = [TouchState(name=one.name, touched=one.value != 0) for one in touches[:MAX_TOUCHES]]
            yield "touch", TouchStates(header=self._header("base_link", stamp), sensors=states)

    def _game(self, game: Game, stamp: Stamp) -> Pairs:
        news = self._news.message(game, stamp)
        if news is not None:
            yield "game_state", news

    def _named(self, point: Point, _: Vector) -> str:
        """The name of a landmark that the server calls by one."""
        return self._view.landmark(point.name)

    def _remembered(
        self,
        seen: Sight,
        eye: Pose,
        me: Player,
        time: float,
        stamp: Stamp,
        name_of: NameOf,
        noise: float = 0.0,
    ) -> Pairs:
        """All entities after a picture that was taken from ``eye`` at ``time`` (s); ``me`` is none of them.

        name_of, noise: see ``sightings``.
        """
        things = sightings(seen, eye, me, self._ball, name_of, noise)
        # it remembers also while nobody listens
        known = self._memory.look(things, time, stamp, partial(SOCCER.surely_shows, eye))
        if self.is_wanted("entities"):
            yield "entities", self._entities.array([*known, *self._memory.forgotten], stamp, self._base)

    def _header(self, frame: str, stamp: Stamp) -> Header:
        return Header(stamp=stamp, frame_id=self._frames[frame])


def heard(text: str, azimuth: float | None, header: Header, sender: str = "") -> HeardMessage:
    """A text that was heard from ``azimuth`` (rad); a zero byte would end a ROS string, so it is escaped."""
    return HeardMessage(
        header=header,
        sender=sender.replace("\0", ""),
        text=text.replace("\0", "\\x00"),
        has_direction=azimuth is not None,
        azimuth=azimuth or 0.0,
    )
