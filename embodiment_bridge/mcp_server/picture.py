# SPDX-License-Identifier: Apache-2.0
"""A picture of the scene from above, as PNG: the robot, its heading, and the things around it."""

import math
import struct
import zlib
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embodiment_bridge.robot.values import Pose, Thing

SIZE: Final = 480  # pixels of a side
LEAST: Final = 2.0  # m from the middle to an edge
MOST: Final = 50.0
MARGIN: Final = 1.15
MOST_THINGS: Final = 200
Colour = tuple[int, int, int]
Pixels = NDArray[np.uint8]  # rows of red, green, blue
FLOOR: Final = (245, 245, 240)
GRID: Final = (215, 215, 210)  # a line each metre, or each 10 m
ROBOT: Final = (30, 90, 200)
REMEMBERED: Final = (170, 170, 170)
COLOURS: Final = {
    "ball": (230, 110, 20),
    "player": (200, 40, 60),
    "wall": (90, 90, 90),
    "food": (40, 160, 60),
}
OTHER: Final = (120, 70, 150)


def picture(pose: Pose | None, things: Iterable[Thing]) -> bytes:
    """The scene in ``map``: x to the right, y up, the robot in the middle, a grid line each metre (or 10 m)."""
    shown = [one for one in things if math.isfinite(one.x) and math.isfinite(one.y)][:MOST_THINGS]
    middle = pose or Pose(0.0, 0.0, 0.0)
    reach = max([LEAST, *(MARGIN * max(abs(one.x - middle.x), abs(one.y - middle.y)) for one in shown)])
    canvas = _Canvas(middle, min(reach, MOST))
    canvas.grid()
    for one in shown:
        colour = COLOURS.get(one.kind, OTHER) if one.visible else REMEMBERED
        canvas.disc(one.x, one.y, 5, colour)
    if pose is not None:
        canvas.disc(pose.x, pose.y, 9, ROBOT)
        for step in range(10, 26):
            away = step / canvas.scale
            canvas.disc(pose.x + away * math.cos(pose.yaw), pose.y + away * math.sin(pose.yaw), 2, ROBOT)
    return png(canvas.pixels)


def png(pixels: Pixels) -> bytes:
    """An image of rows of red, green, blue as PNG."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter, 0
    rows[:, 1:] = pixels.reshape(height, 3 * width)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


class _Canvas:
    """Pixels of a square with ``reach`` m from its middle to each edge."""

    def __init__(self, middle: Pose, reach: float) -> None:
        self.pixels: Pixels = np.full((SIZE, SIZE, 3), FLOOR, np.uint8)
        self.scale = 0.5 * SIZE / reach  # pixels per m
        self._middle, self._reach = middle, reach

    def grid(self) -> None:
        step = 1 if self._reach <= 15.0 else 10
        for centre, is_column in ((self._middle.x, True), (self._middle.y, False)):
            first = math.ceil((centre - self._reach) / step)
            for number in range(first, math.floor((centre + self._reach) / step) + 1):
                pixel = self._column(number * step) if is_column else self._row(number * step)
                if 0 <= pixel < SIZE:
                    line = self.pixels[:, pixel] if is_column else self.pixels[pixel]
                    line[:] = GRID

    def disc(self, x: float, y: float, radius: int, colour: Colour) -> None:
        column, row = self._column(x), self._row(y)
        for line in range(max(row - radius, 0), min(row + radius + 1, SIZE)):
            half = math.isqrt(radius * radius - (line - row) ** 2)
            left, right = max(column - half, 0), min(column + half + 1, SIZE)
            if left < right:
                self.pixels[line, left:right] = colour

    def _column(self, x: float) -> int:
        return round(0.5 * SIZE + (x - self._middle.x) * self.scale)

    def _row(self, y: float) -> int:
        return round(0.5 * SIZE - (y - self._middle.y) * self.scale)
