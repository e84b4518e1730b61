# SPDX-License-Identifier: Apache-2.0
"""Runs the skills of one body: takes requests, gives joint targets and reports."""

from collections.abc import Mapping, Sequence
from math import isfinite
from types import MappingProxyType

from embodiment_bridge.body.description import Base, BodyDescription, Gait, Light
from embodiment_bridge.body.state import BodyState, JointTargets, SkillReport, SkillRequest
from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.motion.gait.fall import FallDetector
from embodiment_bridge.motion.gait.locomotion import locomotion_of
from embodiment_bridge.motion.gait.reach import Reach
from embodiment_bridge.motion.gait.swing import ArmSwing
from embodiment_bridge.motion.gait.walk_program import Velocity
from embodiment_bridge.motion.gait.walk_skills import full_speed, share
from embodiment_bridge.motion.joints.direct import DirectDrive, checked_drives
from embodiment_bridge.motion.joints.posture import Posture
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.skills.holds import Holds
from embodiment_bridge.motion.skills.lights import LIGHTS, Shown
from embodiment_bridge.motion.skills.native import Start
from embodiment_bridge.motion.skills.skill_table import SkillTable

LONGEST_STEP_S = 0.1  # s: a longer time between percepts is a gap, in which no planned motion was done
GAP_S = 0.5  # s: after a longer gap the joints are where they came to rest
PATIENCE_S = 1.0  # s to wait for the first angle of every joint; then the rest pose is used for missing ones
VELOCITY_TIMEOUT_S = 0.5  # s for which a velocity command is valid
VELOCITY_CLAIM = "velocity command"  # holds the legs for set_velocity
DIRECT_CLAIM = "joint command"  # holds the channels of the joints that are driven directly


