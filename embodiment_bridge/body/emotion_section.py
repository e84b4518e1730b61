# SPDX-License-Identifier: Apache-2.0
"""Reads the emotions of a body file: each is a posture with a light, and becomes a skill of its name."""

from collections.abc import Mapping

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.description import CHANNELS, LIGHT_PATTERNS, Joint, Keyframe, Light, Skill
from embodiment_bridge.body.least_times import shortest_motion
from embodiment_bridge.body.stance import read_stance
from embodiment_bridge.body.usual_skills import describe_emotion
from embodiment_bridge.core.errors import ConfigError

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
    section = emotions.section(name)
    if name != name.lower() or not name.isidentifier():
        raise emotions.wrong(name, "under a name of lower case letters, digits and _")
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
