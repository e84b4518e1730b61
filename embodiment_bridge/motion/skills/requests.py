# SPDX-License-Identifier: Apache-2.0
"""Makes the run of a requested skill: checked against the body's description, as weak as was asked."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from math import isfinite

from embodiment_bridge.body.description import BodyDescription, Joint, Keyframe, Light, Skill, Track
from embodiment_bridge.body.skill_info import Parameter, TextParameter
from embodiment_bridge.body.state import SkillRequest
from embodiment_bridge.body.surroundings import Things, no_things
from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.skills.fall import FallDetector, as_it_lies
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.motion.skills.outcome import outcome_of
from embodiment_bridge.motion.skills.skill_run import SkillRun
from embodiment_bridge.motion.walking.walk_skills import needs_place, program_of

NOT_LOCATED = "the body does not know where it is"


def run_of(
    request: SkillRequest,
    description: BodyDescription,
    native_skills: Mapping[str, Start],
    fall: FallDetector,
    sensed: Sensed,
    things: Things,
) -> SkillRun:
    """Return the run of a requested skill; native skills have begun with it.

    Raises:
        CommandError: see ``MotionRunner.start``.
    """
    skill = skill_of(description, request, native_skills)
    values = parameters_of(skill, request.parameters)
    if skill.lying:
        skill = as_it_lies(skill, fall)
    intensity = intensity_of(skill, request.parameters)
    skill = weakened(skill, intensity, {joint.name: joint for joint in description.joints})
    available, carrier = description.available(skill), description.carrier
    if not available:
        return SkillRun(request, skill, False, (), None)
    program = native = None
    if skill.name in native_skills:  # also a walk that the body does itself, or refuses
        native = native_skills[skill.name](skill, values, request.slot_s)
    elif skill.kind == "walk" and carrier is not None:
        if needs_place(skill, values) and not sensed.base_fresh:
            raise CommandError(NOT_LOCATED)
        # Another kick by a body that does not know where it is runs straight ahead, as without a ball.
        things = no_things if skill.walk == "kick" and not sensed.base_fresh else things
        program = program_of(skill, values, request.slot_s, carrier, things)
    run = SkillRun(
        request,
        skill,
        True,
        (),
        program,
        native=native,
        outcome=outcome_of(skill, values, things, description.name),
    )
    run.joints = moved_joints(run, description.joints)
    return run


def moved_joints(run: SkillRun, joints: Sequence[Joint]) -> tuple[int, ...]:
    """Return the numbers of the joints that the track or the keyframes of a skill move."""
    index = {joint.name: number for number, joint in enumerate(joints)}
    if run.skill.track is not None:
        return tuple(index[name] for name in run.skill.track.joints)
    return tuple(sorted({index[name] for frame in run.keyframes for name in frame.position}))


def weakened(skill: Skill, intensity: float, joints: Mapping[str, Joint]) -> Skill:
    """Return the skill with ``intensity`` 0..1; 1 is the skill as in its file."""
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
    """Return the skill that ``request`` names; a native skill must be in ``native_skills``.

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
    """Return the parameters of a skill by name: the given ones, and the defaults of others that have one.

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
        if parameter.required and parameter.name not in values:
            raise CommandError(f"skill {skill.name!r} needs the parameter {parameter.name!r}")
    return values


def intensity_of(skill: Skill, given: Mapping[str, float | str]) -> float:
    """Return the intensity of the skill, 0..1; 1 if the skill has a parameter of this name with its own meaning.

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
