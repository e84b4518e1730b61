# SPDX-License-Identifier: Apache-2.0
"""The running skills of one body: their channels, progress and results."""

from collections.abc import Iterable, Mapping, Sequence

from embodiment_bridge.body.description import BodyDescription, Skill
from embodiment_bridge.body.skill_info import SETTLE_S
from embodiment_bridge.body.stance import UPRIGHT
from embodiment_bridge.body.state import SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.body.surroundings import Things
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.move import Move, Stop
from embodiment_bridge.motion.joints.posture import ChannelArbiter, Posture
from embodiment_bridge.motion.joints.sensing import Sensed, limp_among
from embodiment_bridge.motion.joints.trajectory import LONGEST_S, TrajectoryPoint, checked_points, left_of
from embodiment_bridge.motion.locomotion.locomotion import Locomotion
from embodiment_bridge.motion.skills.fall import STILL_FALLEN, TRIES, FallDetector, as_it_lies
from embodiment_bridge.motion.skills.holds import Holds
from embodiment_bridge.motion.skills.lights import Lights
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.motion.skills.outcome import UNSEEN, Verdict, arrival
from embodiment_bridge.motion.skills.requests import moved_joints, run_of
from embodiment_bridge.motion.skills.skill_run import Ending, SkillRun, motion_of
from embodiment_bridge.motion.walking.walk_program import Pose, Program

FALLEN = "fallen"
STRAIGHTEN_S = 0.6  # s in which the legs go from the stance of an emotion to the usual one
LEAST_RESET_S = 0.5  # s that a cancel with a move to the rest pose takes at least
PENDING_LIMIT = 1000  # reports that wait to be taken; then requests are refused: results are never dropped


