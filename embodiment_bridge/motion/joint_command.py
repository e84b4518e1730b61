# SPDX-License-Identifier: Apache-2.0
"""Joint commands from outside, and the claim on the channels of their joints that ends with the last of them."""

from collections.abc import Mapping, Sequence

from embodiment_bridge.body.description import Joint
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.direct import DirectDrive, JointDrive, checked_drives
from embodiment_bridge.motion.joints.limp import limp_among
from embodiment_bridge.motion.joints.posture import Posture
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.locomotion.locomotion import Locomotion
from embodiment_bridge.motion.skills.skill_table import SkillTable

CLAIM = "joint command"  # of the channels of the joints that are driven


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
        """What is commanded, by number of the joint."""
        return self._direct.drives

    @property
    def remark(self) -> str:
        """Which of the commanded joints follow no targets, for people; else empty."""
        return limp_among(self._joints, self._sensed.limp, self._direct.drives)[0]

    def set(self, names: Sequence[str], columns: Mapping[str, Sequence[float]]) -> None:
        """See ``MotionRunner.drive``."""
        if not self._table.arbiter.held(CLAIM):
            self._drop()
        drives = checked_drives(self._joints, self._posture.limiter.position, names, columns)
        text, all_are = limp_among(self._joints, self._sensed.limp, drives)
        if all_are:
            raise CommandError(f"joint command: {text}")
        added = drives.keys() - self._direct.drives.keys()
        self._direct.set(drives)
        self._table.claim(CLAIM, self._table.channels_of(drives))
        self._posture.take(added)  # not all: a joint beside them may be on its way to a stop

    def step(self, dt: float) -> None:
        """Drop commands that are too old, or whose channels have been claimed since."""
        arbiter, before = self._table.arbiter, dict(self._direct.drives)
        if not before:
            return
        if not arbiter.held(CLAIM):
            self._drop()
        elif over := self._direct.advance(dt):
            arbiter.release(CLAIM)
            arbiter.claim(CLAIM, self._table.channels_of(self._direct.drives))
            self._posture.take(over)  # the way to their stop begins here, also where another one is under way
            self._posture.release(self._table.channels_of(over))
            self._go_on_from({joint: before[joint] for joint in over})

    def write(self, out: list[float]) -> None:
        """Put the commanded angles (rad) into ``out``."""
        self._direct.write(out)

    def end(self) -> None:
        """Leave the joints to others; they come to rest where they are."""
        self._posture.release(self._table.arbiter.release(CLAIM))

    def _drop(self) -> None:
        """What was driven belongs to another claim now, or was stopped."""
        self._go_on_from(self._direct.drives)
        self._direct.clear()

    def _go_on_from(self, ended: Mapping[int, JointDrive]) -> None:
        """Commands have ended; where their joints are need not be where they were told to be."""
        loose = [joint for joint, drive in ended.items() if drive.kp == 0.0 < self._joints[joint].kp]
        if loose:  # moved by speed and torque alone: back at their stiffness they would jump
            self._posture.found(loose, self._sensed.position)
        if self._legs is not None and not ended.keys().isdisjoint(self._legs.joints):
            self._legs.start_from(self._posture.limiter.position)
