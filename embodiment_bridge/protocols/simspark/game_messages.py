# SPDX-License-Identifier: Apache-2.0
"""What goes on around a Nao, as messages: the game, and what is said."""

from std_msgs.msg import Header

from embodiment_bridge.msg import HeardMessage
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.simspark import events
from embodiment_bridge.protocols.simspark.convert import direction
from embodiment_bridge.protocols.soccer.game_messages import MAX_HEARD, Game


def game(state: events.GameState, team: str, side: str) -> Game:
    """The state of the game for a player of ``team`` on ``side``; the name of the other team is not known."""
    return Game(
        state.play_time_s,
        state.play_mode,
        team if side == "left" else "",
        team if side == "right" else "",
        state.score_left or 0,
        state.score_right or 0,
        side,
    )


def heard(
    percept: events.Percept, side: str, yaw: float | None, stamp: Stamp, frame: str
) -> list[HeardMessage]:
    """What was said, in the server's order. ``yaw``: rad, of the frame in ``map``; None where it is not known."""
    return [_heard(one, side, yaw, stamp, frame) for one in percept.heard[:MAX_HEARD]]


def _heard(said: events.Heard, side: str, yaw: float | None, stamp: Stamp, frame: str) -> HeardMessage:
    azimuth = None if yaw is None else direction(said, side, yaw)
    return HeardMessage(
        header=Header(stamp=stamp, frame_id=frame),
        sender=(said.team or "").replace("\0", ""),
        text=said.message.replace("\0", "\\x00"),
        has_direction=azimuth is not None,
        azimuth=azimuth or 0.0,
    )