class SkillTable:
    """Holds the running skills by the id of their request.

    ``native_skills``: starters by name. ``things``: known to the body. ``stopped``: nothing was asked since a stop.
    """

    def __init__(
        self,
        description: BodyDescription,
        posture: Posture,
        legs: Locomotion | None,
        native_skills: Mapping[str, Start],
        fall: FallDetector,
        things: Things,
        sensed: Sensed,
    ) -> None:
        self.arbiter, self.lights = ChannelArbiter(), Lights(description)
        self._native_skills, self._description = native_skills, description
        self._index = {joint.name: i for i, joint in enumerate(description.joints)}
        self._posture, self._legs = posture, legs
        if legs is not None:
            legs.busy = self.busy_joints
        self._fall, self._things, self._sensed = fall, things, sensed
        self._leg_joints = frozenset(legs.joints if legs else ())
        self._runs: dict[str, SkillRun] = {}
        self._reports: list[SkillReport] = []
        self._own_requests = 0
        self.stopped = False

    def start(self, request: SkillRequest) -> None:
        """Start a skill at the next step; skills that hold one of its channels end as REPLACED.

        Raises:
            CommandError: the request is refused, see ``MotionRunner.start``; nothing changed.
        """
        if request.id in self._runs:
            raise CommandError(f"a skill with id {request.id!r} is running")
        if len(self._reports) >= PENDING_LIMIT:
            raise CommandError(f"skill {request.name!r} refused: {PENDING_LIMIT} reports wait to be taken")
        run = run_of(request, self._description, self._native_skills, self._fall, self._sensed, self._things)
        self._admit(run)

    def follow(
        self, names: Sequence[str], points: Sequence[TrajectoryPoint], delay: float, *, judged: bool
    ) -> str:
        """Move joints through timed points, which claim the channels of the joints; returns the id of that.

        delay: s until the trajectory begins; negative if it has begun: what is left of it is joined from here.
        judged: whether it fails where the joints do not arrive.

        Raises:
            CommandError: the joints cannot follow, or the trajectory is over.
        """
        if delay > LONGEST_S:
            raise CommandError(f"trajectory: begins in {delay:.0f} s, not within {LONGEST_S:g} s")
        joints = self._description.joints
        checked = checked_points(names, points, {joint.name: joint for joint in joints})
        if delay < 0.0:
            checked, delay = left_of(checked, -delay), 0.0
        numbers = tuple(self._index[name] for name in names)
        length = delay + checked[-1].time
        skill = Skill("joint_trajectory", "motion", self.channels_of(numbers), length, 0.0)
        run = SkillRun(self._own_request(skill.name), skill, True, numbers, None, checked)
        run.delay, run.judged = delay, judged
        self._admit(run)
        return run.request.id

    def walk_to(self, program: Program) -> None:
        """Run a walk program, which claims the legs."""
        skill = Skill("goal_pose", "walk", ("legs",), 0.0, 0.0)
        self._admit(SkillRun(self._own_request(skill.name), skill, True, (), program))

    def busy_joints(self) -> frozenset[int]:
        """Return the joints of held channels, without those of the legs."""
        holder = self.arbiter.holder
        joints = enumerate(self._description.joints)
        return frozenset(n for n, j in joints if n not in self._leg_joints and holder(j.channel) is not None)

    def channels_of(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the channels of joints."""
        used = {self._description.joints[number].channel for number in numbers}
        return tuple(channel for channel in self._description.channels if channel in used)

    def _own_request(self, name: str) -> SkillRequest:
        self._own_requests += 1
        return SkillRequest(f"{name} {self._own_requests}", name, source=name)

    def _admit(self, run: SkillRun) -> None:
        self.stopped = False
        # Nor does it end what gets the body up.
        if self._fall.fallen and run.needs_stand:
            self._reports += [run.report(SkillStatus.RUNNING), run.report(SkillStatus.FAILED, FALLEN)]
            return
        self.claim(run.request.id, run.skill.channels)
        if run.skill.stance is not None and self._legs is not None:
            self._legs.stand_as(run.skill.stance, run.request.slot_s or run.skill.nominal_s)
        self._runs[run.request.id] = run
        if run.skill.light is not None:
            self.lights.show(run.skill.channels, run.skill.light)
        self._reports.append(run.report(SkillStatus.RUNNING))

    def claim(self, claim: str, channels: tuple[str, ...]) -> None:
        """Give channels to ``claim``.

        Skills that held one of them end, and with the legs the usual stance returns.
        """
        self.stopped = False
        if "legs" in channels and self._legs is not None:
            self._legs.stand_as(UPRIGHT, STRAIGHTEN_S)
        for replaced in self.arbiter.claim(claim, channels):
            run = self._runs.get(replaced)
            if run is not None:
                status = SkillStatus.REPLACED if run.ending is Ending.NOT else SkillStatus.CANCELED
                self._end(run, status, f"channel taken by {claim!r}")

    def cancel(self, request_id: str, holds: Holds) -> bool:
        """End a skill as its description says; a held skill with ``on_stop`` finish is stopped instead.

        Returns:
            False if no skill with this id is running.
        """
        run = self._runs.get(request_id)
        if run is None:
            return False
        if run.skill.on_stop == "finish" and not holds.holds(run.request.source):
            run.ending = Ending.FINISH if run.ending is Ending.NOT else run.ending
        elif run.ending is not Ending.REST:
            self._bring_to_rest(run, to_rest_pose=run.skill.on_stop == "reset")
        return True

    def stop(self) -> None:
        """Bring all skills to rest where they are."""
        self.stopped = True
        self._posture.stop()
        for run in self._runs.values():
            if not isinstance(run.motion, Stop):  # a second stop must not delay the first one
                self._bring_to_rest(run, to_rest_pose=False)

    def _bring_to_rest(self, run: SkillRun, to_rest_pose: bool) -> None:
        run.ending = Ending.REST
        if run.native is not None:
            run.native.stop()
        if run.motion is None:
            run.joints = ()
        elif to_rest_pose:
            run.motion = self._posture.rest_motion(run.joints, LEAST_RESET_S)
        else:
            run.motion = self._posture.stop_motion(run.joints)

    def fail_all(self, reason: str) -> None:
        """End every skill as FAILED, but for one that the body has told to be done: only its slot was left."""
        for run in tuple(self._runs.values()):
            failure = run.failure if run.judged_done else reason
            self._end(run, SkillStatus.FAILED if failure else SkillStatus.SUCCEEDED, failure)

    def fail_legs(self) -> None:
        """Fail every skill that uses the legs, as the body has fallen; those for a fallen body go on."""
        for run in tuple(self._runs.values()):
            if run.needs_stand:
                self._end(run, SkillStatus.FAILED, FALLEN)

    def take_reports(self) -> list[SkillReport]:
        """Return the reports since the last call."""
        reports, self._reports = self._reports, []
        return reports

    @property
    def lying_run(self) -> bool:
        """Whether a skill for a fallen body runs."""
        return any(run.skill.lying for run in self._runs.values())

    @property
    def legs_by_keyframes(self) -> bool:
        """Whether keyframes drive the legs now."""
        return any(self._drives_legs(run) for run in self._runs.values())

    @property
    def program(self) -> Program | None:
        """The walk program of the skill that holds the legs."""
        run = self._runs.get(self.arbiter.holder("legs") or "")
        return run.program if run is not None and run.ending is not Ending.REST else None

    @property
    def sources(self) -> set[str]:
        """The sources of the running skills."""
        return {run.request.source for run in self._runs.values()}

    def walker_held(self, holds: Holds) -> bool:
        """Return whether the skill that holds the legs is held."""
        run = self._runs.get(self.arbiter.holder("legs") or "")
        return run is not None and holds.holds(run.request.source)

    def _drives_legs(self, run: SkillRun) -> bool:
        return run.motion is not None and not self._leg_joints.isdisjoint(run.joints)

    def advance(self, dt: float, holds: Holds) -> None:
        """Let ``dt`` s pass, or less for skills that are held and not canceled."""
        pose = self._pose
        for run in self._runs.values():
            rate = holds.rate_of(run.request.source)
            own = dt if run.ending is Ending.REST else dt * rate
            run.elapsed += own
            run.watch(pose)
            if run.motion is None and run.joints and rate > 0.0 and run.elapsed >= run.delay:
                run.motion = self._begin_motion(run)
            if run.motion is not None:
                run.motion.advance(own)
                self._posture.drive(run.motion)
            if run.native is not None and own > 0.0 and self._begun(run):
                run.native.step(own)
            run.held = rate == 0.0 and (not run.uses_legs or self._standing)

    def _begun(self, run: SkillRun) -> bool:
        """Return whether a native skill may begin: if it uses the legs, a walk must have ended."""
        return run.motion is not None if run.joints else not run.uses_legs or self._standing

    def _begin_motion(self, run: SkillRun) -> Move | None:
        if not self._leg_joints.isdisjoint(run.joints) and not self._standing:
            return None  # keyframes must not begin during a walk: the walker stops first, as the skill holds the legs
        return motion_of(run, self._posture, self._description.joints)

    @property
    def _standing(self) -> bool:
        return self._legs is None or self._legs.standing

    def conclude(self, dt: float) -> None:
        """Report the skills that ended in the last ``dt`` s, and regularly those that run."""
        for run in tuple(self._runs.values()):
            if run.ending is Ending.REST:
                at_rest = self._arrived(run) and self._posture.at_rest(run.joints)
                at_rest = at_rest and (run.native is None or run.native.done)
                if at_rest and (not run.uses_legs or self._standing):
                    self._end(run, SkillStatus.CANCELED)
            elif failure := run.failure or self._limp(run):
                self._end(run, SkillStatus.FAILED, failure)
            elif run.skill.lying and self._fall.fallen and self._complete(run):
                self._get_up_again(run)
            elif self._complete(run):
                self._judge(run, dt)
            elif lateness := run.lateness:
                self._end(run, SkillStatus.FAILED, lateness)
            elif report := run.due_report(dt):
                self._reports.append(report)

    def _judge(self, run: SkillRun, dt: float) -> None:
        """End a skill that is complete, once it is seen what it achieved; its motion is over."""
        if run.ending is not Ending.NOT:
            self._end(run, SkillStatus.CANCELED)
        elif not run.available:
            self._end(run, SkillStatus.SKIPPED, f"body {self._description.name!r} lacks the channel")
        elif verdict := self._verdict(run):
            done = SkillStatus.SUCCEEDED if verdict.achieved else SkillStatus.FAILED
            self._end(run, done, verdict.text)
        elif report := run.due_report(dt):
            self._reports.append(report)

    def _verdict(self, run: SkillRun) -> Verdict | None:
        """Judge what a complete skill achieved, see docs/outcomes.md; None while that may still change or be seen."""
        waited, sensed = run.complete_for(), self._sensed
        if run.uses_legs and not self._fall.quiet and waited < SETTLE_S:
            return None
        if run.outcome is not None:
            return run.outcome.verdict(self._pose, waited)
        if run.skill.lying:
            return Verdict(True, "" if sensed.tilt_fresh else UNSEEN)
        if run.program is not None and not sensed.base_fresh:
            return Verdict(True, UNSEEN)
        joints, goals = self._description.joints, self._posture.limiter.position
        # Limp joints are told as such.
        moved = (number for number in run.joints if run.judged and number not in sensed.limp)
        return arrival(((joints[n], sensed.now[n], goals[n]) for n in moved), waited)

    @property
    def _pose(self) -> Pose:
        sensed = self._sensed
        return Pose(sensed.x, sensed.y, sensed.yaw, not sensed.base_fresh)

    def _get_up_again(self, run: SkillRun) -> None:
        """Move once more from where the body lies now; the last try, and one that was canceled, end as FAILED."""
        if run.ending is not Ending.NOT or run.tries == TRIES:
            self._end(run, SkillStatus.FAILED, STILL_FALLEN)
            return
        try:
            run.try_again(as_it_lies(run.skill, self._fall))
        except CommandError as e:
            self._end(run, SkillStatus.FAILED, f"{STILL_FALLEN}: {e}")
            return
        run.joints = moved_joints(run, self._description.joints)

    def _limp(self, run: SkillRun) -> str:
        """Return why no joint of a skill moves; if only some do not, its result tells it."""
        moved = run.joints or (self._leg_joints if run.program is not None else ())
        text, all_are = limp_among(self._description.joints, self._sensed.limp, moved)
        run.remark = text if text and not all_are else run.remark
        return text if all_are else ""

    def _arrived(self, run: SkillRun) -> bool:
        motion = run.motion
        return not run.joints or (motion is not None and motion.done and self._posture.arrived(run.joints))

    def _complete(self, run: SkillRun) -> bool:
        if not (run.slot_over and self._arrived(run) and all(part.done for part in run.parts)):
            return False
        if run.ending is Ending.FINISH and not self._posture.at_rest(run.joints):
            return False
        return not run.uses_legs or self._legs is None or self._legs.calm

    def _end(self, run: SkillRun, status: SkillStatus, reason: str = "") -> None:
        del self._runs[run.request.id]
        if run.native is not None:
            run.native.stop()
        if run.skill.light is not None:
            self.lights.end(run.skill.channels, run.skill.light)
        self._posture.release(run.skill.channels)
        self.arbiter.release(run.request.id)
        if self._legs is not None and self._drives_legs(run):
            self._legs.start_from(self._posture.limiter.position)
        self._fall.ended(run.skill.name if run.joints or run.program else "")
        self._reports.append(run.report(status, reason))
