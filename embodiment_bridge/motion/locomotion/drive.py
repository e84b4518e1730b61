# SPDX-License-Identifier: Apache-2.0
"""A base that follows velocity commands, without balance. Legs, if the body has any, swing as if they walked."""

from collections.abc import Mapping, Sequence
from math import pi, sin

from embodiment_bridge.body.carriers.base import Base
from embodiment_bridge.body.description import Joint
from embodiment_bridge.motion.gait.walk import Pace
from embodiment_bridge.motion.joints.sensing import Sensed
from embodiment_bridge.motion.locomotion.locomotion import Locomotion


class KinematicBase(Locomotion):
    """Drives a base; ``walker.velocity`` is its commanded velocity.

    Args:
        base: of the body.
        joints: of the body; those of the legs, if it has any, are in their rest pose unless keyframes move them.
        index: numbers of the joints by name.
    """

    def __init__(self, base: Base, joints: Sequence[Joint], index: Mapping[str, int]) -> None:
        legs = [joint for joint in joints if joint.channel == "legs"]
        super().__init__(Pace(base.walk), [index[joint.name] for joint in legs])
        self._stand = tuple((index[joint.name], joint.rest) for joint in legs)
        self._swing = tuple((index[name], angle) for name, angle in base.swing.items())
        self._turns_per_s = 0.5 / base.step_s
        self._phase = 0.0

    def step(self, sensed: Sensed, fallen: bool, dt: float) -> None:
        """Let ``dt`` s pass."""
        self.walker.step(self._command(sensed, sensed.yaw, not fallen, dt), dt)
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
