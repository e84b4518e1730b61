# SPDX-License-Identifier: Apache-2.0
"""Reads the skills of a body file."""

from collections.abc import Mapping

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.description import (
    CHANNELS,
    KINDS,
    LIGHT_PATTERNS,
    LYING,
    ON_STOP,
    WALKS,
    BodyDescription,
    Joint,
    Keyframe,
    Light,
    Skill,
    Track,
)
from embodiment_bridge.body.motion_section import (
    read_keyframes,
    read_track,
    shortest_motion,
    shortest_track,
    slowest_move,
)
from embodiment_bridge.body.skill_info import Parameter, TextParameter

LONGEST_S = 86400.0  # s, as the longest slot
LONGEST_TEXT = 10_000  # characters
WALK_PARAMETERS = {
    "line": ("distance",),
    "side": ("distance",),
    "turn": ("angle",),
    "place": (),
    "twist": (),
    "free": ("distance", "steps", "speed", "turn", "duration", "direction"),
    "to": ("thing", "towards", "x", "y", "yaw", "distance", "speed"),
    "find": ("thing",),
    "kick": ("thing", "towards", "x", "y", "direction", "distance", "beside"),
    "dribble": ("thing", "to", "x", "y", "distance"),
}
THINGS = ("thing", "towards", "to")  # parameters of walks that name a thing
NEEDS_DEFAULT = ("line", "side", "turn")
LENGTHS = {"line": ("distance",), "side": ("distance",), "free": ("steps", "duration")}
"""Keys of a walk that say how long it is, and not where it goes."""


def read_skills(section: Section, body: BodyDescription, joints: Mapping[str, Joint]) -> dict[str, Skill]:
    """All skills of ``body``.

    Raises:
        ConfigError: see ``body_file.read_body``.
    """
    return {name: _skill(name, section, body, joints) for name in section.names()}


def named_section(skills: Section, name: str) -> Section:
    """The section of one skill or emotion.

    Raises:
        ConfigError: the name cannot be one of a skill.
    """
    if name != name.lower() or not name.isidentifier():
        raise skills.wrong(name, "under a name of lower case letters, digits and _")
    return skills.section(name)


def _skill(name: str, skills: Section, body: BodyDescription, joints: Mapping[str, Joint]) -> Skill:
    section = named_section(skills, name)
    kind = section.text("kind", KINDS)
    channels = section.texts("channels", CHANNELS)
    if not channels:
        raise section.wrong("channels", "a list with at least one channel")
    nominal = section.number("nominal_s", 0.0, LONGEST_S)
    least = section.number("min_s", 0.0, nominal)
    on_stop = section.text("on_stop", ON_STOP, default="hold")
    optional = section.texts("optional", channels) if section.has("optional") else ()
    available = all(channel in body.channels or channel in optional for channel in channels)
    walk = section.text("walk", WALKS) if kind == "walk" else ""
    skill = Skill(
        name,
        kind,
        channels,
        nominal,
        least,
        on_stop,
        _parameters(section, walk, kind),
        _keyframes(section, channels, body, joints) if kind in ("motion", "native") else (),
        walk,
        _direction(section, walk),
        _light(section.section("light")) if kind == "light" or section.has("light") else None,
        _lying(section, channels, body, joints) if kind == "motion" and section.has("lying") else {},
        _track(section, channels, joints) if kind == "motion" and section.has("track") else None,
        optional,
        section.text("description", default=""),
    )
    section.close()
    if kind == "walk" and available and body.carrier is None:
        raise section.wrong("kind", "possible without a gait or a base")
    if walk == "side" and available and body.carrier is not None and not body.carrier.walk.left:
        raise section.wrong("walk", "possible for a body that cannot go sideways")
    if skill.track is not None and least < (need := shortest_track(skill.track, joints)) - 1e-9:
        raise section.wrong("min_s", f"long enough for its joints, which need {need:.3f} s")
    for frames in (skill.keyframes, *skill.lying.values()):
        if frames and least < (need := shortest_motion(frames, joints)) - 1e-9:
            slow, at = slowest_move(frames, joints)
            why = f"{slow!r} is the slowest, to the keyframe at {at:g}"
            raise section.wrong("min_s", f"long enough for its joints, which need {need:.3f} s: {why}")
    return skill


def _track(section: Section, channels: tuple[str, ...], joints: Mapping[str, Joint]) -> Track:
    for key in ("keyframes", "lying"):
        if section.has(key):
            raise section.wrong(key, "left out beside track")
    return read_track(section.section("track"), _joints_of(channels, joints))


