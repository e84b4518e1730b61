# SPDX-License-Identifier: Apache-2.0
"""The shortest times in which joints can make a motion, by their limits of speed and acceleration."""

from collections.abc import Iterable, Mapping
from math import sqrt

from embodiment_bridge.body.description import Joint, Keyframe, Track

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
