# SPDX-License-Identifier: Apache-2.0
"""Reduces the intensity of a skill: motions stay nearer to the rest pose, lights are dimmer; walks do not change."""

from collections.abc import Mapping
from dataclasses import replace

from embodiment_bridge.body.description import Joint, Keyframe, Light, Skill, Track


def weakened(skill: Skill, intensity: float, joints: Mapping[str, Joint]) -> Skill:
    """The skill with ``intensity`` 0..1; 1 is the skill as in its file."""
    if intensity == 1.0:
        return skill
    track = skill.track
    return replace(
        skill,
        keyframes=tuple(
            Keyframe(frame.at, {n: _nearer(joints[n], a, intensity) for n, a in frame.position.items()})
            for frame in skill.keyframes
        ),
        light=None if skill.light is None else _dimmed(skill.light, intensity),
        track=None if track is None else _smaller(track, intensity, joints),
        stance=None if skill.stance is None else skill.stance.times(intensity),
    )


def _nearer(joint: Joint, angle: float, intensity: float) -> float:
    return joint.rest + (angle - joint.rest) * intensity


def _smaller(track: Track, intensity: float, joints: Mapping[str, Joint]) -> Track:
    moved = [joints[name] for name in track.joints]
    angles = tuple(
        tuple(_nearer(joint, angle, intensity) for joint, angle in zip(moved, row, strict=True))
        for row in track.angles
    )
    return replace(track, angles=angles)


def _dimmed(light: Light, intensity: float) -> Light:
    if light.color is None:
        return light
    red, green, blue = light.color
    return Light(light.pattern, (red * intensity, green * intensity, blue * intensity))
