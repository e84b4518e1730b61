# SPDX-License-Identifier: Apache-2.0
"""Lists in parentheses, as dialect T writes them: ``("K" "T")``, ``((() ("0") ...)(...))``.

Blanks may be anywhere or nowhere, quotes may be missing; items are strings of one or more characters.
"""

import re
from typing import Final, TypeAlias

from embodiment_bridge.protocols.maeden.events import COLUMNS, ROWS, Cell, View

MAX_DEPTH: Final = 3  # a view, its rows, its cells
MAX_ITEMS: Final = 4000  # in one line, lists included: no view has more than some hundred

_TOKEN: Final = re.compile(r'\s*(?:(\()|(\))|"([^"]*)"|([^\s()"]+))')
Tree: TypeAlias = "str | list[Tree]"


def read_tree(text: str) -> list[Tree] | None:
    """The one list that ``text`` is; None if it is none, nested deeper than a view, or very long."""
    stack: list[list[Tree]] = [[]]
    place = count = 0
    text = text.rstrip()
    while place < len(text):
        found = _TOKEN.match(text, place)
        count += 1
        if found is None or count > MAX_ITEMS:
            return None
        place = found.end()
        opening, closing, quoted, bare = found.groups()
        if opening:
            inner: list[Tree] = []
            stack[-1].append(inner)
            stack.append(inner)
        elif closing:
            stack.pop()
        else:
            stack[-1].append(bare if quoted is None else quoted)
        if not stack or len(stack) > MAX_DEPTH + 1 or (len(stack) == 1 and place < len(text)):
            return None
    only = stack[0][0] if len(stack) == 1 and len(stack[0]) == 1 else None
    return only if isinstance(only, list) else None


def read_list(text: str) -> Cell | None:
    """A list of items: an inventory, or what lies on the ground."""
    tree = read_tree(text)
    return None if tree is None else cell_of(tree)


def read_view(text: str) -> View | None:
    """Seven rows of five cells."""
    tree = read_tree(text)
    if tree is None or len(tree) != ROWS:
        return None
    rows = [row_of(row) for row in tree]
    return None if None in rows else tuple(row for row in rows if row is not None)


def row_of(tree: Tree) -> tuple[Cell, ...] | None:
    """Five cells."""
    if not isinstance(tree, list) or len(tree) != COLUMNS:
        return None
    cells = [cell_of(cell) for cell in tree]
    return None if None in cells else tuple(cell for cell in cells if cell is not None)


def cell_of(tree: Tree) -> Cell | None:
    """Items, none of them empty."""
    if not isinstance(tree, list) or not all(isinstance(item, str) and item for item in tree):
        return None
    return tuple(str(item) for item in tree)
