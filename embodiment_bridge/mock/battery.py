# SPDX-License-Identifier: Apache-2.0
"""A battery that discharges slowly."""

from dataclasses import dataclass

CAPACITY_AH = 4.0
FULL_V, EMPTY_V = 12.6, 10.2  # three lithium cells
IDLE_A, DRIVE_A = 1.0, 6.0  # drawn at rest, and drawn in addition at full speed
FULL_SPEED = 0.5  # m/s


@dataclass(slots=True)
class Battery:
    """charge: 0..1 of the capacity; current: A drawn in the last step."""

    charge: float = 1.0
    current: float = IDLE_A

    @property
    def voltage(self) -> float:
        """The voltage, V."""
        return EMPTY_V + (FULL_V - EMPTY_V) * self.charge

    def step(self, speed: float, dt: float) -> None:
        """Let ``dt`` s pass at ``speed`` m/s of the base."""
        self.current = IDLE_A + DRIVE_A * min(abs(speed) / FULL_SPEED, 1.0)
        self.charge = max(self.charge - self.current * dt / (3600.0 * CAPACITY_AH), 0.0)
