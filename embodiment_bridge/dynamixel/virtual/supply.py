# SPDX-License-Identifier: Apache-2.0
"""The power supply of a bus, whose voltage sags with the current of all servos."""

from typing import Final

RESISTANCE: Final = 0.05  # ohm, of a supply with some cable


class Supply:
    """A supply of ``nominal`` V without load, with ``resistance`` ohm in series."""

    def __init__(self, nominal: float, resistance: float = RESISTANCE) -> None:
        self.nominal = nominal
        self.resistance = resistance
        self._currents: dict[object, float] = {}
        self._total = 0.0

    @property
    def voltage(self) -> float:
        """The voltage at the servos now, V."""
        return max(0.0, self.nominal - self.resistance * self._total)

    def draw(self, who: object, current: float) -> None:
        """Set the current of a servo, A; its sign does not matter."""
        current = abs(current)
        self._total += current - self._currents.get(who, 0.0)
        self._currents[who] = current
