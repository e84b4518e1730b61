# SPDX-License-Identifier: Apache-2.0
"""The seen cells of the map; each is sent once. Rows grow with y, columns with x, from the smallest corner."""

from collections.abc import Iterable
from math import atan2, ceil, cos, floor, hypot, inf, sin
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.rotation import wrap_angle
from embodiment_bridge.protocols.opencog.xml.events import AgentSensorInfo
from embodiment_bridge.protocols.opencog.xml.parts import Perception

MOST_TILES: Final = 1024  # a side
LONGEST_SIGNAL: Final = 60_000  # characters of one perception

Cell = tuple[int, int]


class VisibilityGrid:
    """The seen cells of a square map, and those of them that were not sent yet.

    Args:
        tiles: cells per side; it must match that of the OAC, which does not tell it (64, or 256 as compiled).
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
        """Send all seen cells again."""
        self._new |= self._told
        self._told.clear()

    def see(self, x: float, y: float) -> None:
        """Mark the cell of a place as seen; places outside the map are ignored."""
        column, row = floor((x - self._x) / self._tile), floor((y - self._y) / self._tile)
        if 0 <= column < self._tiles and 0 <= row < self._tiles and (row, column) not in self._told:
            self._new.add((row, column))

    def see_sector(self, x: float, y: float, heading: float, fov: float, reach: float) -> None:
        """Mark all cells whose centre is in view from a place as seen. Occlusion is not modelled.

        Args:
            x: of the eye, m.
            y: of the eye, m.
            heading: rad.
            fov: whole angle of view, rad.
            reach: m.
        """
        view = (round(4.0 * x / self._tile), round(4.0 * y / self._tile), round(heading * 20.0), fov, reach)
        if view == self._view:
            return  # nearly the same view as before: a body stands still most of the time
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
        """Mark the known (not negative) cells of an occupancy grid as seen.

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
        """The message with the cells that were not sent yet; None if there are none."""
        if not self._new:
            return None
        signals = _signals(self._new)
        self._told |= self._new
        self._new = set()
        return AgentSensorInfo(tuple(Perception("visibility", signal, "map") for signal in signals))


def _signals(cells: Iterable[Cell]) -> list[str]:
    """``row first last first last;row ...``, in pieces of at most ``LONGEST_SIGNAL`` characters."""
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
