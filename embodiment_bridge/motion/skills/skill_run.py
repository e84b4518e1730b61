# SPDX-License-Identifier: Apache-2.0
"""One skill on its way: from the request to the last report."""

from collections.abc import Sequence
from enum import Enum

from embodiment_bridge.body.description import Keyframe, Skill
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.motion.gait.walk_program import Program
from embodiment_bridge.motion.joints.keyframes import Motion
from embodiment_bridge.motion.joints.recorded import Recorded
from embodiment_bridge.motion.joints.trajectory import Trajectory, TrajectoryPoint
from embodiment_bridge.motion.skills.native import Native

REPORT_S = 0.2  # s between progress reports
TIME_SLACK_S = 1e-6  # s that summed up cycles may fall short of a slot


class Ending(Enum):
    """How a skill was told to end."""

    NOT = "runs to its own end"
    FINISH = "canceled, but goes to its own end"
    REST = "canceled, coming to rest"


class SkillRun:
    """State of one requested skill.

    ``motion`` moves its joints once begun, ``program`` its walk, ``native`` is what the body does by itself; a skill
    with none of these just fills its slot.
    ``joints``: numbers of the joints that its keyframes, or the points of its ``track``, move.
    """

    def __init__(
        self,
        request: SkillRequest,
        skill: Skill,
        available: bool,
        joints: tuple[int, ...],
        program: Program | None,
        track: Sequence[TrajectoryPoint] = (),
        native: Native | None = None,
    ) -> None:
        self.request = request
        self.skill = skill
        self.available = available
        self.joints = joints
        self.program = program
        self.track = track
        self.native = native
        self.motion: Motion | Trajectory | Recorded | None = None
        self.elapsed = 0.0
        self.ending = Ending.NOT
        self.held = False
        self._since_report = 0.0
        self._told_held = False
        length = skill.nominal_s if program is None else 0.0
        self.slot = request.slot_s or length

    @property
    def slot_over(self) -> bool:
        """Whether the time of the skill is over."""
        return self.elapsed >= self.slot - TIME_SLACK_S

    @property
    def keyframes(self) -> tuple[Keyframe, ...]:
        """What moves its joints."""
        return self.native.keyframes if self.native is not None else self.skill.keyframes

    @property
    def overdue(self) -> bool:
        """Whether a walk or a native skill should have got there long ago."""
        parts = (part for part in (self.program, self.native) if part is not None)
        return any(not part.done and self.elapsed > part.patience for part in parts)

    @property
    def failure(self) -> str:
        """Why a native skill cannot be done; empty while it may."""
        return self.native.failure if self.native is not None else ""

    @property
    def uses_legs(self) -> bool:
        """Whether the skill stands or walks."""
        return self.available and "legs" in self.skill.channels

    @property
    def progress(self) -> float:
        """0..1, of what lasts longest."""
        shares = [self.elapsed / self.slot] if self.slot > 0.0 else []
        if self.available and self.program is not None:
            shares.append(self.program.progress)
        if self.native is not None:
            shares.append(self.native.progress)
        if self.motion is not None and self.ending is not Ending.REST:
            shares.append(self.motion.progress)
        return min(max(min(shares, default=1.0), 0.0), 1.0)

    def report(self, status: SkillStatus, reason: str = "") -> SkillReport:
        """A report of now."""
        complete = status in (SkillStatus.SUCCEEDED, SkillStatus.SKIPPED)
        self._since_report, self._told_held = 0.0, self.held
        return SkillReport(self.request.id, status, 1.0 if complete else self.progress, self.held, reason)

    def due_report(self, dt: float) -> SkillReport | None:
        """A RUNNING report when ``held`` changed or the last report is a while ago."""
        self._since_report += dt
        if self.held == self._told_held and self._since_report < REPORT_S - TIME_SLACK_S:
            return None
        return self.report(SkillStatus.RUNNING)
