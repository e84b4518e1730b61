# SPDX-License-Identifier: Apache-2.0
"""Which cells of the map were seen: each is told once. Rows grow with y, columns with x, from the smallest corner."""

from collections.abc import Iterable
from math import atan2, ceil, cos, floor, hypot, inf, sin
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.units import wrap_angle
from embodiment_bridge.protocols.opencog.xml.events import AgentSensorInfo
from embodiment_bridge.protocols.opencog.xml.parts import Perception

MOST_TILES: Final = 1024  # a side
LONGEST_SIGNAL: Final = 60_000  # characters of one perception

Cell = tuple[int, int]


class VisibilityGrid:
    """The cells of a square map that were seen, and those of them that were not told yet.

    Args:
        tiles: cells of a side; the OAC has its own number and does not say it (64, or 256 as compiled).
        x, y: smallest corner, m.
        side: m.
    """

    def __init__(self, tiles: int, x: float, y: float, side: float) -> None:
        if not 1 <= tiles <= MOST_TILES or not side > 0.0:
            raise ConfigError(
                f"visibility grid of {tiles} tiles on {side} m: not 1..{MOST_TILES} on more than 0 m"
            )
        self._tiles = tiles
        self._x, self._y = x, y
        self._tile = side / tiles
        self._told: set[Cell] = set()
        self._new: set[Cell] = set()
        self._view: tuple[float, ...] = ()  # the last one

    @property
    def tile(self) -> float:
        """Side of a cell, m."""
        return self._tile

    def refresh(self) -> None:
        """Tell everything that was seen again."""
        self._new |= self._told
        self._told.clear()

    def see(self, x: float, y: float) -> None:
        """The cell of a place was seen; places outside of the map are none."""
        column, row = floor((x - self._x) / self._tile), floor((y - self._y) / self._tile)
        if 0 <= column < self._tiles and 0 <= row < self._tiles and (row, column) not in self._told:
            self._new.add((row, column))

    def see_sector(self, x: float, y: float, heading: float, fov: float, reach: float) -> None:
        """All cells whose middle is in view from a place are seen. Nothing hides anything.

        Args:
            x: of the eye, m.
            y: of the eye, m.
            heading: rad.
            fov: whole angle of view, rad.
            reach: m.
        """
        view = (round(4.0 * x / self._tile), round(4.0 * y / self._tile), round(heading * 20.0), fov, reach)
        if view == self._view:
            return  # as good as the same: most of the time a body stands
        self._view = view
        reach = min(reach, 2.0 * self._tile * self._tiles)
        first_row, last_row = self._span(y, self._y, reach)
        first_column, last_column = self._span(x, self._x, reach)
        self.see(x, y)
        for row in range(first_row, last_row + 1):
            down = self._y + (row + 0.5) * self._tile - y
            for column in range(first_column, last_column + 1):
                across = self._x + (column + 0.5) * self._tile - x
                off = abs(wrap_angle(atan2(down, across) - heading))
                if hypot(across, down) <= reach and off <= fov / 2.0 and (row, column) not in self._told:
                    self._new.add((row, column))

    def _span(self, middle: float, corner: float, reach: float) -> tuple[int, int]:
        first = floor((middle - reach - corner) / self._tile)
        last = ceil((middle + reach - corner) / self._tile)
        return max(first, 0), min(last, self._tiles - 1)

    def see_cells(
        self,
        data: Iterable[int],
        width: int,
        resolution: float,
        origin: tuple[float, float, float],
        base: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        """All cells of an occupancy grid that are known (not negative) are seen.

        Args:
            data: row by row.
            width: cells of a row.
            resolution: side of a cell, m.
            origin: x, y, yaw of its corner in its frame.
            base: x, y, yaw of that frame in ``map``.
        """
        if width < 1 or not 0.0 < resolution < inf:
            return
        ox, oy, oyaw = origin
        bx, by, byaw = base
        cos_o, sin_o, cos_b, sin_b = cos(oyaw), sin(oyaw), cos(byaw), sin(byaw)
        steps = min(max(1, ceil(resolution / self._tile)), 32)  # a large cell covers several of ours
        for index, value in enumerate(data):
            if value < 0:
                continue
            row, column = divmod(index, width)
            for part in range(steps * steps):
                u = (column + (part % steps + 0.5) / steps) * resolution
                v = (row + (part // steps + 0.5) / steps) * resolution
                x, y = ox + u * cos_o - v * sin_o, oy + u * sin_o + v * cos_o
                self.see(bx + x * cos_b - y * sin_b, by + x * sin_b + y * cos_b)

    def take(self) -> AgentSensorInfo | None:
        """The cells that were not told yet, which are told now; None where there are none."""
        if not self._new:
            return None
        signals = _signals(self._new)
        self._told |= self._new
        self._new = set()
        return AgentSensorInfo(tuple(Perception("visibility", signal, "map") for signal in signals))


def _signals(cells: Iterable[Cell]) -> list[str]:
    """``row first last first last;row ...``, in pieces that are not too long."""
    rows: dict[int, list[int]] = {}
    for row, column in sorted(cells):
        rows.setdefault(row, []).append(column)
    signals: list[str] = []
    for row, columns in rows.items():
        text = f"{row} {_ranges(columns)}"
        if signals and len(signals[-1]) + len(text) < LONGEST_SIGNAL:
            signals[-1] += ";" + text
        else:
            signals.append(text)
    return signals


def _ranges(columns: list[int]) -> str:
    first = last = columns[0]
    words = []
    for column in columns[1:]:
        if column > last + 1:
            words.append(f"{first} {last}")
            first = column
        last = column
    return " ".join([*words, f"{first} {last}"])
