# SPDX-License-Identifier: Apache-2.0
"""What goes on around a robot, as messages: the game, and what is said."""

import math
from typing import Any

from std_msgs.msg import Header

from embodiment_bridge.core.units import RAD_PER_DEG
from embodiment_bridge.msg import HeardMessage
from embodiment_bridge.protocols.rcsssmj import events
from embodiment_bridge.protocols.soccer.game_messages import MAX_HEARD, Game


def game(state: events.GameState) -> Game:
    """How the game stands; a team that does not exist yet has no name."""
    return Game(
        state.play_time_s,
        state.play_mode,
        state.team_left or "",
        state.team_right or "",
        state.score_left,
        state.score_right,
    )


def heard(percept: events.Percept, stamp: Any, frame: str) -> list[HeardMessage]:
    """What was said, in the server's order; ``frame`` is the microphone's."""
    said = [one for microphone in percept.microphones for one in microphone.heard]
    return [_heard(one, stamp, frame) for one in said[:MAX_HEARD]]


def _heard(said: events.Heard, stamp: Any, frame: str) -> HeardMessage:
    known = math.isfinite(said.azimuth_deg)
    return HeardMessage(
        header=Header(stamp=stamp, frame_id=frame),
        text=_text(said.message),
        has_direction=known,
        azimuth=said.azimuth_deg * RAD_PER_DEG if known else 0.0,
    )


def _text(message: bytes) -> str:
    """Anybody may say any bytes. A zero byte would end a ROS string, so it is escaped as those that are no UTF-8."""
    return message.decode("utf-8", "backslashreplace").replace("\0", "\\x00")
