# SPDX-License-Identifier: Apache-2.0
"""Reads a list of keyframes of a body file."""

from collections.abc import Collection, Mapping

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.description import Joint, Keyframe

KEYFRAME_LIMIT = 1000


def read_keyframes(
    section: Section, key: str, moved: Mapping[str, Joint], resting: Collection[Joint]
) -> list[Keyframe]:
    """The keyframes under ``key``, the last one at 1.

    Args:
        section: has the list.
        key: of the list.
        moved: the joints that may be named.
        resting: those that ``rest: true`` moves to their rest.

    Raises:
        ConfigError: a time is not later than the one before, or a joint or an angle is not possible.
    """
    frames: list[Keyframe] = []
    items = section.sections(key)
    if len(items) > KEYFRAME_LIMIT:
        raise section.wrong(key, f"a list of at most {KEYFRAME_LIMIT}")
    for item in items:
        after = frames[-1].at if frames else 0.0
        at = item.number("at", 0.0, 1.0)
        if at <= after:
            raise item.wrong("at", f"later than {after:g}")
        frames.append(Keyframe(at, _position(item, moved, resting)))
    if not frames or frames[-1].at != 1.0:
        raise section.wrong(key, "a list that ends at 1.0")
    return frames


def _position(item: Section, moved: Mapping[str, Joint], resting: Collection[Joint]) -> dict[str, float]:
    position = {joint.name: joint.rest for joint in resting} if item.flag("rest") else {}
    for key in item.names():
        if key in moved:
            position[key] = item.number(key, moved[key].lower, moved[key].upper)
    item.require(("at", "rest", *moved))
    return position


def mirror_image(frame: Keyframe, joints: Mapping[str, Joint]) -> Keyframe:
    """The same for the other side of the body, whose joints may not be able to go there."""
    pairs = ((joints[name], angle) for name, angle in frame.position.items())
    return Keyframe(frame.at, {joint.mirror: joint.mirror_sign * angle for joint, angle in pairs})
