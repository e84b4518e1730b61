# SPDX-License-Identifier: Apache-2.0
"""A body made from the servos alone, for a robot without a body file: its joints and one skill, reset."""

from math import isfinite

from embodiment_bridge.body.description import BodyDescription, Joint, Keyframe, Skill, shortest_motion
from embodiment_bridge.dynamixel.config.servo_config import ServoSetup

WORDS = {
    "head": ("head", "neck"),
    "waist": ("waist", "torso", "spine", "abdomen"),
    "legs": ("hip", "knee", "ankle", "foot", "leg", "thigh", "wheel"),
    "hand": ("grip", "hand", "finger", "thumb"),
}
SIDES = {"l": "l", "left": "l", "r": "r", "right": "r"}
USUAL_SPEED, USUAL_EFFORT, WIDEST = 3.0, 1.0, 3.14  # rad/s, Nm, rad where the description has no limit


def plain_body(setup: ServoSetup) -> BodyDescription:
    """A body with the joints of the description and their limits, on the channels that their names suggest."""
    joints = tuple(
        Joint(
            servo.joint,
            channel_of(servo.joint),
            max(servo.lower, -WIDEST) if isfinite(servo.lower) else -WIDEST,
            min(servo.upper, WIDEST) if isfinite(servo.upper) else WIDEST,
            servo.velocity if isfinite(servo.velocity) else USUAL_SPEED,
            servo.effort if isfinite(servo.effort) else USUAL_EFFORT,
            0.0,
            0.0,
            rest=min(max(0.0, servo.lower), servo.upper),
            mirror=servo.joint,
        )
        for servo in setup.servos
    )
    channels = tuple(dict.fromkeys(joint.channel for joint in joints))
    rest = (Keyframe(1.0, {joint.name: joint.rest for joint in joints}),)
    by_name = {joint.name: joint for joint in joints}
    least = shortest_motion(rest, by_name)
    skills = {"reset": Skill("reset", "motion", channels, max(2.0, least), least, keyframes=rest)}
    return BodyDescription(setup.robot, channels, joints, skills)


def channel_of(joint: str) -> str:
    """The channel for a joint name: ``left_elbow`` is on the left arm; a name without a hint is on the right arm."""
    words = joint.lower().replace("-", "_").split("_")
    side = next((SIDES[word] for word in words if word in SIDES), "r")
    for channel, hints in WORDS.items():
        if any(hint in word for word in words for hint in hints):
            return f"hand_{side}" if channel == "hand" else channel
    return f"arm_{side}"
