# SPDX-License-Identifier: Apache-2.0
"""Sizes of the field and of what is on it, m, and the names of the play modes."""

from typing import Final

FIELD_LENGTH: Final = 30.0
FIELD_WIDTH: Final = 20.0
GOAL_WIDTH: Final = 2.1
AGENT_RADIUS: Final = 0.4
BALL_RADIUS: Final = 0.042
BEAM_MODES: Final = ("BeforeKickOff", "Goal_Left", "Goal_Right")
STOPPED_MODES: Final = ("BeforeKickOff", "GameOver")
PLAY_MODES: Final = (
    "BeforeKickOff", "KickOff_Left", "KickOff_Right", "PlayOn", "KickIn_Left", "KickIn_Right", "corner_kick_left",
    "corner_kick_right", "goal_kick_left", "goal_kick_right", "offside_left", "offside_right", "GameOver",
    "Goal_Left", "Goal_Right", "free_kick_left", "free_kick_right", "direct_free_kick_left",
    "direct_free_kick_right", "pass_left", "pass_right",
)  # fmt: skip
