# SPDX-License-Identifier: Apache-2.0
"""Draws a scene: the lines of a field by its sizes, and solids for meshes whose files are not at hand."""

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail, Environment

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
    """Return what the environment says.

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
    """Return what is painted on the field: nothing if its size is unknown. Unknown parts are left out.

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


Rgba = tuple[float, float, float, float]

BOX, SPHERE, CYLINDER, MESH = "box", "sphere", "cylinder", "mesh"


@dataclass(frozen=True, slots=True)
class Solid:
    """``size``: extents along the node's axes, m (of a MESH its scale); ``center``: of it in the node, m."""

    form: str
    size: Vector
    color: Rgba
    center: Vector = (0.0, 0.0, 0.0)
    file: str = ""


# Parts of the Nao of rcssserver3d (sizes of its nao.rsg; x right, y forward, z up; body and head meshes lie with y up),
# and of the T1 and K1 of rcssservermj (x forward, y left, z up), by the names of their files. (form, size, center)
_PARTS: Final[tuple[tuple[re.Pattern[str], str, Vector, Vector], ...]] = tuple(
    (re.compile(pattern), form, size, center)
    for pattern, form, size, center in (
        (r"naobody\d*\.obj", BOX, (0.10, 0.18, 0.10), (0.0, 0.0, 0.0)),
        (r"naohead\.obj", SPHERE, (0.13, 0.13, 0.13), (0.0, 0.0, 0.0)),
        (r"[lr]upperarm\d*\.obj", BOX, (0.07, 0.08, 0.06), (0.0, 0.0, 0.0)),
        (r"[lr]lowerarm\d*\.obj", BOX, (0.05, 0.11, 0.05), (0.0, 0.0, 0.0)),
        (r"[lr]thigh\d*\.obj", BOX, (0.07, 0.07, 0.14), (0.0, 0.0, 0.0)),
        (r"[lr]shank\d*\.obj", BOX, (0.08, 0.07, 0.11), (0.0, 0.0, 0.0)),
        (r"[lr]foot\d*\.obj", BOX, (0.08, 0.16, 0.03), (0.0, 0.0, 0.0)),
        (r"soccerball\.obj", SPHERE, (0.084, 0.084, 0.084), (0.0, 0.0, 0.0)),
        (r"Trunk\.STL", BOX, (0.15, 0.20, 0.30), (0.06, 0.0, 0.12)),
        (r"(H1|Head_1)\.STL", CYLINDER, (0.06, 0.06, 0.06), (0.0, 0.0, 0.03)),
        (r"(H2|Head_2)\.STL", SPHERE, (0.16, 0.16, 0.20), (0.01, 0.0, 0.11)),
        (r"(AL1|AR1|Left_Arm_1|Right_Arm_1)\.STL", BOX, (0.08, 0.08, 0.08), (0.0, 0.0, 0.0)),
        (r"(AL2|AR2|Left_Arm_2|Right_Arm_2)\.STL", BOX, (0.07, 0.10, 0.07), (0.0, 0.0, 0.0)),
        (r"(AL3|AR3|Left_Arm_3|Right_Arm_3)\.STL", BOX, (0.06, 0.12, 0.06), (0.0, 0.0, 0.0)),
        (r"(left|right)_hand_link\.STL", BOX, (0.06, 0.14, 0.06), (0.0, 0.0, 0.0)),
        (r"Waist\.STL", BOX, (0.12, 0.16, 0.10), (0.0, 0.0, -0.03)),
        (r"Hip_Pitch_(Left|Right)\.STL", BOX, (0.10, 0.10, 0.08), (0.0, 0.0, 0.0)),
        (r"Hip_Roll(_Left|_Right)?\.STL", BOX, (0.09, 0.09, 0.10), (0.0, 0.0, -0.03)),
        (r"Hip_Yaw(_Left|_Right)?\.STL", BOX, (0.10, 0.10, 0.16), (0.0, 0.0, -0.05)),
        (r"Shank_(Left|Right)\.STL", BOX, (0.09, 0.09, 0.26), (0.0, 0.0, -0.13)),
        (r"Ankle_Cross_(Left|Right)\.STL", BOX, (0.05, 0.05, 0.04), (0.0, 0.0, 0.0)),
        (r".*foot_link\.STL", BOX, (0.22, 0.10, 0.04), (0.01, 0.0, -0.02)),
    )
)
ANY_PART: Final = (SPHERE, (0.08, 0.08, 0.08), (0.0, 0.0, 0.0))
SCENERY: Final = re.compile(
    r"(naosoccerfield|skybox|leftsoccergoal|rightsoccergoal)\.obj"
)  # drawn by the field's sizes