def _lying(
    section: Section, channels: tuple[str, ...], body: BodyDescription, joints: Mapping[str, Joint]
) -> dict[str, tuple[Keyframe, ...]]:
    if section.has("keyframes"):
        raise section.wrong("keyframes", "left out beside lying")
    if body.fall is None:
        raise section.wrong("lying", "left out for a body without fall")
    group = section.section("lying")
    group.require(LYING, all_of=True)
    moved = _joints_of(channels, joints)
    return {
        side: tuple(read_keyframes(group, side, moved, _resting(moved, body)))
        if group.value(side) != []
        else ()
        for side in LYING
    }


def _direction(section: Section, walk: str) -> float:
    if walk not in NEEDS_DEFAULT or not section.has("direction"):
        return 1.0
    direction = section.number("direction")
    if direction not in (-1.0, 1.0):
        raise section.wrong("direction", "1 or -1")
    return direction


def _parameters(section: Section, walk: str, kind: str) -> tuple[Parameter | TextParameter, ...]:
    if not section.has("parameters"):
        if walk in NEEDS_DEFAULT:
            section.value("parameters")
        return ()
    group = section.section("parameters")
    if kind != "native":
        group.require(WALK_PARAMETERS.get(walk, ()), all_of=walk in NEEDS_DEFAULT)
    return tuple(
        _text_parameter(name, group.section(name))
        if (kind == "native" or name in THINGS) and group.section(name).has("longest")
        else _parameter(name, group.section(name), walk)
        for name in group.names()
    )


def _text_parameter(name: str, section: Section) -> TextParameter:
    longest = int(section.number("longest", 1, LONGEST_TEXT))
    default = section.text("default") if section.has("default") else None
    if default is not None and len(default) > longest:
        raise section.wrong("default", f"of at most {longest} characters")
    is_thing = section.text("type", ("text", "thing"), default="text") == "thing"
    required = _required(section, default)
    parameter = TextParameter(
        name, longest, default, section.text("description", default=""), is_thing, required
    )
    section.close()
    return parameter


def _parameter(name: str, section: Section, walk: str) -> Parameter:
    lower, upper = section.numbers("range", 2)
    if lower > upper:
        raise section.wrong("range", "[lower, upper]")
    if name in LENGTHS.get(walk, ()) and lower < 0.0:  # such a walk would be over at once
        raise section.wrong("range", f"0 or more, as the {name} of a walk of kind {walk!r} has to be")
    default = None
    if section.has("default") or walk in NEEDS_DEFAULT:
        default = section.number("default", lower, upper)
    unit, description = section.text("unit", default=""), section.text("description", default="")
    parameter = Parameter(name, lower, upper, unit, default, description, _required(section, default))
    section.close()
    return parameter


def _required(section: Section, default: float | str | None) -> bool:
    required = section.flag("required")
    if required and default is not None:
        raise section.wrong("required", "left out beside default")
    return required


def _light(section: Section) -> Light:
    red_green_blue = section.numbers("color", 3, 0.0, 1.0) if section.has("color") else None
    color = (red_green_blue[0], red_green_blue[1], red_green_blue[2]) if red_green_blue else None
    light = Light(section.text("pattern", LIGHT_PATTERNS), color)
    section.close()
    return light


def _keyframes(
    section: Section, channels: tuple[str, ...], body: BodyDescription, joints: Mapping[str, Joint]
) -> tuple[Keyframe, ...]:
    mirrored = section.flag("then_mirrored")
    if not section.has("keyframes"):
        return ()
    moved = _joints_of(channels, joints)
    frames = read_keyframes(section, "keyframes", moved, _resting(moved, body))
    return _with_mirror_image(section, frames, moved) if mirrored else tuple(frames)


def _resting(moved: Mapping[str, Joint], body: BodyDescription) -> list[Joint]:
    """The joints that ``rest: true`` moves; a body with a gait puts its legs in the rest pose by standing."""
    balances = body.carrier is not None and body.carrier.balances
    return [joint for joint in moved.values() if not balances or joint.channel != "legs"]


def _joints_of(channels: tuple[str, ...], joints: Mapping[str, Joint]) -> dict[str, Joint]:
    return {name: joint for name, joint in joints.items() if joint.channel in channels}


def _with_mirror_image(
    section: Section, frames: list[Keyframe], moved: Mapping[str, Joint]
) -> tuple[Keyframe, ...]:
    """The frames in the first half of the time, then the same for the other side."""
    first = [Keyframe(0.5 * frame.at, frame.position) for frame in frames]
    second: list[Keyframe] = []
    for frame in frames:
        position: dict[str, float] = {}
        for name, angle in frame.position.items():
            joint = moved.get(moved[name].mirror)
            image = angle * moved[name].mirror_sign
            if joint is None or not joint.lower <= image <= joint.upper:
                raise section.wrong(
                    "then_mirrored", f"possible: {moved[name].mirror!r} cannot go to {image:g}"
                )
            position[joint.name] = image
        second.append(Keyframe(0.5 + 0.5 * frame.at, position))
    return tuple(first + second)
