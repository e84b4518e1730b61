# SPDX-License-Identifier: Apache-2.0
"""Collects feelings and demands, which come a few at a time: the last level of each."""

from collections.abc import Iterable
from math import isfinite
from typing import Final

from embodiment_bridge.protocols.opencog.xml.parts import Level

MOST: Final = 100


class Merged:
    """Levels by name; names beyond ``MOST`` are left out."""

    def __init__(self) -> None:
        self._levels: dict[str, float] = {}

    def update(self, levels: Iterable[Level]) -> bool:
        """Update some levels, limited to 0..1; returns whether anything has changed."""
        before = dict(self._levels)
        for level in levels:
            if isfinite(level.value) and (level.name in self._levels or len(self._levels) < MOST):
                self._levels[level.name[:80]] = min(max(level.value, 0.0), 1.0)
        return self._levels != before

    @property
    def names(self) -> list[str]:
        """All names, in the order of their first update."""
        return list(self._levels)

    @property
    def values(self) -> list[float]:
        """One level per name, 0..1."""
        return list(self._levels.values())
