# SPDX-License-Identifier: Apache-2.0
"""The game and what is said in it, as messages."""

from std_msgs.msg import Header

from embodiment_bridge.msg import HeardMessage
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.rcsssmj import events
from embodiment_bridge.protocols.rcsssmj.convert import direction
from embodiment_bridge.protocols.soccer.game_messages import MAX_HEARD, Game


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
    """What was said, in the server's order; ``frame`` is the microphone's."""
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
