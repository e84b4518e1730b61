# SPDX-License-Identifier: Apache-2.0
"""One running skill: from the request to the last report."""

from collections.abc import Sequence
from enum import Enum
from math import inf

from embodiment_bridge.body.description import Joint, Keyframe, Skill
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.motion.joints.keyframes import Motion, pieces_of, recorded
from embodiment_bridge.motion.joints.move import Move
from embodiment_bridge.motion.joints.posture import Posture
from embodiment_bridge.motion.joints.trajectory import Trajectory, TrajectoryPoint, paced
from embodiment_bridge.motion.skills.native import Judging, Native, Placing
from embodiment_bridge.motion.skills.outcome import Outcome
from embodiment_bridge.motion.walking.kick import KickBall
from embodiment_bridge.motion.walking.walk_program import Pose, Program

REPORT_S = 0.2  # s between progress reports
LATE_S = 0.02  # s by which a slower trajectory ends later before people are told
TIME_SLACK_S = 1e-6  # s by which the sum of cycles may be shorter than a slot


class Ending(Enum):
    """Says how a skill is to end."""

    NOT = "runs to its own end"
    FINISH = "canceled, but goes to its own end"
    REST = "canceled, coming to rest"


class SkillRun:
    """Holds the state of one requested skill.

    ``motion`` moves its joints once it has begun, ``program`` is its walk, ``native`` its part done by the body; a
    skill with none of these only waits for its slot to end. ``outcome`` judges what it achieved.
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
        outcome: Outcome | None = None,
    ) -> None:
        self.request = request
        self.skill = skill
        self.available = available
        self.joints = joints
        self.program = program
        self.track = track
        self.native = native
        self.outcome = outcome if not isinstance(native, Judging) else None
        self._complete_at = inf  # value of ``elapsed`` at the end of the motion, s
        self.judged = True  # whether it fails where its joints do not arrive
        self.motion: Move | None = None
        self.delay = 0.0  # s until its motion begins
        self.elapsed = 0.0
        self.ending = Ending.NOT
        self.held = False
        self.tries = 1
        self.remark = ""  # remark for people about a skill that is done
        self._since_report = 0.0
        self._reported_held = False
        length = skill.nominal_s if program is None else 0.0
        self.slot = request.slot_s or length

    def try_again(self, skill: Skill) -> None:
        """Move once more, by the keyframes of ``skill``, which takes its time anew."""
        self.skill, self.motion = skill, None
        self.slot = self.elapsed + skill.nominal_s
        self._complete_at = inf
        self.tries += 1

    @property
    def slot_over(self) -> bool:
        """Whether the time of the skill is over."""
        return self.elapsed >= self.slot - TIME_SLACK_S

    @property
    def keyframes(self) -> tuple[Keyframe, ...]:
        """The keyframes for its joints."""
        return self.native.keyframes if self.native is not None else self.skill.keyframes

    def watch(self, pose: Pose) -> None:
        """Let ``outcome`` see how things are, until the skill begins to change them."""
        if self.outcome is None:
            return
        if isinstance(self.program, KickBall):
            begun = self.program.struck
        else:
            begun = self.motion is not None or (self.native is not None and self.native.progress > 0.0)
        if not begun:
            self.outcome.watch(pose)

    def complete_for(self) -> float:
        """Return for how long the skill has been complete, s; call it only once it is."""
        self._complete_at = min(self._complete_at, self.elapsed)
        return self.elapsed - self._complete_at

    @property
    def parts(self) -> tuple[Program | Native, ...]:
        """Its walk and what the body does by itself, where it has them."""
        return tuple(part for part in (self.program, self.native) if part is not None)

    @property
    def judged_done(self) -> bool:
        """Whether the body has told that a skill that was not canceled is done; its slot may not be over."""
        return isinstance(self.native, Judging) and self.native.done and self.ending is Ending.NOT

    @property
    def lateness(self) -> str:
        """The reason to end a walk or a native skill that takes longer than its patience; empty if none does."""
        if any(not part.done and self.elapsed > part.patience for part in self.parts):
            return f"only {self.progress:.0%} of the way after {self.elapsed:.1f} s"
        return ""

    @property
    def failure(self) -> str:
        """The reason why a walk or a native skill cannot be done; empty if it can."""
        return next((part.failure for part in self.parts if part.failure), "")

    @property
    def uses_legs(self) -> bool:
        """Whether the skill stands or walks."""
        return self.available and "legs" in self.skill.channels

    @property
    def needs_stand(self) -> bool:
        """Whether a fallen body cannot do the skill."""
        return self.uses_legs and not self.skill.lying and not isinstance(self.native, Placing)

    @property
    def progress(self) -> float:
        """The progress, 0..1, of its slowest part."""
        shares = [self.elapsed / self.slot] if self.slot > 0.0 else []
        if self.available and self.program is not None:
            shares.append(self.program.progress)
        if self.native is not None:
            shares.append(self.native.progress)
        if self.joints and self.ending is not Ending.REST:  # they may have to wait for the end of a walk
            shares.append(self.motion.progress if self.motion is not None else 0.0)
        return min(max(min(shares, default=1.0), 0.0), 1.0)

    def report(self, status: SkillStatus, reason: str = "") -> SkillReport:
        """Return a report of the present state."""
        complete = status in (SkillStatus.SUCCEEDED, SkillStatus.SKIPPED)
        self._since_report, self._reported_held = 0.0, self.held
        reason = "; ".join(filter(None, (reason, self.remark)))
        return SkillReport(self.request.id, status, 1.0 if complete else self.progress, self.held, reason)

    def due_report(self, dt: float) -> SkillReport | None:
        """Return a RUNNING report if ``held`` has changed or ``REPORT_S`` has passed since the last; else None."""
        self._since_report += dt
        if self.held == self._reported_held and self._since_report < REPORT_S - TIME_SLACK_S:
            return None
        return self.report(SkillStatus.RUNNING)


def motion_of(run: SkillRun, posture: Posture, all_joints: Sequence[Joint]) -> Move:
    """Return the motion of a skill by its points, its recorded track or its keyframes; it takes the joints over."""
    joints = [all_joints[i] for i in run.joints]
    brake = posture.brake(run.joints)
    posture.take(run.joints)
    position = [brake.rest[i] for i in run.joints]
    if run.track:
        points = paced(run.track, position, joints)
        if points[-1].time - run.track[-1].time > LATE_S:
            run.remark = (
                f"took {points[-1].time:.2f} s, not {run.track[-1].time:.2f} s: its joints are not faster"
            )
        return Move(brake, Trajectory(run.joints, position, points))
    own = run.skill.nominal_s if run.skill.lying else 0.0
    length = own or run.request.slot_s or run.skill.nominal_s
    if run.skill.track is not None:
        return recorded(run.joints, brake, run.skill.track, joints, length)
    return Move(brake, Motion(run.joints, position, pieces_of(run.keyframes, joints, position, length)))
