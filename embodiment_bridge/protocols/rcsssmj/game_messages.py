# SPDX-License-Identifier: Apache-2.0
"""What goes on around a robot, as messages: the game, and what is said."""

import math
from typing import Any, Final

from std_msgs.msg import Header

from embodiment_bridge.msg import GameState, HeardMessage
from embodiment_bridge.protocols.rcsssmj import events
from embodiment_bridge.units import RAD_PER_DEG

INT32: Final = 2**31 - 1
MAX_HEARD: Final = 64  # messages of one percept; at most 21 others speak in a cycle


def game_state(state: events.GameState, stamp: Any) -> GameState:
    """How the game stands; scores beyond 32 bits stay at that limit."""
    return GameState(
        header=Header(stamp=stamp),
        play_time=state.play_time_s,
        play_mode=state.play_mode,
        team_left=state.team_left or "",
        team_right=state.team_right or "",
        score_left=_int32(state.score_left),
        score_right=_int32(state.score_right),
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


def _int32(value: int) -> int:
    return max(-INT32 - 1, min(value, INT32))
