# SPDX-License-Identifier: Apache-2.0
"""Makes messages of what a robot senses of itself and of the game, and names once what reaches no topic."""

from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple

from geometry_msgs.msg import Quaternion, Vector3
from sensor_msgs.msg import Imu
from std_msgs.msg import Header

from embodiment_bridge.core.rotation import Quaternion as Turn
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.msg import GameState, TouchState, TouchStates
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.registry import Output
from embodiment_bridge.protocols.soccer.percepts import Touch

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
        """Return what is new since the last call."""
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
            score_left=_int32(game.score_left),
            score_right=_int32(game.score_right),
            own_side=game.own_side,
        )


def _int32(value: int) -> int:
    return max(-INT32 - 1, min(value, INT32))


# sensor_msgs/Imu: the first element -1 says that the value is not measured
UNKNOWN_COVARIANCE: Final = [-1.0] + [0.0] * 8
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


def imu(rates: Vector, acceleration: Vector, turn: Turn | None, stamp: Stamp, frame: str) -> Imu:
    """Rates (rad/s), proper acceleration (m/s2) and, if known, orientation in the map; ``frame`` is the sensor's."""
    message = Imu(header=Header(stamp=stamp, frame_id=frame))
    message.angular_velocity = Vector3(x=rates[0], y=rates[1], z=rates[2])
    message.linear_acceleration = Vector3(x=acceleration[0], y=acceleration[1], z=acceleration[2])
    if turn is not None:
        message.orientation = Quaternion(x=turn[0], y=turn[1], z=turn[2], w=turn[3])
    else:
        message.orientation_covariance = UNKNOWN_COVARIANCE
    return message


def touch(touches: Iterable[Touch], stamp: Stamp, frame: str) -> TouchStates:
    """All touch sensors; the simulators send a whole number, 0 without contact."""
    return TouchStates(
        header=Header(stamp=stamp, frame_id=frame),
        sensors=[
            TouchState(name=sensor.name, touched=sensor.value != 0) for sensor in islice(touches, MAX_TOUCHES)
        ],
    )
