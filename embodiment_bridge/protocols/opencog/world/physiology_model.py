# SPDX-License-Identifier: Apache-2.0
"""Bodily needs of a robot for an OAC, 0..1: hunger and thirst grow with time, energy is that of the battery."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final

from embodiment_bridge.protocols.opencog.xml.parts import Level

NAMES: Final = ("hunger", "thirst", "pee_urgency", "poo_urgency", "energy", "fitness")
LONGEST_STEP_S: Final = 60.0
MOST_GIVEN: Final = 100  # levels from outside


@dataclass(frozen=True, slots=True)
class Rates:
    """Growth rate of each level, 1/s (negative: it falls), and its start value."""

    hunger: float = 1.0 / 7200.0
    thirst: float = 1.0 / 5400.0
    pee_urgency: float = 0.0
    poo_urgency: float = 0.0
    energy: float = 0.0  # of a body without a battery
    fitness: float = 0.0
    energy_at_first: float = 1.0
    fitness_at_first: float = 1.0


class PhysiologyModel:
    """Levels that change with time, with actions, and with values from outside.

    ``levels`` is for one thread; the other methods may be called from any thread.
    """

    def __init__(self, rates: Rates | None = None) -> None:
        self._rates = rates or Rates()
        self._levels = dict.fromkeys(NAMES, 0.0)
        self._levels["energy"] = self._rates.energy_at_first
        self._levels["fitness"] = self._rates.fitness_at_first
        self._given: dict[str, float] = {}
        self._changes: deque[dict[str, float]] = deque(maxlen=1000)
        self._time: float | None = None

    def battery(self, share: float) -> None:
        """Set the charge of the battery, 0..1; nan is ignored."""
        if isfinite(share):
            self._given["energy"] = _bounded(share)

    def told(self, levels: Mapping[str, float]) -> None:
        """Set levels that are measured elsewhere; they replace those of the model."""
        for name, value in levels.items():
            if name and isfinite(value) and len(self._given) < MOST_GIVEN:
                self._given[name[:80]] = _bounded(value)

    def act(self, changes: Mapping[str, float]) -> None:
        """Change levels at once: eating reduces hunger."""
        self._changes.append(dict(changes))

    def levels(self, now_s: float) -> tuple[Level, ...]:
        """All levels at a time in s; a time that goes back or jumps has little effect."""
        passed = 0.0 if self._time is None else min(max(now_s - self._time, 0.0), LONGEST_STEP_S)
        self._time = now_s
        for name in NAMES:
            self._levels[name] = _bounded(self._levels[name] + getattr(self._rates, name) * passed)
        while self._changes:
            for name, change in self._changes.popleft().items():
                if name in self._levels and isfinite(change):
                    self._levels[name] = _bounded(self._levels[name] + change)
        return levels_of(self._levels | self._given.copy())


def levels_of(values: Mapping[str, float] | Iterable[tuple[str, float]]) -> tuple[Level, ...]:
    """Levels limited to 0..1; values that are not numbers are left out."""
    return tuple(
        Level(name, _bounded(value)) for name, value in dict(values).items() if name and isfinite(value)
    )


def _bounded(value: float) -> float:
    return min(max(float(value), 0.0), 1.0)
