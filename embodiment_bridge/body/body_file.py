# SPDX-License-Identifier: Apache-2.0
"""Reads a body file (``config/bodies/<body>.yaml``, described in docs/motion.md) into a BodyDescription."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from math import inf
from pathlib import Path
from pkgutil import iter_modules

from embodiment_bridge.body import carriers
from embodiment_bridge.body.battery_section import read_battery
from embodiment_bridge.body.carriers.gait import PolicyGait
from embodiment_bridge.body.config_section import ANGLE_LIMIT, Section, parse
from embodiment_bridge.body.description import (
    CHANNELS,
    BodyDescription,
    Carrier,
    Fall,
    Joint,
    Skill,
    WalkLimits,
)
from embodiment_bridge.body.emotion_section import read_emotions
from embodiment_bridge.body.idle import read_idle
from embodiment_bridge.body.likeness import with_likeness
from embodiment_bridge.body.parameter import Parameter
from embodiment_bridge.body.skill_section import read_skills
from embodiment_bridge.core.input_file import read_text

TINY = 1e-6
FILE_LIMIT = 100  # files of motions
CARRIERS = tuple(module.name for module in iter_modules(carriers.__path__))

CarrierReader = Callable[[Section, Mapping[str, Joint], Path | None], Carrier]
"""Takes the section, the joints by name, and the folder of the body file."""


def read_body(path: Path | str) -> BodyDescription:
    """Read a body file.

    Raises:
        ConfigError: the file cannot be read, or something in it cannot be used; the text names file, key, value
            and choices.
    """
    text = read_text(Path(path), "body file")
    return parse_body(text, str(path), Path(path).parent)


def parse_body(text: str, where: str, folder: Path | None = None) -> BodyDescription:
    """Like ``read_body``, from a text. Errors call its file ``where``; files that it names are below ``folder``."""
    top = parse(text, where)
    top = with_likeness(top, folder)
    motions = _motions(top, folder) if top.has("motions") else []
    name = top.text("body")
    channels = top.texts("channels", CHANNELS)
    joints = _joints(top.section("joints"), channels) if top.has("joints") else {}
    carrier = _carrier(top, joints, folder)
    balances = carrier is not None and carrier.balances
    fall = _fall(top.section("fall")) if top.has("fall") else None
    battery = read_battery(top.section("battery")) if top.has("battery") else None
    moved = {joint.name: joint.channel for joint in joints.values()}
    idle = read_idle(top.section("idle"), moved, has_gait=balances) if top.has("idle") else None
    body = BodyDescription(name, channels, tuple(joints.values()), {}, carrier, fall, battery, idle)
    skills = read_skills(top.section("skills"), body, joints)
    for section in motions:
        skills |= _new(read_skills(section, body, joints), skills, section)
    if top.has("emotions"):
        skills |= read_emotions(top.section("emotions"), joints, skills, balances)
    top.close()
    if isinstance(carrier, PolicyGait):
        skills = {name: _at_speeds_of(carrier.walk, skill) for name, skill in skills.items()}
    return replace(body, skills=skills)


def _carrier(top: Section, joints: Mapping[str, Joint], folder: Path | None) -> Carrier | None:
    """The section that a module of ``carriers`` reads, which says how the body moves; None if it cannot."""
    there = [key for key in CARRIERS if top.has(key)]
    if not there:
        return None
    if len(there) > 1:
        raise top.wrong(there[0], f"possible beside a {there[1]}")
    read: CarrierReader = import_module(f"{carriers.__name__}.{there[0]}").read
    return read(top.section(there[0]), joints, folder)


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
    return parse(read_text(path, f"{top.name('motions')}:"), str(path))


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
    lower, upper = _range(section)
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


def _range(section: Section) -> tuple[float, float]:
    """Lower and upper limit, rad; ``continuous`` as in URDF, for a joint that turns on and on."""
    if section.value("range") == "continuous":
        return -inf, inf
    lower, upper = section.numbers("range", 2, -ANGLE_LIMIT, ANGLE_LIMIT)
    if lower >= upper:
        raise section.wrong("range", "[lower, upper] or continuous")
    return lower, upper


def _fall(section: Section) -> Fall:
    fall = Fall(
        section.number("height", 0.0, 10.0),
        section.number("tilt", 0.1, 3.2),
        section.number("recover_s", 0.0, 60.0),
    )
    section.close()
    return fall
