# SPDX-License-Identifier: Apache-2.0
"""The legs: standing, walking, keyframes and changes of stance, with smooth transitions."""

from collections.abc import Mapping, Sequence

from embodiment_bridge.body.carriers.gait import Gait
from embodiment_bridge.body.description import Joint
from embodiment_bridge.body.stance import UPRIGHT, Stance
from embodiment_bridge.motion.gait.walk import LegWalker, WalkCommand, Walker
from embodiment_bridge.motion.joints.move import smooth
from embodiment_bridge.motion.joints.sensing import LEVEL, Sensed
from embodiment_bridge.motion.locomotion.locomotion import Locomotion

# Brings the legs of a gait from one stance to another, while they balance.

LEAST_S = 0.5  # s, of a change: a faster one pushes the body
TIPS_RAD, UPRIGHT_RAD = 0.12, 0.08  # off upright: legs that stand further off step until it is less


class StanceChange:
    """Moves the stance smoothly from the last one to the wanted one."""

    def __init__(self) -> None:
        self.now = UPRIGHT
        self._from, self._goal = UPRIGHT, UPRIGHT
        self._share, self._seconds = 1.0, LEAST_S

    @property
    def upright(self) -> bool:
        """Whether the legs stand as usual, and are to."""
        return self.now == UPRIGHT == self._goal

    @property
    def done(self) -> bool:
        """Whether the wanted stance is reached."""
        return self._share >= 1.0

    def reset(self) -> None:
        """Take the usual stance, at once."""
        self.now = self._from = self._goal = UPRIGHT
        self._share = 1.0

    def aim(self, stance: Stance, seconds: float = LEAST_S) -> None:
        """Go to ``stance`` in ``seconds`` (at least ``LEAST_S``)."""
        if stance != self._goal:
            self._from, self._goal, self._share = self.now, stance, 0.0
            self._seconds = max(seconds, LEAST_S)

    def step(self, dt: float) -> None:
        """Let ``dt`` s pass."""
        if self.done:
            return
        self._share = min(self._share + dt / self._seconds, 1.0)
        blend = smooth(self._share)
        self.now = self._from.times(1.0 - blend).plus(self._goal.times(blend))


class Legs(Locomotion):
    """Implements the locomotion of legs that balance."""

    def __init__(self, gait: Gait, joints: Sequence[Joint], index: Mapping[str, int]) -> None:
        legs = (gait.left, gait.right)
        joints_of_legs = [
            index[name]
            for leg in legs
            for name in (leg.hip_pitch, leg.hip_roll, leg.hip_yaw, leg.knee, leg.ankle_pitch, leg.ankle_roll)
        ]
        shoulders = [index[leg.shoulder_pitch] for leg in legs if leg.shoulder_pitch]
        super().__init__(Walker(gait, index), joints_of_legs, shoulders)
        self.walker: LegWalker
        self._waist = index[gait.waist] if gait.waist else None
        self._balance = LEVEL
        self._stance = StanceChange()
        self._wanted = self._idle = UPRIGHT
        self._change_s = LEAST_S
        self._lean, self._tips = gait.parameters.lean, False

    @property
    def calm(self) -> bool:
        """Whether the legs are in the stance that they are to have."""
        return self.standing and self._blend.done and self._stance.done

    def start_from(self, position: Sequence[float]) -> None:
        """Go smoothly from ``position`` (rad per joint of the body) to the stand."""
        super().start_from(position)
        self._stance.reset()
        self._wanted, self._tips = UPRIGHT, False

    def stand_as(self, stance: Stance, seconds: float) -> None:
        """Take a stance from now on, after a change of ``seconds``; during a walk, after it."""
        self._wanted, self._change_s = stance, seconds

    def sway_idly(self, stance: Stance) -> None:
        """Add ``stance`` to the present one, until the next call."""
        self._idle = stance

    def step(self, sensed: Sensed, fallen: bool, dt: float) -> None:
        """Let ``dt`` s pass."""
        balance, yaw = sensed.hips(self._waist)
        self._balance = LEVEL if fallen else balance
        ready = self._stance.upright or not self.standing  # a step from a crouch would throw the body over
        command = self._command(sensed, yaw, ready, dt)
        if self._tips and not command.stepping:
            command = WalkCommand(stepping=True)
        self.walker.step(command, dt, self._balance)
        self._blend.step(dt)
        if self.standing and not self.held:
            self._stance.aim(UPRIGHT if self.program is not None else self._wanted, self._change_s)
            self._stance.step(dt)

    def write(self, out: list[float]) -> tuple[float, float]:
        """Put the leg angles (rad) into ``out``; return the swing (rad) of left and right shoulder."""
        swing = self.walker.write(out, self._balance, self._stance.now.plus(self._idle))
        self._blend.write(out)
        off = abs(self._balance.pitch - self._lean)
        judged = self._stance.upright and self._balance is not LEVEL  # which it is where no tilt is sensed
        self._tips = judged and off > (UPRIGHT_RAD if self._tips else TIPS_RAD)
        return swing


LOCOMOTION = Legs
