# SPDX-License-Identifier: Apache-2.0
"""Checks a request for a skill against the body's description, and weakens the skill to the asked intensity."""

from collections.abc import Container, Mapping
from dataclasses import replace
from math import isfinite

from embodiment_bridge.body.description import BodyDescription, Joint, Keyframe, Light, Skill, Track
from embodiment_bridge.body.skill_info import Parameter, TextParameter
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.core.errors import CommandError, unknown


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


INTENSITY = "intensity"  # a parameter of every skill, besides its own
LONGEST_SLOT_S = 86400.0  # s: one day, the longest duration that BML has


def skill_of(description: BodyDescription, request: SkillRequest, native_skills: Container[str]) -> Skill:
    """The skill that ``request`` names; a native skill must be in ``native_skills``.

    Raises:
        CommandError: the skill is unknown, is native without a starter, or the slot is out of range.
    """
    skill = description.skills.get(request.name)
    if skill is None:
        raise CommandError(unknown("skill", request.name, description.skills))
    if skill.kind == "native" and skill.name not in native_skills:
        raise CommandError(
            f"skill {skill.name!r} is done by body {description.name!r} itself, not by its joints"
        )
    if not 0.0 <= request.slot_s <= LONGEST_SLOT_S:
        raise CommandError(
            f"slot of skill {skill.name!r} is {request.slot_s} s, not within 0..{LONGEST_SLOT_S:g} s"
        )
    return skill


def parameters_of(skill: Skill, given: Mapping[str, float | str]) -> dict[str, float | str]:
    """The parameters of a skill by name: the given ones, and the defaults of others that have one.

    Raises:
        CommandError: a parameter is unknown, a value is not a number in the parameter's range, a text is too
            long, or a required parameter is missing.
    """
    known = {p.name: p for p in skill.parameters}
    values: dict[str, float | str] = {p.name: p.default for p in skill.parameters if p.default is not None}
    for name, value in given.items():
        if name == INTENSITY and name not in known:
            continue
        parameter = known.get(name)
        if parameter is None:
            raise CommandError(unknown(f"parameter of skill {skill.name!r}", name, known))
        values[name] = _checked(skill, parameter, value)
    for parameter in skill.parameters:
        if isinstance(parameter, TextParameter) and parameter.required and parameter.name not in values:
            raise CommandError(f"skill {skill.name!r} needs the parameter {parameter.name!r}")
    return values


def intensity_of(skill: Skill, given: Mapping[str, float | str]) -> float:
    """The intensity of the skill, 0..1; 1 if the skill has a parameter of this name with its own meaning.

    Raises:
        CommandError: not a number within 0..1.
    """
    if INTENSITY not in given or any(parameter.name == INTENSITY for parameter in skill.parameters):
        return 1.0
    number = _number(given[INTENSITY])
    if not 0.0 <= number <= 1.0:
        raise CommandError(
            f"parameter {INTENSITY!r} of skill {skill.name!r} is {given[INTENSITY]!r}, not within 0..1"
        )
    return number


def _checked(skill: Skill, parameter: Parameter | TextParameter, value: float | str) -> float | str:
    name = parameter.name
    if isinstance(parameter, TextParameter):
        text = value if isinstance(value, str) else f"{value:g}"
        if len(text) > parameter.longest:
            raise CommandError(
                f"parameter {name!r} of skill {skill.name!r} has {len(text)} characters, "
                f"more than {parameter.longest}"
            )
        return text
    number = _number(value)
    if not parameter.lower <= number <= parameter.upper:
        span = f"{parameter.lower:g}..{parameter.upper:g} {parameter.unit}".rstrip()
        raise CommandError(f"parameter {name!r} of skill {skill.name!r} is {value!r}, not within {span}")
    return number


def _number(value: float | str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return float("nan")
    return number if isfinite(number) else float("nan")
