# SPDX-License-Identifier: Apache-2.0
"""A gait from a table of joint angles, and a kick by keyframes, for bodies that walk without balance."""

from collections.abc import Mapping, Sequence

from embodiment_bridge.body.carriers.base import SteppingBase
from embodiment_bridge.body.description import Joint, WalkLimits
from embodiment_bridge.motion.gait.steps import Kick
from embodiment_bridge.motion.gait.walk import STAND, STILL, Pace, WalkCommand, near, together
from embodiment_bridge.motion.joints.keyframes import Motion, pieces_of
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.locomotion.drive import KinematicBase


class SteppingPace(Pace):
    """Represents a pace with steps: ``amplitude`` is 0 when standing and 1 in full steps.

    It rises within one step and falls within ``settle_steps``: legs that rock from foot to foot still rock when the
    body has come to its place, and would be thrown over by feet that are still at once.

    ``kick``: the kick that is asked for, then the one that is being made. The body comes to a stand first; if the
    request ends before that, there is no kick.
    """

    stands_to_kick = True

    def __init__(self, limits: WalkLimits, step_s: float, settle_steps: float) -> None:
        self._rise, self._fall = 1.0 / step_s, 1.0 / (settle_steps * step_s)
        super().__init__(limits)

    def reset(self) -> None:
        """Stand."""
        super().reset()
        self.amplitude = 0.0
        self.kick: Kick | None = None

    @property
    def still(self) -> bool:
        """Whether the feet are still, but for a kick."""
        return self.amplitude < STILL and super().standing

    @property
    def standing(self) -> bool:
        """Whether the feet are still and the walk has ended."""
        return self.still and not self.kicking

    def possible(self, command: WalkCommand) -> WalkCommand:
        """Return ``command``, slower if it goes to a side and its three axes together are too much."""
        return together(command) if command.left else command

    def step(self, command: WalkCommand, dt: float) -> None:
        """Advance by ``dt`` s towards the command; the feet come to rest last."""
        if not self.kicking:
            self.kick = command.kick
        command = STAND if self.kick is not None else self.possible(command)
        super().step(command, dt)
        moving = command.stepping or not super().standing
        goal, rate = (1.0, self._rise) if moving else (0.0, self._fall)
        self.amplitude = near(self.amplitude, goal, rate * dt)


class KeyframeGait(KinematicBase):
    """Moves legs that repeat a cycle of two steps, the left foot first.

    Angles are those of the rest pose, plus ``step`` times the amplitude, plus ``forward``, ``turn`` and ``left`` times
    the shares of full speed; or those of the kick.
    """

    def __init__(self, base: SteppingBase, joints: Sequence[Joint], index: Mapping[str, int]) -> None:
        super().__init__(base, joints, index)
        cycle = base.cycle
        self.walker: SteppingPace = SteppingPace(base.walk, base.step_s, base.settle_steps)
        self._backward = cycle.backward_share
        self._tables = tuple(
            _rows(table, index) for table in (cycle.step, cycle.forward, cycle.turn, cycle.left)
        )
        self._kick, self._legs = base.kick, [joints[number] for number in self.joints]
        self._motion: Motion | None = None

    @property
    def calm(self) -> bool:
        """Whether it stands, with the legs in the rest pose."""
        return self.standing and self._blend.done

    def start_from(self, position: Sequence[float]) -> None:
        """Go smoothly from ``position`` (rad per joint of the body) to the stand."""
        super().start_from(position)
        self._motion = None

    def step(self, sensed: Sensed, fallen: bool, dt: float) -> None:
        """Let ``dt`` s pass."""
        super().step(sensed, fallen, dt)
        walker = self.walker
        if walker.still:
            self._phase = 0.0  # also while it kicks: a walk begins with the left foot
        if self._motion is None and walker.kick is not None and walker.still and self._blend.done:
            self._motion = self._motion_of(walker.kick)
            walker.kicking = self._motion is not None
            walker.kicks += walker.kicking
        if self._motion is not None:
            self._motion.advance(dt)
            if self._motion.done:
                walker.kick = self._motion = None
                walker.kicking = False

    def _motion_of(self, kick: Kick) -> Motion | None:
        if self._kick is None:
            return None
        rest = [joint.rest for joint in self._legs]
        frames = self._kick.left if kick.left else self._kick.right
        pieces = pieces_of(frames, self._legs, rest, self._kick.seconds)
        return Motion(self.joints, rest, pieces)

    def write(self, out: list[float]) -> tuple[float, float]:
        """Put the leg angles (rad) into ``out``; the arms do not swing."""
        for joint, angle in self._stand:
            out[joint] = angle
        walker = self.walker
        forward = walker.forward * (self._backward if walker.forward < 0.0 else 1.0)
        shares = (walker.amplitude, forward, walker.turn, walker.left)
        for share, rows in zip(shares, self._tables, strict=True):
            if share:
                for joint, angles in rows:
                    out[joint] += share * _at(angles, self._phase)
        if self._motion is not None:
            self._motion.write(out)
        self._blend.write(out)
        return 0.0, 0.0


def _rows(
    table: Mapping[str, tuple[float, ...]], index: Mapping[str, int]
) -> tuple[tuple[int, tuple[float, ...]], ...]:
    return tuple((index[name], angles) for name, angles in table.items())


def _at(angles: tuple[float, ...], phase: float) -> float:
    """Return the value of a closed curve at ``phase`` (0..1), linear between its points."""
    place = phase * len(angles)
    first = int(place) % len(angles)
    share = place - int(place)
    return angles[first] + share * (angles[(first + 1) % len(angles)] - angles[first])


LOCOMOTION = KeyframeGait
