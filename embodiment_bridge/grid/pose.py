# SPDX-License-Identifier: Apache-2.0
"""The pose of an agent in a grid: its cell and heading."""

from enum import IntEnum
from math import pi
from typing import Final, NamedTuple, TypeAlias

Place: TypeAlias = tuple[int, int]  # x east, y north, in cells from the start cell

QUARTER_TURN: Final = pi / 2


class Heading(IntEnum):
    """Quarter turns to the left from the east, like yaw."""

    E = 0
    N = 1
    W = 2
    S = 3


STEPS: Final = ((1, 0), (0, 1), (-1, 0), (0, -1))  # x, y of one step by heading


def bearing(ahead: int, right: int) -> str:
    """The direction of what is so many cells ahead and to the right: f b l r, or h for here. A diagonal is f or b."""
    if abs(right) > abs(ahead):
        return "r" if right > 0 else "l"
    return "f" if ahead > 0 else "b" if ahead < 0 else "h"


class GridPose(NamedTuple):
    """A cell and a heading."""

    x: int
    y: int
    heading: Heading

    @property
    def place(self) -> Place:
        """The cell."""
        return self.x, self.y

    @property
    def yaw(self) -> float:
        """The heading in rad, positive to the left from the east."""
        return self.heading * QUARTER_TURN

    def cell(self, forward: int, right: int) -> Place:
        """The cell at ``forward`` cells ahead and ``right`` cells to the right."""
        dx, dy = STEPS[self.heading]
        return self.x + forward * dx + right * dy, self.y + forward * dy - right * dx

    def offset(self, place: Place) -> tuple[int, int]:
        """The distance of a place ahead and to the right, in cells."""
        dx, dy = STEPS[self.heading]
        east, north = place[0] - self.x, place[1] - self.y
        return east * dx + north * dy, east * dy - north * dx

    def moved(self, action: str) -> "GridPose":
        """The pose after ``forward``, ``backward``, ``left`` or ``right``; unchanged after any other action."""
        match action:
            case "forward":
                return GridPose(*self.cell(1, 0), self.heading)
            case "backward":
                return GridPose(*self.cell(-1, 0), self.heading)
            case "left":
                return GridPose(self.x, self.y, Heading((self.heading + 1) % 4))
            case "right":
                return GridPose(self.x, self.y, Heading((self.heading - 1) % 4))
        return self
