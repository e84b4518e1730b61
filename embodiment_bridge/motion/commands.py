# SPDX-License-Identifier: Apache-2.0
"""Commands of joints and of velocity from outside.

Each holds a claim on its channels that ends with the last command.
"""

from collections.abc import Mapping, Sequence

from embodiment_bridge.body.description import Joint, WalkLimits
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.gait.walk import Pace, WalkCommand
from embodiment_bridge.motion.joints.direct import DirectDrive, JointDrive, checked_drives
from embodiment_bridge.motion.joints.posture import Posture
from embodiment_bridge.motion.joints.sensing import Sensed, limp_among
from embodiment_bridge.motion.locomotion.locomotion import Locomotion
from embodiment_bridge.motion.skills.skill_table import SkillTable
from embodiment_bridge.motion.walking.velocity import LEAST_COMMAND, Velocity
from embodiment_bridge.motion.walking.walk_skills import full_speed, share

# Velocity commands: what a body can do of one, and the claim on the legs that ends with the last of them.

VELOCITY_CLAIM = "velocity command"  # claims the legs


class VelocityCommand:
    """Walks at commanded velocities.

    limits: of the body, at full speed. remark: what the last command asks in vain, for people; else empty.
    """

    def __init__(self, walker: Pace, table: SkillTable) -> None:
        self._walker, self._table = walker, table
        self.limits = walker.limits
        self._velocity = Velocity(self.limits)
        self.remark = ""

    @property
    def program(self) -> Velocity | None:
        """The velocity program that walks now; None without a command, or if another source has the legs."""
        return self._velocity if self._table.arbiter.holder("legs") == VELOCITY_CLAIM else None

    def set(self, forward: float, left: float, turn: float, timeout: float) -> None:
        """Walk at m/s, m/s and rad/s for ``timeout`` s; see ``MotionRunner.set_velocity``."""
        command, remark = possible(self._walker, forward, left, turn)
        if self.program is None:
            if not command.length:
                return
            self._table.claim(VELOCITY_CLAIM, ("legs",))
            self._velocity = Velocity(self.limits)
        self.remark = remark
        self._velocity.set(command, timeout)

    def end(self) -> None:
        """Leave the legs to others."""
        self._table.arbiter.release(VELOCITY_CLAIM)

    def pass_time(self, dt: float) -> None:
        """Let ``dt`` s pass; when the last command has timed out, leave the legs to others."""
        self._velocity.pass_time(dt)
        if self._velocity.done:
            self.end()


def possible(walker: Pace, forward: float, left: float, turn: float) -> tuple[WalkCommand, str]:
    """Return the command for a velocity (m/s, m/s, rad/s), and what the body cannot do of it, for people.

    The text is empty if it can do all of it.
    """
    limits = walker.limits
    parts = _out_of_range(limits, forward, left, turn)
    ahead, aside = (
        share(forward, full_speed(limits, forward)),
        share(left, limits.left) if limits.left else 0.0,
    )
    asked = WalkCommand(True, ahead, share(turn, limits.turn), aside)
    command = walker.possible(asked)
    if command is not asked:
        parts.append(f"together they are cut to {command.length / asked.length:.0%}")
    if 0.0 < command.length <= LEAST_COMMAND:
        parts.append(f"not faster than {LEAST_COMMAND:.0%} of full speed: it stands")
    return command, ", ".join(parts)


def _out_of_range(limits: WalkLimits, forward: float, left: float, turn: float) -> list[str]:
    parts = []
    if not -limits.backward <= forward <= limits.forward:
        parts.append(f"forward {forward:g} m/s is cut to {-limits.backward:g}..{limits.forward:g}")
    if left and not limits.left:
        parts.append(f"left {left:g} m/s counts as zero: this body cannot go sideways")
    elif abs(left) > limits.left:
        parts.append(f"left {left:g} m/s is cut to {-limits.left:g}..{limits.left:g}")
    if abs(turn) > limits.turn:
        parts.append(f"turn {turn:g} rad/s is cut to {-limits.turn:g}..{limits.turn:g}")
    return parts


JOINTS_CLAIM = "joint command"  # claims the channels of the driven joints


class JointCommand:
    """Drives joints as commanded."""

    def __init__(
        self,
        joints: Sequence[Joint],
        posture: Posture,
        table: SkillTable,
        sensed: Sensed,
        legs: Locomotion | None,
    ) -> None:
        self._joints, self._posture, self._table = joints, posture, table
        self._sensed, self._legs = sensed, legs
        self._direct = DirectDrive()

    @property
    def drives(self) -> Mapping[int, JointDrive]:
        """The commanded drives, by number of the joint."""
        return self._direct.drives

    @property
    def remark(self) -> str:
        """The commanded joints that follow no targets, for people; empty if all do."""
        return limp_among(self._joints, self._sensed.limp, self._direct.drives)[0]

    def set(self, names: Sequence[str], columns: Mapping[str, Sequence[float]]) -> None:
        """Set the command; see ``MotionRunner.drive``."""
        if not self._table.arbiter.held(JOINTS_CLAIM):
            self._drop()
        drives = checked_drives(self._joints, self._posture.limiter.position, names, columns)
        text, all_are = limp_among(self._joints, self._sensed.limp, drives)
        if all_are:
            raise CommandError(f"joint command: {text}")
        added = drives.keys() - self._direct.drives.keys()
        self._direct.set(drives)
        self._table.claim(JOINTS_CLAIM, self._table.channels_of(drives))
        self._posture.take(added)  # not all: a joint beside them may be on its way to a stop

    def step(self, dt: float) -> None:
        """Drop commands that are too old, or whose channels have been claimed since."""
        arbiter, before = self._table.arbiter, dict(self._direct.drives)
        if not before:
            return
        if not arbiter.held(JOINTS_CLAIM):
            self._drop()
        elif over := self._direct.advance(dt):
            arbiter.release(JOINTS_CLAIM)
            arbiter.claim(JOINTS_CLAIM, self._table.channels_of(self._direct.drives))
            self._posture.take(over)  # the way to their stop begins here, also where another one is under way
            self._posture.release(self._table.channels_of(over))
            self._go_on_from({joint: before[joint] for joint in over})

    def write(self, out: list[float]) -> None:
        """Put the commanded angles (rad) into ``out``."""
        self._direct.write(out)

    def end(self) -> None:
        """Leave the joints to others; they come to rest where they are."""
        self._posture.release(self._table.arbiter.release(JOINTS_CLAIM))

    def _drop(self) -> None:
        """Drop the joints that another claim has taken, or that were stopped."""
        self._go_on_from(self._direct.drives)
        self._direct.clear()

    def _go_on_from(self, ended: Mapping[int, JointDrive]) -> None:
        """Restart from the sensed angles, as commands have ended: joints may be away from their commands."""
        loose = [joint for joint, drive in ended.items() if drive.kp == 0.0 < self._joints[joint].kp]
        if loose:  # moved by speed and torque alone: back at their stiffness they would jump
            self._posture.found(loose, self._sensed.position)
        if self._legs is not None and not ended.keys().isdisjoint(self._legs.joints):
            self._legs.start_from(self._posture.limiter.position)
