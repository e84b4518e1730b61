# SPDX-License-Identifier: Apache-2.0
"""Between the cells, directions and energy of a Maeden agent and the units and frames of ROS. No ROS message here.

| simulator | ROS |
|---|---|
| start cell | origin of ``map`` and ``odom``; x is east, y is north, a cell is ``cell_size`` m |
| heading W, N, E, S | yaw pi, pi/2, 0, -pi/2 (``GridPose.yaw``) |
| view row r, column c | ``base_link``: x = (r - 1) cells ahead, y = (2 - c) cells to the left |
| a voice from forward, left, back, right | azimuth 0, pi/2, pi, -pi/2 |
| energy, 2000 at the start | battery: charge, 2000 = 100 % |
| cycles | s |
"""

from array import array
from collections.abc import Mapping
from math import pi
from typing import Final

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.grid.pose import QUARTER_TURN, Place
from embodiment_bridge.grid.world import Raster, occupancy
from embodiment_bridge.protocols.maeden.events import COLUMNS, OWN_COLUMN, OWN_ROW, ROWS, View

CYCLE_S: Final = 0.05  # s of a cycle, where a packet is all that tells the time
FULL_ENERGY: Final = 2000  # at the start
AZIMUTHS: Final[Mapping[str, float]] = {"forward": 0.0, "left": pi / 2, "back": pi, "right": -pi / 2}


def seconds(world_time: int) -> float:
    """S since the world began."""
    return world_time * CYCLE_S


def middle(place: Place, cell_m: float, height: float = 0.0) -> Vector:
    """The middle of a cell in ``map``, m; ``height`` m above the floor."""
    x, y = place
    return x * cell_m, y * cell_m, height


def corner(raster: Raster, cell_m: float) -> tuple[float, float]:
    """The corner at which the first cell of a raster begins, m."""
    x, y = raster.origin
    return (x - 0.5) * cell_m, (y - 0.5) * cell_m


def cells(distance: float, cell_m: float) -> int:
    """The number of cells nearest to a distance (m)."""
    return round(distance / cell_m)


def quarter_turns(angle: float) -> int:
    """The number of quarter turns nearest to an angle (rad)."""
    return round(angle / QUARTER_TURN)


def raster_of_view(view: View) -> Raster:
    """The view in the agent's frame: x ahead (from one cell behind to five ahead), y left (two to each side)."""
    data = array("b", bytes(ROWS * COLUMNS))
    for row, line in enumerate(view):
        for column, things in enumerate(line):
            data[(COLUMNS - 1 - column) * ROWS + row] = occupancy(things)
    return Raster((-OWN_ROW, -OWN_COLUMN), ROWS, COLUMNS, data)


def azimuth(direction: str) -> float | None:
    """The azimuth of a voice, rad, positive left; None for one in the own cell."""
    return AZIMUTHS.get(direction)


def charge(energy: int) -> float:
    """The energy as a share of what an agent begins with, 0 to 1; food may give more than that."""
    return min(max(energy / FULL_ENERGY, 0.0), 1.0)
