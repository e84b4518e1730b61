# SPDX-License-Identifier: Apache-2.0
"""A battery that the motors and the computer of a robot discharge."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

IDLE_W: Final = 5.0  # computer and electronics
HEAT_SHARE: Final = 0.3  # W of heat per Nm that a motor holds, relative to a fast motor of that size
FULL_V, EMPTY_V = 12.6, 10.2  # three lithium cells


@dataclass(slots=True)
class Battery:
    """capacity: Wh. charge: 0 to 1 of it; power: W drawn in the last step."""

    capacity: float
    charge: float = 1.0
    power: float = IDLE_W

    @property
    def voltage(self) -> float:
        """The voltage, V."""
        return EMPTY_V + (FULL_V - EMPTY_V) * self.charge

    def step(self, effort: Sequence[float], speed: Sequence[float], seconds: float) -> None:
        """Let ``seconds`` pass with torques (Nm) at speeds (rad/s); a motor that brakes charges nothing."""
        work = sum(max(torque * rate, 0.0) for torque, rate in zip(effort, speed, strict=True))
        self.power = IDLE_W + work + HEAT_SHARE * sum(map(abs, effort))
        self.charge = max(self.charge - self.power * seconds / (3600.0 * self.capacity), 0.0)
