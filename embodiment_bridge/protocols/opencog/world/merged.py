# SPDX-License-Identifier: Apache-2.0
"""Collects feelings, demands and needs, which come a few at a time: the last level of each."""

from collections.abc import Iterable
from itertools import count
from math import isfinite
from typing import Final

from embodiment_bridge.protocols.opencog.xml.parts import Level

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
