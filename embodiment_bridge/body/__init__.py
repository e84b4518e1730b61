# SPDX-License-Identifier: Apache-2.0
"""Bodies: the state, the description, and the readers of a body file."""

from embodiment_bridge.body.state import (
    BodyState,
    JointTargets,
    SkillInfo,
    SkillReport,
    SkillRequest,
    SkillStatus,
)

__all__ = ["BodyState", "JointTargets", "SkillInfo", "SkillReport", "SkillRequest", "SkillStatus"]
