# SPDX-License-Identifier: Apache-2.0
"""Keeps the levels of feelings and needs (0..1).

The bodily needs of a robot, what an OAC last told, and the emotion that the body should show.

What is not modelled and not measured is not claimed: an OAC that hears nothing of a need keeps its own idea of it.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from math import inf, isfinite
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.opencog.xml.parts import Level

# Which emotion a body should show: the strongest feeling over its threshold, not changed too often.

USUAL: Final = (
    "happiness=happy", "excitement=surprised", "sadness=sad", "anger=angry", "hate=disgusted", "fear=afraid",
    "love=happy", "pride=happy", "gratitude=happy",
)  # fmt: skip
THRESHOLD: Final = 0.7  # from here on an OAC calls a feeling high
KEPT: Final = 0.1  # below its threshold until a feeling that is shown counts as gone
NEUTRAL: Final = "neutral"
_ENTRY: Final = re.compile(r"([^\s=>]{1,80})(?:>([0-9.]{1,10}))?=([a-z][a-z0-9_]{0,79})")


@dataclass(frozen=True, slots=True)
class Rule:
    """The ``emotion`` (a skill of the body) of a feeling whose level is at least ``threshold``, 0..1."""

    emotion: str
    threshold: float = THRESHOLD


def rules_of(entries: Iterable[str]) -> dict[str, Rule]:
    """Rules by feeling, from ``FEELING=EMOTION`` or ``FEELING>THRESHOLD=EMOTION``; ``usual`` stands for ``USUAL``.

    Raises:
        ConfigError: an entry cannot be read.
    """
    rules: dict[str, Rule] = {}
    for entry in filter(None, entries):
        if entry == "usual":
            rules |= rules_of(USUAL)
            continue
        match = _ENTRY.fullmatch(entry)
        threshold = _number(match[2]) if match is not None and match[2] is not None else THRESHOLD
        if match is None or not 0.0 <= threshold <= 1.0:
            raise ConfigError(
                f"feelings_to_emotions: {entry!r} is not usual, FEELING=EMOTION or FEELING>0..1=EMOTION, "
                "such as fear>0.6=afraid"
            )
        rules[match[1]] = Rule(match[3], threshold)
    return rules


class Mood:
    """Chooses the emotion to show. rest_s: s between two changes."""

    def __init__(self, rules: Mapping[str, Rule], rest_s: float) -> None:
        self._rules = rules
        self._rest_s = rest_s
        self._shown = NEUTRAL
        self._since = -inf

    def wish(self, levels: Mapping[str, float], now_s: float) -> str:
        """The emotion to show now; empty when what is shown is right, or was begun too short a time ago.

        Args:
            levels: of all feelings, 0..1.
            now_s: time in s.
        """
        if now_s - self._since < self._rest_s:
            return ""
        felt = {
            rule.emotion: levels[feeling]
            for feeling, rule in sorted(self._rules.items(), key=lambda item: levels.get(item[0], 0.0))
            if levels.get(feeling, -1.0) >= rule.threshold - (KEPT if rule.emotion == self._shown else 0.0)
        }
        wanted = max(felt, key=felt.__getitem__, default=NEUTRAL)
        return "" if wanted == self._shown else wanted

    def showing(self, emotion: str, now_s: float) -> None:
        """The body begins to show an emotion, at a time in s."""
        self._shown, self._since = emotion, now_s


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0


# Collects feelings, demands and needs, which come a few at a time: the last level of each.

MOST: Final = 100


class Merged:
    """Levels by name, at most ``MOST``: a further name takes the place of the one updated longest ago."""

    def __init__(self) -> None:
        self._levels: dict[str, float] = {}
        self._updated: dict[str, int] = {}  # which update was the last one of a name
        self._numbers = count()

    def update(self, levels: Iterable[Level]) -> bool:
        """Update some levels, limited to 0..1; returns whether anything has changed."""
        before = dict(self._levels)
        for level in levels:
            if not isfinite(level.value):
                continue
            name = level.name[:80]
            if name not in self._levels and len(self._levels) >= MOST:
                oldest = min(self._updated, key=self._updated.__getitem__)
                del self._levels[oldest], self._updated[oldest]
            self._levels[name] = min(max(level.value, 0.0), 1.0)
            self._updated[name] = next(self._numbers)
        return self._levels != before

    @property
    def levels(self) -> dict[str, float]:
        """A copy of all levels, by name."""
        return dict(self._levels)

    @property
    def names(self) -> list[str]:
        """All names, in the order of their first update."""
        return list(self._levels)

    @property
    def values(self) -> list[float]:
        """One level per name, 0..1."""
        return list(self._levels.values())


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
