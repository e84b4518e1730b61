# SPDX-License-Identifier: Apache-2.0
"""Ramps the commands of a gait between standing and walking, so that they never jump."""

from collections.abc import Mapping
from dataclasses import dataclass

from embodiment_bridge.body.description import Gait, WalkLimits
from embodiment_bridge.motion.gait.gait import GaitPattern
from embodiment_bridge.motion.joints.sensing import Balance

STILL = 1e-9


@dataclass(frozen=True, slots=True)
class WalkCommand:
    """Whether to step, and in which direction: ``forward`` and ``turn``: -1..1 of full speed, + forward and left."""

    stepping: bool = False
    forward: float = 0.0
    turn: float = 0.0


STAND = WalkCommand()


class Pace:
    """The pace: ``forward`` and ``turn`` are -1..1 of full speed and follow the commands without a jump."""

    def __init__(self, limits: WalkLimits) -> None:
        self._limits = limits
        self.reset()

    def reset(self) -> None:
        """Stand."""
        self.forward = self.turn = 0.0

    @property
    def standing(self) -> bool:
        """Whether the walk has ended."""
        return abs(self.forward) < STILL and abs(self.turn) < STILL

    @property
    def velocity(self) -> tuple[float, float]:
        """The commanded velocity, m/s forward and rad/s, + left."""
        limits = self._limits
        full = limits.forward if self.forward > 0.0 else limits.backward
        return self.forward * full, self.turn * limits.turn

    def step(self, command: WalkCommand, dt: float) -> None:
        """Advance by ``dt`` s towards the command."""
        limits, stepping = self._limits, command.stepping
        self.forward = near(self.forward, command.forward if stepping else 0.0, limits.forward_rate * dt)
        self.turn = near(self.turn, command.turn if stepping else 0.0, limits.turn_rate * dt)


class Walker(Pace):
    """Drives the legs: standing is the gait at amplitude 0, with its balance feedback."""

    def __init__(self, gait: Gait, index: Mapping[str, int]) -> None:
        self._pattern = GaitPattern(gait, index)
        self._frequency = gait.parameters.frequency
        super().__init__(gait.walk)

    def reset(self) -> None:
        """Stand."""
        super().reset()
        self.phase = self.amplitude = 0.0

    @property
    def standing(self) -> bool:
        """Whether the feet are still and the walk has ended."""
        return self.amplitude < STILL and super().standing

    def step(self, command: WalkCommand, dt: float) -> None:
        """Advance by ``dt`` s towards the command."""
        limits = self._limits
        keep_on = command.stepping or abs(self.forward) > limits.settle_forward
        self.amplitude = near(self.amplitude, 1.0 if keep_on else 0.0, limits.amplitude_rate * dt)
        super().step(command, dt)
        self.phase = (self.phase + self._frequency * dt) % 1.0 if self.amplitude > STILL else 0.0

    def write(self, out: list[float], balance: Balance) -> tuple[float, float]:
        """Put the leg angles (rad) into ``out``; return the swing (rad) of left and right shoulder."""
        return self._pattern.write(out, self.phase, self.amplitude, self.forward, self.turn, balance)


def near(value: float, goal: float, step: float) -> float:
    """``value``, moved towards ``goal`` by at most ``step``."""
    return value + min(max(goal - value, -step), step)
