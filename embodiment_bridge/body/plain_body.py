# SPDX-License-Identifier: Apache-2.0
"""A body made from joints alone, for a robot without a body file: its joints, and a skill that takes them to rest."""

from collections.abc import Sequence
from typing import Final

from embodiment_bridge.body.description import BodyDescription, Joint, Keyframe, Skill
from embodiment_bridge.body.least_times import shortest_motion

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
