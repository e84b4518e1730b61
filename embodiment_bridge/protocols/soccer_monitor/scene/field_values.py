# SPDX-License-Identifier: Apache-2.0
"""Sizes and rules of a field under names of our own; both servers' names lead there."""

import math
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.protocols.soccer_monitor.scene.events import Environment

# Both servers' names, and the fields of SoccerField.msg. CorderAreaRadius is how rcssservermj 0.2.1 spells it.
NAMES: Final = {
    "FieldLength": "length",
    "FieldWidth": "width",
    "FieldHeight": "height",
    "BorderSize": "border",
    "GoalWidth": "goal_width",
    "GoalDepth": "goal_depth",
    "GoalHeight": "goal_height",
    "CenterCircleRadius": "center_circle_radius",
    "CornerAreaRadius": "corner_area_radius",
    "CorderAreaRadius": "corner_area_radius",
    "GoalieAreaLength": "goalie_area_length",
    "GoalieAreaWidth": "goalie_area_width",
    "PenaltyAreaLength": "penalty_area_length",
    "PenaltyAreaWidth": "penalty_area_width",
    "PenaltySpotDistance": "penalty_spot_distance",
    "BallRadius": "ball_radius",
    "BallMass": "ball_mass",
    "AgentRadius": "agent_radius",
    "FreeKickDistance": "free_kick_distance",
    "WaitBeforeKickOff": "wait_before_kick_off",
    "RuleGoalPauseTime": "goal_pause",
    "RuleKickInPauseTime": "kick_in_pause",
    "RuleHalfTime": "half_time",
    "PassModeMinOppBallDist": "pass_mode_distance",
    "PassModeDuration": "pass_mode_duration",
}


@dataclass(frozen=True, slots=True)
class FieldValues:
    """``values`` by the fields of SoccerField.msg, m, s and kg; what was not told is not there."""

    values: dict[str, float]

    def get(self, name: str, default: float = math.nan) -> float:
        """A value, or the default where it was not told or is not finite and positive."""
        value = self.values.get(name, math.nan)
        return value if math.isfinite(value) and value > 0.0 else default


def field_values(environment: Environment) -> FieldValues:
    """What the environment says.

    rcssservermj 0.2.1 tells the depth of its goals as their width and the width as their depth. Every goal is wider
    than it is deep, so the larger one is the width.
    """
    values = {NAMES[name]: value for name, value in environment.values.items() if name in NAMES}
    width, depth = values.get("goal_width"), values.get("goal_depth")
    if width is not None and depth is not None and depth > width:
        values["goal_width"], values["goal_depth"] = depth, width
    return FieldValues(values)
