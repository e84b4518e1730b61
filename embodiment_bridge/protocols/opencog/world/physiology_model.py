# SPDX-License-Identifier: Apache-2.0
"""Bodily needs of a robot, as an OAC wants them: 0..1, hunger and thirst growing with time, energy of the battery."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final

from embodiment_bridge.protocols.opencog.xml.parts import Level

NAMES: Final = ("hunger", "thirst", "pee_urgency", "poo_urgency", "energy", "fitness")
LONGEST_STEP_S: Final = 60.0
MOST_GIVEN: Final = 100  # levels with names of somebody else


@dataclass(frozen=True, slots=True)
class Rates:
    """How fast each level grows on its own, 1/s (negative: it falls), and where it begins."""

    hunger: float = 1.0 / 7200.0
    thirst: float = 1.0 / 5400.0
    pee_urgency: float = 0.0
    poo_urgency: float = 0.0
    energy: float = 0.0  # of a body without a battery
    fitness: float = 0.0
    energy_at_first: float = 1.0
    fitness_at_first: float = 1.0


class PhysiologyModel:
    """Levels that go with time, with what is eaten, and with what somebody else tells of them.

    ``levels`` is for one thread; the others may be called from any.
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
        """The battery is so full, 0..1; nan is no news."""
        if isfinite(share):
            self._given["energy"] = _bounded(share)

    def told(self, levels: Mapping[str, float]) -> None:
        """Levels that somebody else measures; they count instead of the model's."""
        for name, value in levels.items():
            if name and isfinite(value) and len(self._given) < MOST_GIVEN:
                self._given[name[:80]] = _bounded(value)

    def act(self, changes: Mapping[str, float]) -> None:
        """Something changed levels at once: eating takes from hunger."""
        self._changes.append(dict(changes))

    def levels(self, now_s: float) -> tuple[Level, ...]:
        """All levels at a time in s; time that goes back, or jumps, changes little."""
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
    """Levels within 0..1; what is no number is left out."""
    return tuple(
        Level(name, _bounded(value)) for name, value in dict(values).items() if name and isfinite(value)
    )


def _bounded(value: float) -> float:
    return min(max(float(value), 0.0), 1.0)