TEAM_COLORS: Final[dict[str, Rgba]] = {
    "matLeft": (0.15, 0.35, 0.95, 1.0),
    "matRight": (0.95, 0.2, 0.15, 1.0),
    "matTeam": (0.6, 0.6, 0.6, 1.0),
}
_COLORS: Final[dict[str, Rgba]] = {
    "matGrey": (0.5, 0.5, 0.5, 1.0),
    "matDarkGrey": (0.25, 0.25, 0.25, 1.0),
    "matWhite": (1.0, 1.0, 1.0, 1.0),
    "matBlack": (0.05, 0.05, 0.05, 1.0),
    "matYellow": (0.9, 0.85, 0.2, 1.0),
    "matRed": (0.9, 0.2, 0.2, 1.0),
    "matBlue": (0.2, 0.3, 0.9, 1.0),
    "matGreen": (0.2, 0.7, 0.3, 1.0),
    "matOrange": (1.0, 0.55, 0.1, 1.0),
    "matSelect": (1.0, 1.0, 0.2, 0.6),
    "gray": (0.55, 0.55, 0.58, 1.0),
    "jersey_mat": (0.9, 0.9, 0.9, 1.0),
    "ball": (1.0, 0.5, 0.1, 1.0),
    "soccerball_rcs-soccerball.png": (1.0, 0.5, 0.1, 1.0),
    "naowhite": (0.9, 0.9, 0.9, 1.0),
    "transparent": (0.8, 0.8, 0.8, 0.2),
}
PLAIN: Final[Rgba] = (0.65, 0.65, 0.65, 1.0)
FLAT: Final = 0.02  # m; the thickness that a viewer needs of what has none


def solid_of(detail: Detail) -> Solid | None:
    """Return what to draw for a node; None if it is hidden, no mesh, drawn with the field, or not finite."""
    if not detail.mesh or detail.visible is False or SCENERY.search(detail.mesh):
        return None
    form, size, center = _form(detail)
    if not all(0.0 < extent < LARGEST for extent in size):
        return None
    return Solid(form, size, color_of(detail), center)


def color_of(detail: Detail) -> Rgba:
    """The colour that was sent, that of the team, or of the first material with a known one."""
    if detail.color is not None:
        red, green, blue, alpha = (min(max(v, 0.0), 1.0) if math.isfinite(v) else 0.5 for v in detail.color)
        return red, green, blue, alpha
    materials = detail.materials or ()
    known = [TEAM_COLORS[name] for name in materials if name in TEAM_COLORS]
    known += [_COLORS[name] for name in materials if name in _COLORS]
    return known[0] if known else PLAIN


def _form(detail: Detail) -> tuple[str, Vector, Vector]:
    x, y, z = detail.scale or (1.0, 1.0, 1.0)
    middle = (0.0, 0.0, 0.0)
    match detail.mesh:
        case "StdUnitBox":
            return BOX, (abs(x), abs(y), abs(z)), middle
        case "StdUnitSphere":  # its radius is 1
            return SPHERE, (2.0 * abs(x), 2.0 * abs(y), 2.0 * abs(z)), middle
        case "StdUnitCylinder" | "StdCapsule":  # with a radius and a length of 1 if they are not told
            radius, length = _radius_and_length(detail.parameters)
            round_ends = 2.0 * radius if detail.mesh == "StdCapsule" else 0.0
            size = (2.0 * radius * abs(x), 2.0 * radius * abs(y), (length + round_ends) * abs(z))
            return CYLINDER, size, middle
    name = (detail.mesh or "").rpartition("/")[2]
    for pattern, form, size, center in _PARTS:
        if pattern.fullmatch(name):
            return form, size, center
    return ANY_PART


def _radius_and_length(parameters: tuple[float, ...] | None) -> tuple[float, float]:
    return (parameters[0], parameters[1]) if parameters and len(parameters) == 2 else (1.0, 1.0)
