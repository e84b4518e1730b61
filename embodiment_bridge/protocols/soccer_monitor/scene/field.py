# SPDX-License-Identifier: Apache-2.0
"""A soccer field: its sizes and rules under names of our own, and its lines as pairs of points (m)."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.protocols.soccer_monitor.scene.events import Environment

# Sizes and rules of a field under names of our own; both servers' names lead there.

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


Line = tuple[Vector, Vector]

CIRCLE_PARTS: Final = 48
LARGEST: Final = 1000.0  # m; a larger field is none


def field_lines(field: FieldValues) -> list[Line]:
    """What is painted on the field: nothing where its size is not told. Parts that are not told are left out.

    rcssserver3d tells neither circle nor areas. Drawn are those of the rules of its league: a circle with the radius of
    a free kick, and a penalty area of 1.8 m by 3.9 m more than the goal.
    """
    length, width = field.get("length"), field.get("width")
    if not (length < LARGEST and width < LARGEST):
        return []
    x, y = 0.5 * length, 0.5 * width
    goal = field.get("goal_width")
    told = not math.isnan(field.get("center_circle_radius"))
    area_length = field.get("penalty_area_length", math.nan if told else 1.8)
    area_width = field.get("penalty_area_width", math.nan if told else goal + 3.9)
    lines = [*_box(-x, x, y), ((0.0, -y, 0.0), (0.0, y, 0.0))]
    lines += _circle(field.get("center_circle_radius", field.get("free_kick_distance")))
    lines += _areas(x, area_length, area_width)
    lines += _areas(x, field.get("goalie_area_length"), field.get("goalie_area_width"))
    return [line for line in lines if all(abs(v) < LARGEST for end in line for v in end)]


def goal_lines(field: FieldValues) -> tuple[list[Line], list[Line]]:
    """The posts and bars of the left and of the right goal."""
    x, y = 0.5 * field.get("length"), 0.5 * field.get("goal_width")
    z, depth = field.get("goal_height"), field.get("goal_depth")
    if not (x < LARGEST and y < LARGEST and z < LARGEST and depth < LARGEST):
        return [], []
    return _goal(-x, -x - depth, y, z), _goal(x, x + depth, y, z)


def _goal(front: float, back: float, y: float, z: float) -> list[Line]:
    near = [(front, -y, 0.0), (front, -y, z), (front, y, z), (front, y, 0.0)]
    far = [(back, -y, 0.0), (back, -y, z), (back, y, z), (back, y, 0.0)]
    ring = [*pairwise(near), *zip(far, [*far[1:], far[0]], strict=True)]
    return [*ring, *zip(near, far, strict=True)]


def _box(x0: float, x1: float, y: float) -> list[Line]:
    corners = [(x0, -y, 0.0), (x1, -y, 0.0), (x1, y, 0.0), (x0, y, 0.0)]
    return list(zip(corners, [*corners[1:], corners[0]], strict=True))


def _areas(x: float, length: float, width: float) -> list[Line]:
    if math.isnan(length + width):
        return []
    return [*_box(-x, -x + length, 0.5 * width), *_box(x - length, x, 0.5 * width)]


def _circle(radius: float) -> list[Line]:
    if math.isnan(radius):
        return []
    turn = 2.0 * math.pi / CIRCLE_PARTS
    points = [
        (radius * math.cos(turn * i), radius * math.sin(turn * i), 0.0) for i in range(CIRCLE_PARTS + 1)
    ]
    return list(pairwise(points))
