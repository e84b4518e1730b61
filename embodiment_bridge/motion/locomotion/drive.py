# SPDX-License-Identifier: Apache-2.0
"""A base that follows velocity commands, without balance. Legs, if the body has any, swing as if they walked."""

from collections.abc import Callable, Mapping, Sequence
from math import pi, sin

from embodiment_bridge.body.carriers.base import Base
from embodiment_bridge.body.description import Joint
from embodiment_bridge.body.stance import Stance
from embodiment_bridge.motion.gait.walk import STAND, Pace
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.locomotion.locomotion import Blend
from embodiment_bridge.motion.walking.walk_program import Pose, Program, follow


class KinematicBase:
    """A ``locomotion.Locomotion`` for a base; ``walker.velocity`` is its commanded velocity.

    Args:
        base: of the body.
        joints: of the body; those of the legs, if it has any, are in their rest pose unless keyframes move them.
        index: numbers of the joints by name.
    """

    def __init__(self, base: Base, joints: Sequence[Joint], index: Mapping[str, int]) -> None:
        legs = [joint for joint in joints if joint.channel == "legs"]
        self.walker: Pace = Pace(base.walk)
        self.gains: Mapping[int, tuple[float, float]] = {}
        self.remark = ""
        self.busy: Callable[[], frozenset[int]] = frozenset
        self.shoulders: tuple[int, ...] = ()
        self.program: Program | None = None
        self.held = False
        self.joints = tuple(index[joint.name] for joint in legs)
        self._stand = tuple((index[joint.name], joint.rest) for joint in legs)
        self._swing = tuple((index[name], angle) for name, angle in base.swing.items())
        self._blend = Blend(self.joints)
        self._turns_per_s = 0.5 / base.step_s
        self._phase = 0.0
        self._pose = Pose()

    @property
    def standing(self) -> bool:
        """Whether the base does not drive."""
        return self.walker.standing

    @property
    def calm(self) -> bool:
        """As ``standing``, because a base does not sway."""
        return self.walker.standing

    def start_from(self, position: Sequence[float]) -> None:
        """Go smoothly from ``position`` (rad per joint of the body) to the stand."""
        self.walker.reset()
        self.program = None
        self._blend.start_from(position)

    def stand_as(self, stance: Stance, seconds: float) -> None:
        """Nothing: there is no balance that would allow it."""

    def sway_idly(self, stance: Stance) -> None:
        """Nothing, as above."""

    def step(self, sensed: Sensed, fallen: bool, dt: float) -> None:
        """Let ``dt`` s pass."""
        follow(self._pose, sensed, sensed.yaw, self.walker, dt)
        command = STAND
        if self.program is not None and not self.held and not fallen:
            command = self.program.step(self._pose, self.walker, dt)
        self.walker.step(command, dt)
        self._blend.step(dt)
        self._phase = (self._phase + self._turns_per_s * dt) % 1.0 if not self.standing else 0.0

    def write(self, out: list[float]) -> tuple[float, float]:
        """Put the leg angles (rad) into ``out``; the arms do not swing."""
        share = min(abs(self.walker.forward) + abs(self.walker.turn), 1.0) * sin(2 * pi * self._phase)
        for joint, angle in self._stand:
            out[joint] = angle
        for joint, angle in self._swing:
            out[joint] += angle * share
        self._blend.write(out)
        return 0.0, 0.0


LOCOMOTION = KinematicBase
