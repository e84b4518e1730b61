# SPDX-License-Identifier: Apache-2.0
"""Bodily needs of a robot for an OAC, 0..1: hunger and thirst grow with time, energy is that of the battery.

What is not modelled and not measured is not claimed: an OAC that hears nothing of a need keeps its own idea of it.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final

from embodiment_bridge.protocols.opencog.world.merged import Merged
from embodiment_bridge.protocols.opencog.xml.parts import Level

LONGEST_STEP_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Rates:
    """Growth rate of each need that is modelled, 1/s; 0: it is not."""

    hunger: float = 1.0 / 7200.0
    thirst: float = 1.0 / 5400.0


class PhysiologyModel:
    """Levels that change with time, with actions, and with values from outside.

    ``levels`` is for one thread; the other methods may be called from any one other thread.
    """

    def __init__(self, rates: Rates | None = None) -> None:
        rates = rates or Rates()
        self._rates = {name: rate for name in ("hunger", "thirst") if (rate := getattr(rates, name)) > 0.0}
        self._levels = dict.fromkeys(self._rates, 0.0)
        self._given = Merged()
        self._changes: deque[dict[str, float]] = deque(maxlen=1000)
        self._time: float | None = None

    def battery(self, share: float) -> None:
        """Set the charge of the battery, 0..1; nan is ignored."""
        self.told({"energy": share})

    def told(self, levels: Mapping[str, float]) -> None:
        """Set levels that are measured elsewhere, which replace those of the model; only numbers count."""
        self._given.update(Level(name, value) for name, value in levels.items() if name)

    def act(self, changes: Mapping[str, float]) -> None:
        """Change levels at once: eating reduces hunger."""
        self._changes.append(dict(changes))

    def levels(self, now_s: float) -> tuple[Level, ...]:
        """All known levels at a time in s; a time that goes back or jumps has little effect."""
        passed = 0.0 if self._time is None else min(max(now_s - self._time, 0.0), LONGEST_STEP_S)
        self._time = now_s
        for name, rate in self._rates.items():
            self._levels[name] = _bounded(self._levels[name] + rate * passed)
        while self._changes:
            for name, change in self._changes.popleft().items():
                if name in self._levels and isfinite(change):
                    self._levels[name] = _bounded(self._levels[name] + change)
        return levels_of(self._levels | self._given.levels)


def levels_of(values: Mapping[str, float] | Iterable[tuple[str, float]]) -> tuple[Level, ...]:
    """Levels limited to 0..1; values that are not numbers are left out."""
    return tuple(
        Level(name, _bounded(value)) for name, value in dict(values).items() if name and isfinite(value)
    )


def _bounded(value: float) -> float:
    return min(max(float(value), 0.0), 1.0)
