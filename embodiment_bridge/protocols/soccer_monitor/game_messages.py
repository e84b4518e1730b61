# SPDX-License-Identifier: Apache-2.0
"""Field, rules and state of a game as messages."""

import math
from typing import Final

from std_msgs.msg import Header

from embodiment_bridge.msg import Foul, GameState, SoccerField
from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.soccer_monitor.game_record import GameRecord, ToldFoul
from embodiment_bridge.protocols.soccer_monitor.scene.field_values import NAMES, FieldValues

INT32: Final = 2**31 - 1


def soccer_field(field: FieldValues, play_modes: tuple[str, ...], stamp: Stamp, frame: str) -> SoccerField:
    """Field and rules; nan for what was not told."""
    message = SoccerField(header=Header(stamp=stamp, frame_id=frame), play_modes=list(play_modes))
    for name in set(NAMES.values()):
        setattr(message, name, field.values.get(name, math.nan))
    return message


def game_state(game: GameRecord, stamp: Stamp) -> GameState:
    """The state of the game; unknown values are 0 or empty."""
    state = game.state
    return GameState(
        header=Header(stamp=stamp),
        play_time=state.time_s if state.time_s is not None else 0.0,
        play_mode=game.play_mode,
        team_left=game.team("left"),
        team_right=game.team("right"),
        score_left=int32(state.score_left or 0),
        score_right=int32(state.score_right or 0),
        half=min(max(state.half or 0, 0), 255),
    )


def news(game: GameRecord) -> tuple[object, ...]:
    """What makes a message of the game news: a change of anything but the clocks, or a second of play."""
    state = game.state
    second = math.floor(state.time_s) if state.time_s is not None and math.isfinite(state.time_s) else None
    shown = (state.half, game.play_mode, state.score_left, state.score_right)
    return (*shown, game.team("left"), game.team("right"), second)


def foul(told: ToldFoul, stamp: Stamp) -> Foul:
    """One foul."""
    return Foul(
        header=Header(stamp=stamp),
        index=-1 if told.index is None else int32(told.index),
        type=int32(told.type),
        name=told.name,
        side=told.side,
        team=told.team,
        number=int32(told.number),
    )


def int32(value: int) -> int:
    """The nearest number of 32 bits."""
    return max(-INT32 - 1, min(value, INT32))
