# SPDX-License-Identifier: Apache-2.0
"""The section ``battery`` of a body file: how full a battery is at which voltage."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from embodiment_bridge.body.config_section import Section

MAX_POINTS = 100
HIGHEST_V = 1000.0


@dataclass(frozen=True, slots=True)
class BatteryCurve:
    """Points (V, share of the full charge), both rising. Between them it is straight, outside as at the nearest end."""

    points: tuple[tuple[float, float], ...]

    def charge(self, voltage: float) -> float:
        """The share of the full charge, 0 to 1, at a voltage in V."""
        after = bisect_right([volts for volts, _ in self.points], voltage)
        if after == 0 or after == len(self.points):
            return self.points[min(after, len(self.points) - 1)][1]
        (low_v, low), (high_v, high) = self.points[after - 1], self.points[after]
        return low + (high - low) * (voltage - low_v) / (high_v - low_v)


def read_battery(section: Section) -> BatteryCurve:
    """``curve: [[V, share], ...]``.

    Raises:
        ConfigError: fewer than two points, or they do not rise.
    """
    rows = section.value("curve")
    form = "a list of 2 to 100 points [V, share], V above 0 and rising, share from 0 to 1 and not falling"
    if not isinstance(rows, list) or not 2 <= len(rows) <= MAX_POINTS:
        raise section.wrong("curve", form)
    points = []
    for row in rows:
        numbers = isinstance(row, list) and all(type(one) in (int, float) for one in row)
        if not numbers or len(row) != 2 or not (0.0 < row[0] <= HIGHEST_V and 0.0 <= row[1] <= 1.0):
            raise section.wrong("curve", form)
        points.append((float(row[0]), float(row[1])))
    if not all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(points)):
        raise section.wrong("curve", form)
    section.close()
    return BatteryCurve(tuple(points))
