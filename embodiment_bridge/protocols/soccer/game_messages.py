# SPDX-License-Identifier: Apache-2.0
"""What goes on around a robot, as messages: how the game stands, and when that is news."""

from typing import Final, NamedTuple

from std_msgs.msg import Header

from embodiment_bridge.msg import GameState
from embodiment_bridge.protocols.converter import Stamp

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
