# SPDX-License-Identifier: Apache-2.0
"""A document drawn: as a tree of text, for Graphviz (DOT), or as a picture (SVG), with its time estimates.

A node with what its keys put round it (loop, box, condition, ...) is one line or box.
"""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from math import inf

from embodiment_bridge.bml.analysis.estimate import Estimate
from embodiment_bridge.bml.nodes.node import Document, Node
from embodiment_bridge.bml.nodes.node_type import WrapperType
from embodiment_bridge.bml.nodes.registry import type_of
from embodiment_bridge.core.unicode_text import one_line

LONGEST = 60  # characters of a line in a box
BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y, MARGIN = 260, 44, 40, 12, 10


@dataclass(frozen=True, slots=True)
class Item:
    """Describes one box: two lines of text, and the index of its parent in the list (-1: the root)."""

    kind: str
    colour: str
    title: str
    details: str
    level: int
    parent: int


def items(document: Document, estimates: Mapping[str, Estimate] | None = None) -> list[Item]:
    """Return the boxes of a drawing, parents before children, in the order of the text."""
    found: list[Item] = []
    todo: list[tuple[Node, int, int, str]] = [(document.root, -1, 0, "")]
    while todo:
        node, parent, level, role = todo.pop()
        core, keys, cleanups = _unwrapped(node)
        kind = type_of(core)
        estimate = (estimates or {}).get(node.pointer)
        details = [*keys, *([f"time {time_of(estimate)}"] if estimate is not None else [])]
        name = repr(core.name) if core.name else ""
        title = " ".join(filter(None, (role, kind.name, name, kind.title(core))))
        found.append(Item(kind.name, kind.colour, _short(title), _short(", ".join(details)), level, parent))
        below = [(child, "") for child in core.below] + [(cleanup, "finally:") for cleanup in cleanups]
        todo.extend((child, len(found) - 1, level + 1, word) for child, word in reversed(below))
    return found


def to_text(document: Document, estimates: Mapping[str, Estimate] | None = None) -> str:
    """Draw one line per node, children indented."""
    lines = []
    for item in items(document, estimates):
        details = f"  [{item.details}]" if item.details else ""
        lines.append(f"{'  ' * item.level}{item.title}{details}")
    return "\n".join(lines) + "\n"


def to_dot(document: Document, estimates: Mapping[str, Estimate] | None = None) -> str:
    """Return a digraph in the language of Graphviz."""
    lines = [
        "digraph bml {",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="sans-serif"];',
    ]
    for index, item in enumerate(items(document, estimates)):
        label = "\\n".join(_dot(line) for line in (item.title, item.details) if line)
        lines.append(f'  n{index} [label="{label}", fillcolor="{item.colour}"];')
        if item.parent >= 0:
            lines.append(f"  n{item.parent} -> n{index};")
    return "\n".join([*lines, "}"]) + "\n"


def to_svg(document: Document, estimates: Mapping[str, Estimate] | None = None) -> str:
    """Draw a picture: levels from left to right, leaves one below the other, parents beside their middle."""
    boxes = items(document, estimates)
    rows = _rows(boxes)
    width = 2 * MARGIN + (max(box.level for box in boxes) + 1) * (BOX_WIDTH + GAP_X) - GAP_X
    height = 2 * MARGIN + (max(rows) + 1) * (BOX_HEIGHT + GAP_Y) - GAP_Y
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="12">'
    ]
    places = [_place(box, row) for box, row in zip(boxes, rows, strict=True)]
    for box, (x, y) in zip(boxes, places, strict=True):
        if box.parent >= 0:
            lines.append(_line(places[box.parent], (x, y)))
    for box, (x, y) in zip(boxes, places, strict=True):
        lines += _svg_box(box, x, y)
    return "\n".join([*lines, "</svg>"]) + "\n"


def time_of(estimate: Estimate) -> str:
    """Return an estimate for people, such as ``2 s``, ``1..3 s, about 2 s``, ``1 s or more`` or ``for ever``."""
    if estimate.forever:
        return "for ever"
    if estimate.min_s == estimate.max_s:
        return f"{estimate.min_s:g} s"
    bounds = f"{estimate.min_s:g} s or more"
    if estimate.max_s < inf:
        bounds = f"{estimate.min_s:g}..{estimate.max_s:g} s"
    return bounds if estimate.expected_s is None else f"{bounds}, about {estimate.expected_s:g} s"


def _unwrapped(node: Node) -> tuple[Node, list[str], list[Node]]:
    """Return the node inside of what its keys made, those keys in words, and its clean-ups."""
    keys: list[str] = []
    cleanups: list[Node] = []
    while True:
        kind = type_of(node)
        keys += kind.details(node)
        # A loop whose child stands elsewhere in the text is a node of its own.
        is_own = not isinstance(kind, WrapperType) or (
            kind.is_written and node.below[0].pointer != node.pointer
        )
        if is_own:
            return node, keys, cleanups
        cleanups += node.below[1:]
        node = node.below[0]


def _short(text: str) -> str:
    """Return one printable line of bounded length, without characters that XML does not allow."""
    clean = one_line(text[: 2 * LONGEST])
    return clean if len(text) <= LONGEST else clean[: LONGEST - 3] + "..."


def _dot(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _rows(boxes: list[Item]) -> list[float]:
    """Return the row of each box: leaves get the next one, parents the middle of their first and last child."""
    rows = [0.0] * len(boxes)
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    parents = {box.parent for box in boxes}
    leaf_rows = iter(range(len(boxes)))
    for index in range(len(boxes)):
        if index not in parents:
            rows[index] = next(leaf_rows)
    for index in range(len(boxes) - 1, -1, -1):
        if index in parents:
            rows[index] = (first[index] + last[index]) / 2
        parent = boxes[index].parent
        first[parent] = rows[index]
        last.setdefault(parent, rows[index])
    return rows


def _place(box: Item, row: float) -> tuple[float, float]:
    return MARGIN + box.level * (BOX_WIDTH + GAP_X), MARGIN + row * (BOX_HEIGHT + GAP_Y)


def _line(parent: tuple[float, float], child: tuple[float, float]) -> str:
    x1, y1 = parent[0] + BOX_WIDTH, parent[1] + BOX_HEIGHT / 2
    x2, y2 = child[0], child[1] + BOX_HEIGHT / 2
    middle = (x1 + x2) / 2
    points = f"M{x1:g} {y1:g} H{middle:g} V{y2:g} H{x2:g}"
    return f'<path d="{points}" fill="none" stroke="#888"/>'


def _svg_box(box: Item, x: float, y: float) -> list[str]:
    fill = box.colour
    frame = f'<rect x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" '
    lines = [f'{frame}fill="{fill}" stroke="#444"/>', _svg_text(box.title, x, y + 18, "#000")]
    return [*lines, _svg_text(box.details, x, y + 34, "#555")] if box.details else lines


def _svg_text(text: str, x: float, y: float, colour: str) -> str:
    # Text that is too wide for its box is squeezed into it; its full length is in the tooltip.
    squeeze = f' textLength="{BOX_WIDTH - 16}" lengthAdjust="spacingAndGlyphs"' if len(text) > 36 else ""
    return f'<text x="{x + 8:g}" y="{y:g}" fill="{colour}"{squeeze}>{html.escape(text)}</text>'
