# SPDX-License-Identifier: Apache-2.0
"""Makes a BodyDescription from a body file (``config/bodies/<body>.yaml``, docs/motion.md), or from joints alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from math import inf
from pathlib import Path
from pkgutil import iter_modules
from typing import Final

from embodiment_bridge.body import carriers
from embodiment_bridge.body.carriers.gait import PolicyGait
from embodiment_bridge.body.config_section import ANGLE_LIMIT, Section, parse
from embodiment_bridge.body.description import (
    CHANNELS,
    LIGHT_PATTERNS,
    BodyDescription,
    Carrier,
    Fall,
    Joint,
    Keyframe,
    Light,
    Skill,
    WalkLimits,
    read_battery,
)
from embodiment_bridge.body.motion_section import shortest_motion
from embodiment_bridge.body.skill_info import Parameter, describe_emotion
from embodiment_bridge.body.skill_section import named_section, read_skills
from embodiment_bridge.body.stance import read_idle, read_stance
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_text

# Reads the emotions of a body file: each is a posture with a light, and becomes a skill of its name.

LIGHT_CHANNELS = ("eyes", "face")
LONGEST_S = 60.0  # s
LEAST_S = 0.1  # s, of a posture
MARGIN = 1.05  # the shortest slot, as a multiple of the shortest possible move


def read_emotions(
    section: Section, joints: Mapping[str, Joint], skills: Mapping[str, Skill], has_gait: bool
) -> dict[str, Skill]:
    """Skills of kind ``motion`` by name. The light is optional if the emotion has a posture.

    Raises:
        ConfigError: see ``body_file.read_body``.
    """
    for name in section.names():
        if name in skills:
            raise section.wrong(name, "another name than those of the skills")
    return {name: _emotion(name, section, joints, has_gait) for name in section.names()}


def _emotion(name: str, emotions: Section, joints: Mapping[str, Joint], has_gait: bool) -> Skill:
    section = named_section(emotions, name)
    pose = _pose(section.section("pose"), joints, has_gait) if section.has("pose") else {}
    stance = read_stance(section, has_gait=has_gait)
    light = _light(section.section("light"))
    nominal = section.number("nominal_s", 0.0, LONGEST_S)
    section.close()
    frames = (Keyframe(1.0, pose),) if pose else ()
    least = max(LEAST_S, MARGIN * shortest_motion(frames, joints)) if pose else 0.0
    if least > nominal:
        raise section.wrong("nominal_s", f"long enough for its joints, which need {least:.3f} s")
    moved = {joints[joint].channel for joint in pose}
    channels = tuple(channel for channel in CHANNELS if channel in moved or channel in LIGHT_CHANNELS)
    optional = LIGHT_CHANNELS if pose else ("face",)
    text = describe_emotion(name)
    return Skill(
        name,
        "motion",
        channels,
        nominal,
        least,
        keyframes=frames,
        light=light,
        optional=optional,
        description=text,
        stance=stance,
    )


def _pose(section: Section, joints: Mapping[str, Joint], has_gait: bool) -> dict[str, float]:
    section.require(joints)
    pose: dict[str, float] = {}
    for name in section.names():
        if has_gait and joints[name].channel == "legs":
            raise ConfigError(f"{section.name(name)}: an emotion leaves the legs to the gait")
        pose[name] = section.number(name, joints[name].lower, joints[name].upper)
    return pose


def _light(section: Section) -> Light:
    red, green, blue = section.numbers("color", 3, 0.0, 1.0)
    light = Light(section.text("pattern", LIGHT_PATTERNS, default="steady"), (red, green, blue))
    section.close()
    return light


# A body file that is like another one: it has its keys but for those that it says itself.

BY_NAME = ("skills",)  # of these the entries are replaced, of all others the whole


def with_likeness(top: Section, folder: Path | None) -> Section:
    """``top``, filled up from the file that its key ``like`` names (relative to ``folder``), if it has this key.

    Raises:
        ConfigError: the file cannot be read, or is itself like another one.
    """
    if not top.has("like"):
        return top
    if folder is None:
        raise top.wrong("like", "possible for a body that is read from a file")
    path = folder / top.text("like")
    other = parse(read_text(path, f"{top.name('like')}:"), str(path))
    if other.has("like"):
        raise top.wrong("like", "a file without the key 'like'")
    values = {key: other.value(key) for key in other.names()}
    for key in top.names():
        if key in BY_NAME and key in values:
            values[key] = {**_mapping(other, key), **_mapping(top, key)}
        elif key != "like":
            values[key] = top.value(key)
    return Section(top.name(), values)


def _mapping(section: Section, key: str) -> dict[str, object]:
    part = section.section(key)
    return {name: part.value(name) for name in part.names()}


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


# A body made from joints alone, for a robot without a body file: its joints, and a skill that takes them to rest.

WORDS: Final = {
    "head": ("head", "neck"),
    "waist": ("waist", "torso", "spine", "abdomen"),
    "legs": ("hip", "knee", "ankle", "foot", "leg", "thigh", "wheel"),
    "hand": ("grip", "hand", "finger", "thumb"),
}
SIDES: Final = {"l": "l", "left": "l", "r": "r", "right": "r"}
USUAL_S: Final = 2.0  # of the way to rest


def plain_body(name: str, joints: Sequence[Joint], skills: Sequence[str] = ("reset",)) -> BodyDescription:
    """A body with these joints; each of ``skills`` takes all of them to rest."""
    channels = tuple(dict.fromkeys(joint.channel for joint in joints))
    rest = (Keyframe(1.0, {joint.name: joint.rest for joint in joints}),)
    least = shortest_motion(rest, {joint.name: joint for joint in joints})
    made = {
        skill: Skill(skill, "motion", channels, max(USUAL_S, least), least, keyframes=rest)
        for skill in skills
    }
    return BodyDescription(name, channels, tuple(joints), made)


def channel_of(joint: str) -> str:
    """The channel for a joint name: ``left_elbow`` is on the left arm; a name without a hint is on the right arm."""
    words = joint.lower().replace("-", "_").split("_")
    side = next((SIDES[word] for word in words if word in SIDES), "r")
    for channel, hints in WORDS.items():
        if any(hint in word for word in words for hint in hints):
            return f"hand_{side}" if channel == "hand" else channel
    return f"arm_{side}"
