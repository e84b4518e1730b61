# SPDX-License-Identifier: Apache-2.0
"""The power of a bus: it sags by what all servos draw."""

from typing import Final

RESISTANCE: Final = 0.05  # ohm, of a supply with some cable


class Supply:
    """``nominal`` volts without load, behind ``resistance`` ohm."""

    def __init__(self, nominal: float, resistance: float = RESISTANCE) -> None:
        self.nominal = nominal
        self.resistance = resistance
        self._currents: dict[object, float] = {}
        self._total = 0.0

    @property
    def voltage(self) -> float:
        """At the servos now, V."""
        return max(0.0, self.nominal - self.resistance * self._total)

    def draw(self, who: object, current: float) -> None:
        """A servo draws so many A from now on, either way."""
        current = abs(current)
        self._total += current - self._currents.get(who, 0.0)
        self._currents[who] = current
