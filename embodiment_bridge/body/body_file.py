# SPDX-License-Identifier: Apache-2.0
"""Reads a body file (``config/bodies/<body>.yaml``, described in docs/motion.md) into a BodyDescription."""

from collections.abc import Mapping
from dataclasses import fields, replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from embodiment_bridge.body.battery_section import read_battery
from embodiment_bridge.body.config_section import Section, parse
from embodiment_bridge.body.description import (
    CHANNELS,
    Base,
    BodyDescription,
    Cycle,
    Fall,
    Gait,
    GaitParameters,
    Joint,
    Leg,
    LegLengths,
    Skill,
    WalkLimits,
)
from embodiment_bridge.body.emotion_section import read_emotions
from embodiment_bridge.body.idle import read_idle
from embodiment_bridge.body.kick_section import read_kick
from embodiment_bridge.body.likeness import with_likeness
from embodiment_bridge.body.parameter import Parameter
from embodiment_bridge.body.skill_section import read_skills
from embodiment_bridge.body.walk_section import default_of, read_walk
from embodiment_bridge.core.errors import ConfigError

if TYPE_CHECKING:
    from embodiment_bridge.body.policy import Policy

ANGLE_LIMIT = 10.0  # rad, for every angle in the file
TINY = 1e-6
FILE_LIMIT = 100  # files of motions
MAX_KEYFRAMES = 100  # of a cycle


