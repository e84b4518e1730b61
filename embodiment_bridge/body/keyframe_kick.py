# SPDX-License-Identifier: Apache-2.0
"""The section ``kick`` of a base on legs that walk by keyframes: a motion of the legs, from a stand to a stand."""

from collections.abc import Mapping
from dataclasses import dataclass

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.description import Joint, Keyframe
from embodiment_bridge.body.keyframe_section import mirror_image, read_keyframes
from embodiment_bridge.body.kick_section import BallKick, read_ways
from embodiment_bridge.body.least_times import shortest_motion

LONGEST_S = 10.0


@dataclass(frozen=True, slots=True)
class KeyframeKick(BallKick):
    """A kick by ``keyframes`` of the legs in ``seconds``, for the left foot and mirrored for the right one."""

    seconds: float
    left: tuple[Keyframe, ...]
    right: tuple[Keyframe, ...]


def read_keyframe_kick(section: Section, joints: Mapping[str, Joint]) -> KeyframeKick:
    """The kick; ``joints`` are those of the body.

    Raises:
        ConfigError: a key is missing, unknown or out of range, the keyframes do not end in the rest pose, a joint
            is too slow for them, or its counterpart cannot do the same.
    """
    legs = {name: joint for name, joint in joints.items() if joint.channel == "legs"}
    left = read_keyframes(section, "keyframes", legs, legs.values())
    right = [mirror_image(frame, legs) for frame in left]
    if right == left:
        raise section.wrong("keyframes", "possible for the other foot: no joint in them has the key 'mirror'")
    for name, angle in (pair for frame in right for pair in frame.position.items()):
        if name not in legs or not legs[name].lower <= angle <= legs[name].upper:
            raise section.wrong("keyframes", f"possible for the other foot: {name!r} cannot go to {angle:g}")
    if any(left[-1].position.get(name) != joint.rest for name, joint in legs.items()):
        raise section.wrong("keyframes", "a list that ends with rest: true")
    seconds = section.number("seconds", 0.1, LONGEST_S)
    if seconds < (need := shortest_motion(left, legs)) - 1e-9:
        raise section.wrong("seconds", f"long enough for its joints, which need {need:.3f} s")
    ways, outward = read_ways(section, 1)
    kick = KeyframeKick(
        ahead=section.number("ahead", 0.0, 1.0),
        aside=section.number("aside", -1.0, 1.0),
        ways=ways,
        outward=outward,
        further=(0.0,) * len(ways),
        seconds=seconds,
        left=tuple(left),
        right=tuple(right),
    )
    section.close()
    return kick
