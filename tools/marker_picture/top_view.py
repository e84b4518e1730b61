# SPDX-License-Identifier: Apache-2.0
"""Draws a MarkerArray from above into a PNG: to see, and to test, what viewers are sent. Needs numpy alone.

Boxes, balls and cylinders as what they cover on the ground, lines as lines; texts are left out. What is higher covers
what is lower.
"""

import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from visualization_msgs.msg import Marker

BACKGROUND = (0.16, 0.18, 0.2)


class TopView:
    """A picture of ``size`` (width, height) pixels, ``scale`` pixels per m, ``center`` (x, y in m) in its middle."""

    def __init__(self, size: tuple[int, int], scale: float, center: tuple[float, float] = (0.0, 0.0)) -> None:
        self.pixels = np.tile(np.array(BACKGROUND), (size[1], size[0], 1))
        self._scale = scale
        columns, rows = np.meshgrid(np.arange(size[0]) + 0.5, np.arange(size[1]) + 0.5)
        self._x = (columns - size[0] / 2) / scale + center[0]
        self._y = (size[1] / 2 - rows) / scale + center[1]

    def draw(self, markers: Iterable[Marker]) -> None:
        """Add markers, the lowest first."""
        for marker in sorted(markers, key=lambda m: _top(m)):
            if marker.action == Marker.ADD:
                self._blend(self._covered(marker), marker)

    def write(self, path: Path) -> None:
        """Save as PNG."""
        data = (self.pixels.clip(0.0, 1.0) * 255).astype(np.uint8)
        height, width, _ = data.shape
        rows = b"".join(b"\0" + row.tobytes() for row in data)
        header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
        parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b"")]
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts))

    def _covered(self, marker: Marker) -> Any:
        if marker.type == Marker.LINE_LIST:
            return self._lines(marker)
        if marker.type not in (Marker.CUBE, Marker.SPHERE, Marker.CYLINDER):
            return np.zeros_like(self._x, dtype=bool)
        outline = _hull(_corners(marker))
        inside = np.ones_like(self._x, dtype=bool)
        for (ax, ay), (bx, by) in zip(outline, [*outline[1:], outline[0]], strict=True):
            inside &= (bx - ax) * (self._y - ay) - (by - ay) * (self._x - ax) >= 0.0
        return inside

    def _lines(self, marker: Marker) -> Any:
        covered = np.zeros_like(self._x, dtype=bool)
        half = max(marker.scale.x, 1.2 / self._scale) / 2
        for a, b in zip(marker.points[::2], marker.points[1::2], strict=True):
            dx, dy = b.x - a.x, b.y - a.y
            along = ((self._x - a.x) * dx + (self._y - a.y) * dy) / max(dx * dx + dy * dy, 1e-12)
            along = along.clip(0.0, 1.0)
            covered |= (self._x - a.x - along * dx) ** 2 + (self._y - a.y - along * dy) ** 2 <= half * half
        return covered

    def _blend(self, covered: Any, marker: Marker) -> None:
        c = marker.color
        self.pixels[covered] = (1.0 - c.a) * self.pixels[covered] + c.a * np.array([c.r, c.g, c.b])


def _top(marker: Marker) -> float:
    if marker.type == Marker.LINE_LIST:
        return max((point.z for point in marker.points), default=0.0)
    return float(_corners(marker)[:, 2].max())


def _corners(marker: Marker) -> Any:
    """(n, 3): of the marker's box, or points on its round body."""
    if marker.type == Marker.CUBE:
        unit = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    else:
        turn = np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
        rings = [(np.cos(v), z) for v, z in ((0.0, -1.0), (0.0, 1.0))]
        if marker.type == Marker.SPHERE:
            rings = [(np.cos(v), np.sin(v)) for v in np.linspace(-1.5, 1.5, 7)]
        unit = np.array([(r * np.cos(t), r * np.sin(t), z) for r, z in rings for t in turn])
    points = 0.5 * unit * np.array([marker.scale.x, marker.scale.y, marker.scale.z])
    q, p = marker.pose.orientation, marker.pose.position
    axis = np.array([q.x, q.y, q.z])
    cross = 2.0 * np.cross(axis, points)
    return points + q.w * cross + np.cross(axis, cross) + np.array([p.x, p.y, p.z])


def _hull(points: Any) -> list[tuple[float, float]]:
    """The outline of points seen from above, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted({(float(x), float(y)) for x, y, _ in points})

    def half(line: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for x, y in line:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    return half(ordered) + half(reversed(ordered))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