def read_body(path: Path | str) -> BodyDescription:
    """Read a body file.

    Raises:
        ConfigError: the file cannot be read, or something in it cannot be used; the text names file, key, value
            and choices.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"body file {path}: cannot be read: {error}") from error
    return parse_body(text, str(path), Path(path).parent)


def parse_body(text: str, where: str, folder: Path | None = None) -> BodyDescription:
    """Like ``read_body``, from a text. Errors call its file ``where``; files that it names are below ``folder``."""
    top = parse(text, where)
    top = with_likeness(top, folder)
    motions = _motions(top, folder) if top.has("motions") else []
    name = top.text("body")
    channels = top.texts("channels", CHANNELS)
    joints = _joints(top.section("joints"), channels) if top.has("joints") else {}
    gait, policy = _gait(top.section("gait"), joints, folder) if top.has("gait") else (None, None)
    fall = _fall(top.section("fall")) if top.has("fall") else None
    base = _base(top.section("base"), joints) if top.has("base") else None
    if gait is not None and base is not None:
        raise top.wrong("base", "possible beside a gait")
    battery = read_battery(top.section("battery")) if top.has("battery") else None
    moved = {joint.name: joint.channel for joint in joints.values()}
    idle = read_idle(top.section("idle"), moved, has_gait=gait is not None) if top.has("idle") else None
    body = BodyDescription(
        name, channels, tuple(joints.values()), {}, gait, fall, base, battery, policy, idle
    )
    skills = read_skills(top.section("skills"), body, joints)
    for section in motions:
        skills |= _new(read_skills(section, body, joints), skills, section)
    if top.has("emotions"):
        skills |= read_emotions(top.section("emotions"), joints, skills, gait is not None)
    top.close()
    if policy is not None:
        skills = {name: _at_speeds_of(policy.walk, skill) for name, skill in skills.items()}
    return replace(body, skills=skills)


def _at_speeds_of(walk: WalkLimits, skill: Skill) -> Skill:
    """A free walk in the range of a policy instead of that of the gait; other skills as they are."""
    ranges = {"speed": (-walk.backward, walk.forward), "turn": (-walk.turn, walk.turn)}
    if skill.walk != "free":
        return skill
    parameters = [
        replace(one, lower=ranges[one.name][0], upper=ranges[one.name][1])
        if isinstance(one, Parameter) and one.name in ranges
        else one
        for one in skill.parameters
    ]
    return replace(skill, parameters=tuple(parameters))


def _motions(top: Section, folder: Path | None) -> list[Section]:
    """Files with more skills, as `bml record-motion` writes them; paths are relative to the folder of the body file."""
    names = top.value("motions")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise top.wrong("motions", "a list of paths")
    if folder is None:
        raise top.wrong("motions", "possible for a body that is read from a file")
    if len(names) > FILE_LIMIT:
        raise top.wrong("motions", f"a list of at most {FILE_LIMIT}")
    return [_motion_file(top, folder / name) for name in names]


def _motion_file(top: Section, path: Path) -> Section:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{top.name('motions')}: {path}: cannot be read: {error}") from error
    return parse(text, str(path))


def _new(more: dict[str, Skill], skills: Mapping[str, Skill], section: Section) -> dict[str, Skill]:
    for name in more:
        if name in skills:
            raise section.wrong(name, "another name than those of the other skills")
    return more


def _joints(section: Section, channels: tuple[str, ...]) -> dict[str, Joint]:
    joints = {name: _joint(name, section.section(name), section, channels) for name in section.names()}
    for joint in joints.values():
        partner = joints[joint.mirror]
        if (partner.mirror, partner.mirror_sign) != (joint.name, joint.mirror_sign):
            raise section.wrong(joint.name, f"the mirror image of what {joint.mirror!r} says of it")
    return joints


def _joint(name: str, section: Section, others: Section, channels: tuple[str, ...]) -> Joint:
    lower, upper = section.numbers("range", 2, -ANGLE_LIMIT, ANGLE_LIMIT)
    if lower >= upper:
        raise section.wrong("range", "[lower, upper]")
    mirror = section.text("mirror", [sign + n for n in others.names() for sign in ("", "-")], default=name)
    joint = Joint(
        name,
        section.text("channel", channels),
        lower,
        upper,
        velocity=section.number("velocity", TINY, 100.0),
        effort=section.number("effort", TINY, 1e4),
        kp=section.number("kp", 0.0, 1e5),
        kd=section.number("kd", 0.0, 1e4),
        rest=section.number("rest", lower, upper, default=min(max(0.0, lower), upper)),
        mirror=mirror.removeprefix("-"),
        mirror_sign=-1.0 if mirror.startswith("-") else 1.0,
        acceleration=section.number("acceleration", TINY, 1e5) if section.has("acceleration") else inf,
    )
    section.close()
    return joint


def _fall(section: Section) -> Fall:
    fall = Fall(
        section.number("height", 0.0, 10.0),
        section.number("tilt", 0.1, 3.2),
        section.number("recover_s", 0.0, 60.0),
    )
    section.close()
    return fall


def _base(section: Section, joints: Mapping[str, Joint]) -> Base:
    forward, backward = section.number("forward", 0.01, 100.0), section.number("backward", 0.01, 100.0)
    turn, left = section.number("turn", 0.01, 100.0), section.number("left", 0.0, 100.0, 0.0)
    speed_rate = section.number("acceleration", 0.01, 1000.0) / max(forward, backward)
    turn_rate = section.number("turn_acceleration", 0.01, 1000.0) / turn
    # A base that decelerates evenly covers half of the distance that it would have covered at its first speed.
    walk = WalkLimits(
        forward=forward,
        backward=backward,
        turn=turn,
        amplitude_rate=speed_rate,
        forward_rate=speed_rate,
        turn_rate=turn_rate,
        brake=TINY,
        settle_forward=0.0,
        coast_forward=0.5 * forward / speed_rate,
        coast_backward=0.5 * backward / speed_rate,
        coast_turn=0.5 * turn / turn_rate,
        left=left,
        left_rate=speed_rate,
        coast_left=0.5 * left / speed_rate,
    )
    swing = section.section("swing") if section.has("swing") else None
    angles = {name: swing.number(name, -ANGLE_LIMIT, ANGLE_LIMIT) for name in swing.names()} if swing else {}
    if swing:
        swing.require(name for name, joint in joints.items() if joint.channel == "legs")
    cycle = _cycle(section.section("cycle"), joints) if section.has("cycle") else None
    if swing and cycle:
        raise section.wrong("swing", "possible beside a cycle")
    base = Base(walk, section.number("step_s", 0.01, 10.0), angles, cycle)
    section.close()
    return base


def _cycle(section: Section, joints: Mapping[str, Joint]) -> Cycle:
    count = int(section.number("count", 2, MAX_KEYFRAMES))
    legs = [name for name, joint in joints.items() if joint.channel == "legs"]
    backward = section.number("backward_share", 0.0, 1.0, 1.0)
    tables: dict[str, Mapping[str, tuple[float, ...]]] = {}
    for key in ("step", "forward", "turn"):
        table = section.section(key)
        rows = {name: table.numbers(name, count, -ANGLE_LIMIT, ANGLE_LIMIT) for name in table.names()}
        table.require(legs)
        tables[key] = rows
    section.close()
    return Cycle(tables["step"], tables["forward"], tables["turn"], backward)


def _gait(section: Section, joints: Mapping[str, Joint], folder: Path | None) -> tuple[Gait, "Policy | None"]:
    """The gait, and the learned policy that walks for it where there is one."""
    numbers = section.section("parameters")
    parameters = GaitParameters(
        **{f.name: numbers.number(f.name, -10.0, 10.0, default_of(f)) for f in fields(GaitParameters)}
    )
    if parameters.frequency < 0.1:
        raise numbers.wrong("frequency", "within 0.1..10")
    numbers.close()
    walk = read_walk(section.section("walk"))
    numbers = section.section("lengths")
    lengths = LegLengths(
        numbers.number("knee_back", -1.0, 1.0),
        numbers.number("thigh", 0.01, 10.0),
        numbers.number("shank", 0.01, 10.0),
    )
    numbers.close()
    legs = [_leg(section.section(side), joints) for side in ("left", "right")]
    waist = section.text("waist", joints) if section.has("waist") else ""
    kick = read_kick(section.section("kick")) if section.has("kick") else None
    policy = _policy(section, joints, folder) if section.has("policy") else None
    section.close()
    return Gait(legs[0], legs[1], lengths, parameters, walk, waist, kick), policy


def _policy(section: Section, joints: Mapping[str, Joint], folder: Path | None) -> "Policy":
    from embodiment_bridge.body.policy_file import read_policy  # numpy, which other bodies do not need

    if folder is None:
        raise section.wrong("policy", "possible for a body that is read from a file")
    return read_policy(folder / section.text("policy"), joints)


def _leg(section: Section, joints: Mapping[str, Joint]) -> Leg:
    leg = Leg(**{f.name: section.text(f.name, joints) for f in fields(Leg)})
    section.close()
    return leg
