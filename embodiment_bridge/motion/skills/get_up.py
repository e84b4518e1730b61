# SPDX-License-Identifier: Apache-2.0
"""Skills for a fallen body: chooses the motion for the side on which it lies."""

from dataclasses import replace

from embodiment_bridge.body.description import Skill
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.skills.fall import FallDetector

STILL_FALLEN = "the body is still fallen"
TRIES = 3  # motions of one skill; a body that slips is on its way up at the second or third


def as_it_lies(skill: Skill, fall: FallDetector) -> Skill:
    """``skill`` with the keyframes for the side on which the body lies; without a fall it has length 0.

    Raises:
        CommandError: the skill has no keyframes for that side.
    """
    if not fall.fallen:
        return replace(skill, nominal_s=0.0)
    frames = skill.lying[fall.side]
    if not frames:
        raise CommandError(f"skill {skill.name!r} has no motion for a body that lies on its {fall.side}")
    return replace(skill, keyframes=frames)
