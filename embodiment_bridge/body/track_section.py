# SPDX-License-Identifier: Apache-2.0
"""Reads the recorded track of a skill in a body file: angles of some joints at some times."""

from collections.abc import Mapping
from itertools import pairwise
from math import isfinite

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.description import Joint, Track

POINT_LIMIT = 5000
LONGEST_S = 3600.0


def read_track(section: Section, moved: Mapping[str, Joint]) -> Track:
    """``joints``: names, among ``moved``; ``points``: lists of a time (s, from 0) and an angle (rad) of each joint.

    Raises:
        ConfigError: see ``body_file.read_body``.
    """
    names = section.texts("joints", moved)
    rows = section.value("points")
    section.close()
    if not names:
        raise section.wrong("joints", "a list with at least one joint")
    if not isinstance(rows, list) or not 2 <= len(rows) <= POINT_LIMIT:
        raise section.wrong("points", f"a list of 2 to {POINT_LIMIT} points")
    points = [_point(section, number, row, names, moved) for number, row in enumerate(rows)]
    times = tuple(point[0] for point in points)
    if times[0] != 0.0 or any(late <= early for early, late in pairwise(times)):
        raise section.wrong("points", "a list of points with times that begin at 0 and increase")
    return Track(names, times, tuple(point[1:] for point in points))


def _point(
    section: Section, number: int, row: object, names: tuple[str, ...], moved: Mapping[str, Joint]
) -> tuple[float, ...]:
    if not isinstance(row, list) or len(row) != len(names) + 1 or not all(map(_is_number, row)):
        raise section.wrong("points", f"numbers: point {number} has no time and {len(names)} angles")
    time, *angles = map(float, row)
    if not 0.0 <= time <= LONGEST_S:
        raise section.wrong("points", f"within 0..{LONGEST_S:g} s at point {number}")
    for name, angle in zip(names, angles, strict=True):
        joint = moved[name]
        if not joint.lower <= angle <= joint.upper:
            span = f"{joint.lower:g}..{joint.upper:g} rad"
            raise section.wrong(
                "points", f"possible: {name} at {angle:g} in point {number}, not within {span}"
            )
    return (time, *angles)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
