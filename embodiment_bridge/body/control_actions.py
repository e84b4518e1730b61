# SPDX-License-Identifier: Apache-2.0
"""The body actions PAUSE, RESUME and STOP, for robots that have them switched on."""

from collections.abc import Mapping
from typing import Final

from embodiment_bridge.body.state import SkillInfo

CONTROL_ACTIONS: Final = ("pause", "resume", "stop")  # off unless a robot's parameters switch them on
CONTROL_PARAMETER: Final = "control_actions"
CONTROL: Final = "control"  # the kind of these skills
RESET: Final = "reset"  # brings the body to its rest pose, which is what STOP does


def with_control_actions(skills: Mapping[str, SkillInfo]) -> dict[str, SkillInfo]:
    """The skills of a body and the control actions; a skill of the body of the same name stays.

    PAUSE and RESUME take no time and no channel. STOP takes as long as ``reset`` and has its channels; a body without
    that has no STOP.
    """
    reset = skills.get(RESET)
    found = {name: SkillInfo(name, CONTROL, (), 0.0, 0.0) for name in CONTROL_ACTIONS if name != "stop"}
    if reset is not None:
        found["stop"] = SkillInfo(
            "stop", CONTROL, reset.channels, reset.nominal_s, reset.min_s, available=reset.available
        )
    return {**found, **skills}
