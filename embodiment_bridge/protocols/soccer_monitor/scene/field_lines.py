# SPDX-License-Identifier: Apache-2.0
"""The lines of a soccer field as pairs of points, m, from its sizes."""

import math
from itertools import pairwise
from typing import Final

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.protocols.soccer_monitor.scene.field_values import FieldValues

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
