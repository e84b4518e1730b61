# SPDX-License-Identifier: Apache-2.0
"""A gait from a table of joint angles, for bodies that walk without balance."""

from collections.abc import Mapping, Sequence

from embodiment_bridge.body.carriers.base import SteppingBase
from embodiment_bridge.body.description import Joint, WalkLimits
from embodiment_bridge.motion.gait.walk import STILL, Pace, WalkCommand, near
from embodiment_bridge.motion.locomotion.drive import KinematicBase


class SteppingPace(Pace):
    """A pace with steps: ``amplitude`` is 0 when standing and 1 in full steps; it changes within one step."""

    def __init__(self, limits: WalkLimits, step_s: float) -> None:
        self._rate = 1.0 / step_s
        super().__init__(limits)

    def reset(self) -> None:
        """Stand."""
        super().reset()
        self.amplitude = 0.0

    @property
    def standing(self) -> bool:
        """Whether the feet are still and the walk has ended."""
        return self.amplitude < STILL and super().standing

    def step(self, command: WalkCommand, dt: float) -> None:
        """Advance by ``dt`` s towards the command; the feet come to rest last."""
        super().step(command, dt)
        moving = command.stepping or not super().standing
        self.amplitude = near(self.amplitude, 1.0 if moving else 0.0, self._rate * dt)


class KeyframeGait(KinematicBase):
    """A ``locomotion.Locomotion`` with legs that repeat a cycle of two steps, the left foot first.

    Angles are those of the rest pose, plus ``step`` times the amplitude, plus ``forward`` and ``turn`` times the shares
    of full speed.
    """

    def __init__(self, base: SteppingBase, joints: Sequence[Joint], index: Mapping[str, int]) -> None:
        super().__init__(base, joints, index)
        cycle = base.cycle
        self.walker: SteppingPace = SteppingPace(base.walk, base.step_s)
        self._backward = cycle.backward_share
        self._tables = tuple(_rows(table, index) for table in (cycle.step, cycle.forward, cycle.turn))

    @property
    def calm(self) -> bool:
        """Whether it stands, with the legs in the rest pose."""
        return self.standing and self._blend.done

    def write(self, out: list[float]) -> tuple[float, float]:
        """Put the leg angles (rad) into ``out``; the arms do not swing."""
        for joint, angle in self._stand:
            out[joint] = angle
        walker = self.walker
        forward = walker.forward * (self._backward if walker.forward < 0.0 else 1.0)
        shares = (walker.amplitude, forward, walker.turn)
        for share, rows in zip(shares, self._tables, strict=True):
            if share:
                for joint, angles in rows:
                    out[joint] += share * _at(angles, self._phase)
        self._blend.write(out)
        return 0.0, 0.0


def _rows(
    table: Mapping[str, tuple[float, ...]], index: Mapping[str, int]
) -> tuple[tuple[int, tuple[float, ...]], ...]:
    return tuple((index[name], angles) for name, angles in table.items())


def _at(angles: tuple[float, ...], phase: float) -> float:
    """The value of a closed curve at ``phase`` (0..1), linear between its points."""
    place = phase * len(angles)
    first = int(place) % len(angles)
    share = place - int(place)
    return angles[first] + share * (angles[(first + 1) % len(angles)] - angles[first])


LOCOMOTION = KeyframeGait
