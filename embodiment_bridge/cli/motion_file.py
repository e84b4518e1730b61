# SPDX-License-Identifier: Apache-2.0
"""Turns samples of joint angles into the text of a skill."""

from collections.abc import Sequence
from math import ceil

from embodiment_bridge.body.config_section import parse
from embodiment_bridge.body.description import CHANNELS, BodyDescription, Track
from embodiment_bridge.body.skill_section import read_skills
from embodiment_bridge.motion.joints.keyframes import fastest, moved_joints, thinned

LEAST_MOVE = 0.02  # rad: a joint that moves less stays out of the motion
MARGIN = 1.02  # ``min_s`` as a multiple of the shortest possible time


def track_of(
    body: BodyDescription,
    names: Sequence[str],
    times: Sequence[float],
    rows: Sequence[Sequence[float]],
    near: float,
) -> Track | None:
    """Return the motion of the joints of ``body``, with fewer points but within ``near`` rad; None if no joint moved.

    It begins with the first movement and ends with the last. Angles are limited to the ranges of the joints. Legs that
    a gait uses are left out.
    """
    balances = body.carrier is not None and body.carrier.balances
    joints = {joint.name: joint for joint in body.joints if not (balances and joint.channel == "legs")}
    columns = [i for i in moved_joints(rows, LEAST_MOVE) if names[i] in joints]
    if not columns:
        return None
    kept = [joints[names[i]] for i in columns]
    angles = [
        [min(max(row[i], joint.lower), joint.upper) for i, joint in zip(columns, kept, strict=True)]
        for row in rows
    ]
    first, last = moving_part(angles, near)
    names = [joint.name for joint in kept]
    return thinned(names, times[first : last + 1], angles[first : last + 1], near)


def moving_part(rows: Sequence[Sequence[float]], near: float) -> tuple[int, int]:
    """Return the indices of the last row before a joint moves more than ``near`` rad, and of the first row after."""

    def differ(row: Sequence[float], still: Sequence[float]) -> bool:
        return any(abs(a - b) > near for a, b in zip(row, still, strict=True))

    moving = [number for number, row in enumerate(rows) if differ(row, rows[0])]
    rest = [number for number, row in enumerate(rows) if differ(row, rows[-1])]
    first = moving[0] - 1 if moving else 0
    last = rest[-1] + 1 if rest else len(rows) - 1
    return (first, last) if first < last else (0, len(rows) - 1)


def skill_text(name: str, body: BodyDescription, track: Track) -> str:
    """Return the YAML of one skill, checked by reading it back.

    Raises:
        ConfigError: it cannot be read back.
    """
    joints = {joint.name: joint for joint in body.joints}
    used = {joints[joint].channel for joint in track.joints}
    least = ceil(1000 * MARGIN * track.length * fastest(track, [joints[n] for n in track.joints])) / 1000
    nominal = max(round(track.length, 3), least)
    lines = [
        f"{name}:",
        "  kind: motion",
        f"  channels: [{', '.join(channel for channel in CHANNELS if channel in used)}]",
        f"  nominal_s: {nominal:.3f}",
        f"  min_s: {least:.3f}",
        "  track:",
        f"    joints: [{', '.join(track.joints)}]",
        "    points:",
    ]
    rows = zip(track.times, track.angles, strict=True)
    lines += [f"      - [{time:.3f}, {', '.join(f'{a:.4f}' for a in angles)}]" for time, angles in rows]
    text = "\n".join(lines) + "\n"
    read_skills(parse(text, name), body, joints)
    return text
