# SPDX-License-Identifier: Apache-2.0
"""Reads keyframes and recorded tracks of a body file, and computes the shortest times of a motion."""

from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from math import isfinite, sqrt

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.description import Joint, Keyframe, Track

# The shortest times in which joints can make a motion, by their limits of speed and acceleration.

PEAK_SPEED = 1.875  # of a minimum-jerk move from rest to rest, as a multiple of its mean speed (way / time)
PEAK_ACCELERATION = 5.7735  # likewise, as a multiple of way / time^2


def shortest_move(joints: Iterable[Joint], start: Iterable[float], goals: Iterable[float]) -> float:
    """The shortest time (s) of a minimum-jerk move from rest at ``start`` to rest at ``goals`` (rad)."""
    return max(
        (_shortest(joint, abs(goal - here)) for joint, here, goal in zip(joints, start, goals, strict=True)),
        default=0.0,
    )


def _shortest(joint: Joint, way: float) -> float:
    return max(PEAK_SPEED * way / joint.velocity, sqrt(PEAK_ACCELERATION * way / joint.acceleration))


def shortest_motion(keyframes: Iterable[Keyframe], joints: Mapping[str, Joint]) -> float:
    """The shortest time (s) of a motion from the rest pose that keeps the limits of every joint."""
    here = {name: joint.rest for name, joint in joints.items()}
    at = length = 0.0
    for frame in keyframes:
        goals = frame.position
        moved = [joints[name] for name in goals]
        length = max(length, shortest_move(moved, [here[n] for n in goals], goals.values()) / (frame.at - at))
        here.update(goals)
        at = frame.at
    return length


def slowest_move(keyframes: Iterable[Keyframe], joints: Mapping[str, Joint]) -> tuple[str, float]:
    """The joint that makes ``shortest_motion`` as long as it is, and the ``at`` of the keyframe to which it moves."""
    here = {name: joint.rest for name, joint in joints.items()}
    at = worst = 0.0
    found = ("", 0.0)
    for frame in keyframes:
        for name, goal in frame.position.items():
            need = _shortest(joints[name], abs(goal - here[name])) / (frame.at - at)
            if need > worst:
                worst, found = need, (name, frame.at)
        here.update(frame.position)
        at = frame.at
    return found


def shortest_track(track: Track, joints: Mapping[str, Joint]) -> float:
    """The shortest time (s) of a recorded motion, played straight from point to point, that every joint can follow."""
    speeds = [0.0]
    for number, row in enumerate(track.angles[1:]):
        dt = track.times[number + 1] - track.times[number]
        before = track.angles[number]
        ways = zip(track.joints, before, row, strict=True)
        speeds += [abs(there - here) / dt / joints[name].velocity for name, here, there in ways]
    return track.length * max(speeds)


# Reads the recorded track of a skill in a body file: angles of some joints at some times.

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


KEYFRAME_LIMIT = 1000


def read_keyframes(
    section: Section, key: str, moved: Mapping[str, Joint], resting: Collection[Joint]
) -> list[Keyframe]:
    """The keyframes under ``key``, the last one at 1.

    Args:
        section: has the list.
        key: of the list.
        moved: the joints that may be named.
        resting: those that ``rest: true`` moves to their rest.

    Raises:
        ConfigError: a time is not later than the one before, or a joint or an angle is not possible.
    """
    frames: list[Keyframe] = []
    items = section.sections(key)
    if len(items) > KEYFRAME_LIMIT:
        raise section.wrong(key, f"a list of at most {KEYFRAME_LIMIT}")
    for item in items:
        after = frames[-1].at if frames else 0.0
        at = item.number("at", 0.0, 1.0)
        if at <= after:
            raise item.wrong("at", f"later than {after:g}")
        frames.append(Keyframe(at, _position(item, moved, resting)))
    if not frames or frames[-1].at != 1.0:
        raise section.wrong(key, "a list that ends at 1.0")
    return frames


def _position(item: Section, moved: Mapping[str, Joint], resting: Collection[Joint]) -> dict[str, float]:
    position = {joint.name: joint.rest for joint in resting} if item.flag("rest") else {}
    for key in item.names():
        if key in moved:
            position[key] = item.number(key, moved[key].lower, moved[key].upper)
    item.require(("at", "rest", *moved))
    return position


def mirror_image(frame: Keyframe, joints: Mapping[str, Joint]) -> Keyframe:
    """The same for the other side of the body, whose joints may not be able to go there."""
    pairs = ((joints[name], angle) for name, angle in frame.position.items())
    return Keyframe(frame.at, {joint.mirror: joint.mirror_sign * angle for joint, angle in pairs})
