# SPDX-License-Identifier: Apache-2.0
"""Draws lines as SVG: one diagram for each quantity, side by side, each with a scale from 0."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 340, 220  # of a diagram
LEFT, TOP, RIGHT, BOTTOM = 46, 30, 14, 40  # its margins
TICKS = 4
COLOURS = ("#1f77b4", "#d62728", "#2ca02c")

Points = Sequence[tuple[float, float]]


def plot(x_name: str, lines: Sequence[tuple[str, Points]]) -> str:
    """The text of an SVG file; ``lines``: the name of what is drawn upwards, and the points."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * len(lines)}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for index, (name, points) in enumerate(lines):
        parts += [
            f'<g transform="translate({WIDTH * index},0)">',
            *_diagram(x_name, name, points, index),
            "</g>",
        ]
    return "\n".join([*parts, "</svg>", ""])


def _diagram(x_name: str, name: str, points: Points, index: int) -> list[str]:
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    most_x, most_y = (max(point[axis] for point in points) or 1.0 for axis in (0, 1))
    colour, bottom = COLOURS[index % len(COLOURS)], HEIGHT - BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        return round(LEFT + wide * x / most_x, 1), round(bottom - high * y / most_y, 1)

    parts = [
        f'<text x="{LEFT}" y="{TOP - 12}">{escape(name)}</text>',
        f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_name)}</text>',
        f'<path d="M{LEFT},{TOP}V{bottom}H{LEFT + wide}" fill="none" stroke="#444"/>',
    ]
    for tick in range(TICKS + 1):
        value = most_y * tick / TICKS
        parts.append(
            f'<text x="{LEFT - 5}" y="{place(0, value)[1] + 4}" text-anchor="end">{value:.3g}</text>'
        )
    for x, y in points:
        at_x, at_y = place(x, y)
        parts.append(f'<circle cx="{at_x}" cy="{at_y}" r="3" fill="{colour}"/>')
        parts.append(f'<text x="{at_x}" y="{bottom + 14}" text-anchor="middle">{x:g}</text>')
    path = " ".join(f"{x},{y}" for x, y in (place(*point) for point in points))
    return [*parts, f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>']
