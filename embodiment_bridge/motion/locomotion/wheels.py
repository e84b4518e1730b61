# SPDX-License-Identifier: Apache-2.0
"""A base on two wheels: turns them as fast as it is to go."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from embodiment_bridge.body.carriers.wheels import Wheels
from embodiment_bridge.body.description import Joint
from embodiment_bridge.motion.gait.walk import STILL, Pace, WalkCommand
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.locomotion.drive import KinematicBase


class WheelPace(Pace):
    """Limits the pace so that no wheel exceeds its speed: the shares of ``forward`` and ``turn`` add up to 1 at most.

    Both have the same ramp, so that this holds on the way from one command to another, too. With three axes it would
    not: they have to go straight from one command to the next.
    """

    def possible(self, command: WalkCommand) -> WalkCommand:
        """Return ``command``, slower on the same curve if one wheel would have to be too fast."""
        asked = abs(command.forward) + abs(command.turn)
        if asked <= 1.0 + STILL:
            return command
        return replace(command, forward=command.forward / asked, turn=command.turn / asked)

    def step(self, command: WalkCommand, dt: float) -> None:
        """Advance by ``dt`` s towards the command."""
        super().step(self.possible(command), dt)


class RollingBase(KinematicBase):
    """Rolls on wheels that turn without end; the angles at which they stand have no meaning."""

    def __init__(self, base: Wheels, joints: Sequence[Joint], index: Mapping[str, int]) -> None:
        super().__init__(base, joints, index)
        self.walker: WheelPace = WheelPace(base.walk)
        self._base = base
        # rad by joint: the left one first
        self._angles = {index[name]: 0.0 for name in (base.left, base.right)}

    def start_from(self, position: Sequence[float]) -> None:
        """Stand, with the wheels as they are at ``position`` (rad per joint of the body)."""
        super().start_from(position)
        self._stand_at(position, self._angles)

    def step(self, sensed: Sensed, fallen: bool, dt: float) -> None:
        """Let ``dt`` s pass."""
        super().step(sensed, fallen, dt)
        self._stand_at(sensed.position, self._angles.keys() & sensed.came)
        forward, _, turn = self.walker.velocity
        for joint, speed in zip(self._angles, self._base.speeds(forward, turn), strict=True):
            self._angles[joint] += speed * dt

    def write(self, out: list[float]) -> tuple[float, float]:
        """Put the angles (rad) of the wheels, and of other joints of the legs, into ``out``."""
        swing = super().write(out)
        for joint, angle in self._angles.items():
            out[joint] = angle
        return swing

    def _stand_at(self, position: Sequence[float], wheels: Iterable[int]) -> None:
        for joint in wheels:
            self._angles[joint] = position[joint]


LOCOMOTION = RollingBase
