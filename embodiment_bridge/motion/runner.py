# SPDX-License-Identifier: Apache-2.0
"""Runs the skills of one body: takes requests, gives joint targets and reports."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite
from types import MappingProxyType

from embodiment_bridge.body.description import BodyDescription
from embodiment_bridge.body.state import BodyState, JointTargets, SkillReport, SkillRequest
from embodiment_bridge.body.surroundings import Things, no_things
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.commands import JointCommand, VelocityCommand
from embodiment_bridge.motion.gait.walk import ArmSwing
from embodiment_bridge.motion.joints.direct import TargetWriter
from embodiment_bridge.motion.joints.posture import Posture
from embodiment_bridge.motion.joints.sensing import Pace, Sensed, limp_among
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.locomotion.locomotion import locomotion_of
from embodiment_bridge.motion.skills.fall import SKILL, AutoGetUp, FallDetector
from embodiment_bridge.motion.skills.holds import Holds
from embodiment_bridge.motion.skills.idle import Idle
from embodiment_bridge.motion.skills.lights import Lights
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.motion.skills.requests import NOT_LOCATED
from embodiment_bridge.motion.skills.skill_table import SkillTable
from embodiment_bridge.motion.walking.go_to import Reach

PATIENCE_S = 1.0  # s to wait for the first angle of every joint; missing ones are then taken to be at rest
VELOCITY_TIMEOUT_S = 0.5  # s for which a velocity command is valid


class MotionRunner:
    """Runs the skills of one body, stepped once per percept.

    Not thread-safe: callers in different threads share one lock around every call (``step`` takes some 0.1 ms).
    ``native_skills``: starters of the skills that the body does by itself, by name; other native skills are refused.
    ``things``: that the body sees or remembers. ``to_rest``: go to the rest pose first; otherwise the joints stay.
    ``auto_get_up``: a fallen body that can ``get_up`` does so itself. ``idle``: it breathes when it has nothing to do.
    """

    def __init__(
        self,
        description: BodyDescription,
        native_skills: Mapping[str, Start] = MappingProxyType({}),
        things: Things = no_things,
        *,
        to_rest: bool = True,
        auto_get_up: bool = False,
        idle: bool = False,
    ) -> None:
        joints = description.joints
        index = {joint.name: i for i, joint in enumerate(joints)}
        self._description, self._things, self._posture = description, things, Posture(description)
        self._sensed, self._fall = Sensed(self._posture.goal), FallDetector(description.fall)
        legs = self._legs = locomotion_of(description, index)
        self._table = SkillTable(
            description, self._posture, legs, native_skills, self._fall, things, self._sensed
        )
        shoulders = legs.shoulders if legs is not None else ()
        self._swing = ArmSwing(shoulders, joints, self._table.arbiter)
        motion = description.idle if idle else None
        self._idle = Idle(description, motion, self._table.arbiter, self._legs, things) if motion else None
        self._velocity = VelocityCommand(legs.walker, self._table) if legs is not None else None
        self._joint_command = JointCommand(joints, self._posture, self._table, self._sensed, self._legs)
        self._auto_get_up = AutoGetUp() if auto_get_up and SKILL in description.skills else None
        self._to_rest, self._begun, self._waited = to_rest, False, 0.0
        self._holds, self._pace, self._writer = Holds(), Pace(), TargetWriter(joints)
        self._balancing = frozenset(i for i in (legs.joints if legs else ()) if isfinite(joints[i].upper))

    @property
    def status(self) -> str:
        """``unknown`` before the first percept, then ``fallen``, ``walking`` or ``standing``."""
        if not self._begun:
            return "unknown"
        if self._fall.fallen:
            return "fallen"
        return "walking" if self._legs is not None and not self._legs.standing else "standing"

    @property
    def stopped(self) -> bool:
        """Whether nothing has been asked of the body since the last ``stop``."""
        return self._table.stopped

    @property
    def at_rest(self) -> bool:
        """Whether nothing runs, and no joint and no leg is told to move."""
        asked = self._table.sources or self._joint_command.drives or any(self._posture.limiter.velocity)
        return not asked and (self._legs is None or self._legs.standing)

    @property
    def held(self) -> bool:
        """Whether a hold of all skills was requested and everything is at rest."""
        return self._holds.all and self._holds.rate == 0.0 and (self._legs is None or self._legs.standing)

    @property
    def velocity(self) -> tuple[float, float, float]:
        """The commanded velocity: m/s forward, m/s left, rad/s (+ left); a base follows it exactly."""
        return self._legs.walker.velocity if self._legs is not None else (0.0, 0.0, 0.0)

    @property
    def remark(self) -> str:
        """The motion after which the body fell, and the part of a command that cannot be met; empty if all is well."""
        parts = [self._fall.after, self._joint_command.remark]
        if self._legs is not None and self._velocity is not None and self._velocity.program is not None:
            blind = "" if self._sensed.base_fresh else "no pose is sensed, so the velocity is not corrected"
            parts += [self._velocity.remark, blind, self._legs.remark, self._limp_legs[0]]
        return "; ".join(part for part in parts if part)

    @property
    def _limp_legs(self) -> tuple[str, bool]:
        joints = self._legs.joints if self._legs is not None else ()
        return limp_among(self._description.joints, self._sensed.limp, joints)

    @property
    def lights(self) -> Lights:
        """The lights of the body, which its skills set too."""
        return self._table.lights

    def start(self, request: SkillRequest) -> None:
        """Start a skill at the next step; skills that hold one of its channels end as REPLACED.

        Raises:
            CommandError: the skill or a parameter is unknown, a value is out of range, or the id is running; then
                nothing has changed.
        """
        self._table.start(request)

    def cancel(self, request_id: str) -> bool:
        """End a skill by its ``on_stop``; it reports CANCELED when at rest.

        False: no skill with this id is running.
        """
        return self._table.cancel(request_id, self._holds)

    def hold(self, on: bool, source: str = "") -> None:
        """Bring skills to rest where they are, or continue them from there; a walk stops stepping first.

        source: of the skills to hold, including later ones; empty: all skills.

        Raises:
            CommandError: too many sources are held already.
        """
        self._holds.ask(on, source, self._table.sources)

    def stop(self) -> None:
        """End all skills and velocity commands: joints come to rest where they are, a walk to a stand."""
        self._table.stop()
        self._end_velocity()
        self._joint_command.end()

    def set_velocity(
        self, forward: float, turn: float, timeout: float = VELOCITY_TIMEOUT_S, *, left: float = 0.0
    ) -> bool:
        """Walk at ``forward`` and ``left`` m/s and ``turn`` rad/s (+ left) for ``timeout`` s.

        A velocity beyond the range of the body is cut to it; ``left`` counts as zero for a body that cannot go
        sideways. ``remark`` says so. A velocity claims the legs; zero does not, so that an idle joystick does not end
        a skill. Returns whether the command is followed: False when fallen.

        Raises:
            CommandError: a value is not finite, or the body cannot walk, or its legs are limp.
        """
        velocity = self._walks()
        if not isfinite(forward + left + turn + timeout):
            asked = f"velocity {forward} m/s, {left} m/s left, {turn} rad/s for {timeout} s"
            raise CommandError(f"{asked} is not finite")
        if self._fall.fallen:
            self._table.stopped = self._table.stopped and not (forward or left or turn)
            return False
        velocity.set(forward, left, turn, timeout)
        return True

    def walk_to(self, x: float, y: float, yaw: float) -> None:
        """Walk to a place in ``map`` (m) and face ``yaw`` (rad) there; the newest claim of the legs wins.

        Raises:
            CommandError: a value is not finite, or the body cannot walk, has fallen, or does not know its pose.
        """
        limits = self._walks().limits
        if not (isfinite(x) and isfinite(y) and isfinite(yaw)):
            raise CommandError(f"goal {x} m, {y} m, {yaw} rad is not finite")
        if self._fall.fallen:
            self._table.stopped = False  # a body that gets up by itself may do so for this
            raise CommandError("the body has fallen")
        if not self._sensed.base_fresh:
            raise CommandError(NOT_LOCATED)
        self._table.walk_to(Reach(limits, x, y, yaw, self._things))

    def hear(self, azimuth: float, *, by_head: bool = False) -> None:
        """Turn an idle head to a sound, ``azimuth`` rad to the left of base_link or of the head."""
        if self._idle is not None:
            self._idle.hear(azimuth, self._sensed, by_head=by_head)

    def follow(
        self,
        names: Sequence[str],
        points: Sequence[TrajectoryPoint],
        delay: float = 0.0,
        *,
        judged: bool = True,
    ) -> str:
        """Move joints through timed points; the newest claim of their channels wins. Returns the id for ``cancel``.

        judged: it fails where the joints do not arrive; else who asks looks at them with tolerances of his own. Legs
        begin when they stand. A trajectory that begins ``delay`` s later (negative: earlier) claims them now.

        Raises:
            CommandError: the joints cannot follow, or it is over; the text names joint, point, value and range.
        """
        return self._table.follow(names, points, delay, judged=judged)

    @property
    def commanded(self) -> Sequence[float]:
        """The commanded joint positions, rad."""
        return self._posture.limiter.position

    def drive(self, names: Sequence[str], columns: Mapping[str, Sequence[float]]) -> None:
        """Drive joints directly, each until its next such command, or for ``direct.TIMEOUT_S``; then it holds.

        columns: ``position velocity kp kd effort``, each empty or one value per name (SI).

        Raises:
            CommandError: a value is out of range; the text names joint, value and limit.
        """
        self._joint_command.set(names, columns)

    def abandon(self, reason: str) -> None:
        """End every skill, as the body is lost, and ``reset`` follows when it is back."""
        self._table.fail_all(reason)

    def reset(self, state: BodyState) -> None:
        """Start again from ``state`` after the body was placed elsewhere; skills end as FAILED, commands end."""
        self._sensed.clear()
        self._sensed.update(state, 0.0)
        self._posture.start_from(self._sensed.position)  # first, so that nothing slows down from where it was
        self._table.fail_all("the body was placed anew")
        self._end_velocity()
        self._joint_command.end()
        self._fall.reset()
        self._begun, self._waited = False, 0.0

    def _walks(self) -> VelocityCommand:
        if self._velocity is None:
            raise CommandError(f"body {self._description.name!r} does not walk")
        text, all_are = self._limp_legs
        if all_are:
            raise CommandError(text)
        return self._velocity

    def _end_velocity(self) -> None:
        if self._velocity is not None:
            self._velocity.end()

    def take_reports(self) -> list[SkillReport]:
        """Return the reports since the last call: each change of a skill, and its progress five times a second."""
        return self._table.take_reports()

    def step(self, state: BodyState, dt: float) -> JointTargets:
        """Advance by ``dt`` s (since the last percept) and return the next joint targets.

        Values that are not finite count as not sensed. ``dt`` below 0 or not finite counts as 0. After a gap, motions
        continue as after a usual step, and joints from where they are. When gaps follow each other, they are normal for
        this body, and count as ``sensing.LONGEST_STEP_S`` each.
        """
        gap = max(dt, 0.0) if isfinite(dt) else 0.0
        dt, resumed = self._pace.step(gap)
        self._sensed.update(state, gap)
        if resumed and self._begun and self._sensed.joints_known:
            self._posture.limiter.reset(self._sensed.position)
        if self._begun and self._sensed.came and not self._to_rest:
            self._posture.found(self._sensed.came, self._sensed.position)
        self._posture.let_go(self._sensed.limp, self._sensed.position)
        if not self._begun and not self._begin(dt):
            return self._writer.limp(self._sensed.position)
        self._check_fall(dt)
        self._get_up(dt)
        self._holds.step(dt)
        self._joint_command.step(dt)
        self._posture.step(dt)
        self._table.lights.step(dt)
        self._table.advance(dt, self._holds)
        self._joint_command.write(self._posture.goal)
        self._posture.follow(self._step_legs(dt), dt)
        self._table.conclude(dt)
        return self._targets()

    def _begin(self, dt: float) -> bool:
        self._waited += dt
        if not self._sensed.joints_known and self._waited < PATIENCE_S:
            return False
        self._begun = True
        self._posture.start_from(self._sensed.position)
        if self._to_rest:
            self._posture.go_to_rest_pose()
        if self._legs is not None:
            self._legs.start_from(self._posture.limiter.position)
        return True

    def _check_fall(self, dt: float) -> None:
        before = self._fall.fallen
        self._fall.update(self._sensed, dt)
        if self._fall.fallen:
            if not before and self._legs is not None:
                self._legs.start_from(self._posture.limiter.position)
                self._end_velocity()
            self._table.fail_legs()

    def _get_up(self, dt: float) -> None:
        """Start the skill for a fallen body, unless something else is under way."""
        still = self._holds.all or self._table.stopped
        busy = self._table.lying_run or still or bool(self._joint_command.drives)
        if self._auto_get_up and (request := self._auto_get_up.request(self._fall.fallen, busy, dt)):
            with suppress(CommandError):  # no motion for the side on which it lies: it may roll over
                self._table.start(SkillRequest(request, SKILL, source="auto_get_up"))

    def _step_legs(self, dt: float) -> list[float]:
        goal = list(self._posture.goal)
        if self._idle is not None:
            still = self._holds.any or self._table.stopped
            self._idle.step(goal, self._sensed, dt, upright=not self._fall.fallen, still=still)
        if self._legs is None or self._velocity is None:
            return goal
        self._velocity.pass_time(dt)
        self._legs.program = self._velocity.program or self._table.program
        self._legs.held = self._holds.all or self._table.walker_held(self._holds)
        self._legs.step(self._sensed, self._fall.fallen, dt)
        if not self._table.legs_by_keyframes:
            self._swing.add(goal, self._legs.write(goal), dt)
            self._joint_command.write(goal)
        return goal

    def _targets(self) -> JointTargets:
        limiter = self._posture.limiter
        # The feedback of legs is tuned for joints damped towards rest; keyframes, and wheels, need their own speed.
        damped = frozenset() if self._table.legs_by_keyframes else self._balancing
        gains = self._legs.gains if self._legs is not None and not self._table.legs_by_keyframes else {}
        return self._writer.of(limiter.position, limiter.velocity, damped, gains, self._joint_command.drives)