class MotionRunner:
    """The skills of one body, stepped once per percept.

    Not thread-safe: callers in different threads share one lock around every call (``step`` takes some 0.1 ms).
    ``native_skills``: starters of the skills that the body does by itself, by name; other native skills are refused.
    ``to_rest``: go to the rest pose first; otherwise the joints stay where they are.
    """

    def __init__(
        self,
        description: BodyDescription,
        native_skills: Mapping[str, Start] = MappingProxyType({}),
        *,
        to_rest: bool = True,
    ) -> None:
        joints = description.joints
        index = {joint.name: i for i, joint in enumerate(joints)}
        self._description = description
        self._posture = Posture(description)
        self._sensed = Sensed(self._posture.goal)
        self._fall = FallDetector(description.fall)
        self._legs = locomotion_of(description, index)
        self._table = SkillTable(description, self._posture, self._legs, native_skills, self._fall)
        self._swing = ArmSwing(description, self._table.arbiter)
        self._velocity = Velocity()
        self._direct = DirectDrive()
        self._holds = Holds()
        self._to_rest = to_rest
        self._begun = False
        self._waited = 0.0
        self._usual_s = 0.0  # the last time between percepts that was not a gap, s
        self._slow = False  # the last time between percepts was a gap
        self._none = (0.0,) * len(joints)
        self._kp, self._kd = tuple(j.kp for j in joints), tuple(j.kd for j in joints)
        self._balancing = frozenset(self._legs.joints if self._legs else ())

    @property
    def status(self) -> str:
        """``unknown`` before the first percept, then ``fallen``, ``walking`` or ``standing``."""
        if not self._begun:
            return "unknown"
        if self._fall.fallen:
            return "fallen"
        return "walking" if self._legs is not None and not self._legs.standing else "standing"

    @property
    def held(self) -> bool:
        """Whether a hold of all skills was requested and everything is at rest."""
        return self._holds.all and self._holds.rate == 0.0 and (self._legs is None or self._legs.standing)

    @property
    def velocity(self) -> tuple[float, float]:
        """The commanded velocity, m/s forward and rad/s, + left; a base follows it exactly, a gait approximately."""
        return self._legs.walker.velocity if self._legs is not None else (0.0, 0.0)

    @property
    def lights(self) -> Mapping[str, Shown]:
        """The state of the lights by channel; a new object after each change."""
        return self._table.lights.shown

    def show(self, channel: str, light: Light) -> None:
        """Set a light, until a skill or the next call sets it again.

        Raises:
            CommandError: the light is unknown.
        """
        if channel not in LIGHTS:
            raise CommandError(unknown("light", channel, LIGHTS))
        self._table.lights.show((channel,), light)

    def set_light_level(self, channel: str, level: float) -> None:
        """Scale the brightness of a light by ``level`` (0..1), for half a second.

        Raises:
            CommandError: the light is unknown, or the level is out of range.
        """
        if channel not in LIGHTS:
            raise CommandError(unknown("light", channel, LIGHTS))
        self._table.lights.set_level(channel, level)

    def start(self, request: SkillRequest) -> None:
        """Start a skill at the next step; skills that hold one of its channels end as REPLACED.

        Raises:
            CommandError: the skill or a parameter is unknown, a value is out of range, or the id is running; then
                nothing has changed.
        """
        self._table.start(request)

    def cancel(self, request_id: str) -> bool:
        """End a skill as its description says (``on_stop``); it reports CANCELED when its joints are at rest.

        Returns:
            False if no skill with this id is running.
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
        self._table.arbiter.release(VELOCITY_CLAIM)
        self._posture.release(self._table.arbiter.release(DIRECT_CLAIM))

    def set_velocity(self, forward: float, turn: float, timeout: float = VELOCITY_TIMEOUT_S) -> bool:
        """Walk at ``forward`` m/s and ``turn`` rad/s (+ left) for ``timeout`` s, limited to the speed of the gait.

        A velocity claims the legs; zero does not, so that an idle joystick does not end a skill.

        Returns:
            Whether the command is followed: False when fallen.

        Raises:
            CommandError: a value is not finite, or the body cannot walk.
        """
        carrier = self._carrier()
        if not (isfinite(forward) and isfinite(turn) and isfinite(timeout)):
            raise CommandError(f"velocity {forward} m/s, {turn} rad/s for {timeout} s is not finite")
        if self._fall.fallen:
            return False
        if self._table.arbiter.holder("legs") != VELOCITY_CLAIM:
            if not (forward or turn):
                return True
            self._table.claim(VELOCITY_CLAIM, ("legs",))
            self._velocity = Velocity()
        walk = carrier.walk
        self._velocity.set(share(forward, full_speed(walk, forward)), share(turn, walk.turn), timeout)
        return True

    def walk_to(self, x: float, y: float, yaw: float) -> None:
        """Walk straight to a place in ``map`` (m) and face ``yaw`` (rad) there; the newest claim of the legs wins.

        Raises:
            CommandError: a value is not finite, or the body cannot walk, has fallen, or does not know its pose.
        """
        carrier = self._carrier()
        if not (isfinite(x) and isfinite(y) and isfinite(yaw)):
            raise CommandError(f"goal {x} m, {y} m, {yaw} rad is not finite")
        if self._fall.fallen:
            raise CommandError("the body has fallen")
        if not self._sensed.base_fresh:
            raise CommandError("the body does not know where it is")
        self._table.walk_to(Reach(carrier.walk, x, y, yaw))

    def follow(self, names: Sequence[str], points: Sequence[TrajectoryPoint]) -> None:
        """Move joints through timed points; the newest claim of their channels wins. Legs begin when they stand.

        Raises:
            CommandError: the joints cannot follow; the text names joint, point, value and range.
        """
        self._table.follow(names, points)

    def drive(self, names: Sequence[str], columns: Mapping[str, Sequence[float]]) -> None:
        """Drive joints directly until the next such command, or for ``direct.TIMEOUT_S``; then they hold.

        columns: ``position velocity kp kd effort``, each empty or one value per name (SI).

        Raises:
            CommandError: a value is out of range; the text names joint, value and limit.
        """
        joints, limiter = self._description.joints, self._posture.limiter
        drives = checked_drives(joints, limiter.position, names, columns)
        self._direct.set(drives)
        channels = self._table.channels_of(self._direct.drives)
        self._table.claim(DIRECT_CLAIM, channels)
        self._posture.take(self._direct.drives)

    def reset(self, state: BodyState) -> None:
        """Start again from ``state`` after the body was placed elsewhere; skills end as FAILED, commands end."""
        self._table.fail_all("the body was placed anew")
        self._table.arbiter.release(VELOCITY_CLAIM)
        self._table.arbiter.release(DIRECT_CLAIM)
        self._sensed.clear()
        self._fall.reset()
        self._begun, self._waited = False, 0.0
        self._sensed.update(state, 0.0)

    def _carrier(self) -> Gait | Base:
        carrier = self._description.carrier
        if carrier is None:
            raise CommandError(f"body {self._description.name!r} does not walk")
        return carrier

    def take_reports(self) -> list[SkillReport]:
        """The reports since the last call: each change of a skill, and its progress five times a second."""
        return self._table.take_reports()

    def step(self, state: BodyState, dt: float) -> JointTargets:
        """Advance by ``dt`` s (since the last percept) and return the next joint targets.

        Values that are not finite count as not sensed. ``dt`` below 0 or not finite counts as 0. After a gap, motions
        continue as after a usual step, and joints from where they are. When gaps follow each other, they are normal for
        this body, and count as ``LONGEST_STEP_S`` each.
        """
        gap = max(dt, 0.0) if isfinite(dt) else 0.0
        dt, resumed = self._step_of(gap)
        self._sensed.update(state, dt)
        if resumed and gap > GAP_S and self._begun and self._sensed.joints_known:
            self._posture.limiter.reset(self._sensed.position)
        if not self._begun and not self._begin(dt):
            return JointTargets(tuple(self._sensed.position), self._none, self._none, self._none, self._none)
        self._check_fall(dt)
        self._holds.step(dt)
        self._posture.step(dt)
        self._table.lights.step(dt)
        self._table.advance(dt, self._holds)
        self._step_direct(dt)
        self._posture.limiter.step(self._step_legs(dt), dt)
        self._table.conclude(dt)
        return self._targets()

    def _step_of(self, gap: float) -> tuple[float, bool]:
        """The time (s) that counts as passed, and whether it was a gap after regular percepts."""
        slow, self._slow = self._slow, gap > LONGEST_STEP_S
        if not self._slow:
            self._usual_s = gap or self._usual_s
            return gap, False
        return (LONGEST_STEP_S, False) if slow else (self._usual_s, True)

    def _begin(self, dt: float) -> bool:
        self._waited += dt
        if not self._sensed.joints_known and self._waited < PATIENCE_S:
            return False
        self._begun = True
        limiter = self._posture.limiter
        limiter.reset(self._sensed.position)
        self._posture.goal[:] = limiter.position
        if self._to_rest:
            self._posture.go_to_rest_pose()
        if self._legs is not None:
            self._legs.start_from(limiter.position)
        return True

    def _check_fall(self, dt: float) -> None:
        before = self._fall.fallen
        self._fall.update(self._sensed, dt)
        if self._fall.fallen:
            if not before and self._legs is not None:
                self._legs.start_from(self._posture.limiter.position)
                self._table.arbiter.release(VELOCITY_CLAIM)
            self._table.fail_legs("fallen")

    def _step_direct(self, dt: float) -> None:
        """Drop direct commands that are too old, or whose channels have been claimed since."""
        arbiter = self._table.arbiter
        if not self._direct.drives:
            return
        if not arbiter.held(DIRECT_CLAIM):
            self._direct.drives.clear()
        elif self._direct.advance(dt):
            channels = arbiter.release(DIRECT_CLAIM)
            self._posture.release(channels)
            if self._legs is not None and "legs" in channels:
                self._legs.start_from(self._posture.limiter.position)
        self._direct.write(self._posture.goal)

    def _step_legs(self, dt: float) -> list[float]:
        goal = list(self._posture.goal)
        if self._legs is None:
            return goal
        if self._velocity.done:
            self._table.arbiter.release(VELOCITY_CLAIM)
        by_velocity = self._table.arbiter.holder("legs") == VELOCITY_CLAIM
        self._legs.program = self._velocity if by_velocity else self._table.program
        self._legs.held = self._holds.all or self._table.walker_held(self._holds)
        self._legs.step(self._sensed, self._fall.fallen, dt)
        if not self._table.legs_by_keyframes:
            self._swing.add(goal, self._legs.write(goal), dt)
            self._direct.write(goal)
        return goal

    def _targets(self) -> JointTargets:
        limiter, balancing = self._posture.limiter, self._balancing
        # The balance feedback of the legs is tuned for joints damped towards rest; keyframes need their own speed.
        damped = frozenset() if self._table.legs_by_keyframes else balancing
        velocity = [0.0 if i in damped else v for i, v in enumerate(limiter.velocity)]
        if not self._direct.drives:
            return JointTargets(tuple(limiter.position), tuple(velocity), self._kp, self._kd, self._none)
        kp, kd, effort = list(self._kp), list(self._kd), list(self._none)
        for i, drive in self._direct.drives.items():
            velocity[i], kp[i], kd[i], effort[i] = drive.velocity, drive.kp, drive.kd, drive.effort
        return JointTargets(tuple(limiter.position), tuple(velocity), tuple(kp), tuple(kd), tuple(effort))
