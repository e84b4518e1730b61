# SPDX-License-Identifier: Apache-2.0
"""What a body is: its state, its description, and the readers of a body file."""

from embodiment_bridge.body.state import (
    BodyState,
    JointTargets,
    SkillInfo,
    SkillReport,
    SkillRequest,
    SkillStatus,
)

__all__ = ["BodyState", "JointTargets", "SkillInfo", "SkillReport", "SkillRequest", "SkillStatus"]
