# SPDX-License-Identifier: Apache-2.0
"""Puts packets of dialect T together from their nine lines, and reads the lists in them.

A server may send the first packet twice from two threads at once, so that their lines mix. Of one packet the lines are
in order; each line therefore continues one of at most two packets. ``Assembler`` follows all ways to deal the lines
out that the shapes allow, at most one for each pair of places, and of two that meet the one in which the packets agree
better: both copies tell the same but for the time.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from embodiment_bridge.protocols.maeden.command_writer import is_heard, read_heard
from embodiment_bridge.protocols.maeden.events import COLUMNS, ROWS, Cell, Percept, View

# Lists in parentheses, as dialect T writes them: ``("K" "T")``, ``((() ("0") ...)(...))``.
#
# Blanks may be anywhere or nowhere, quotes may be missing; items are strings of one or more characters.

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


LINES: Final = 8  # behind the count line
SMELLS: Final = ("f", "b", "l", "r", "h")
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_COUNT: Final = re.compile(r"[0-9]{1,3}")

# What a line looks like, by its place behind the count line.
_SHAPES: Final[tuple[Callable[[str], bool], ...]] = (
    lambda text: text.lower() in SMELLS,
    lambda text: read_list(text) is not None,
    lambda text: read_view(text) is not None,
    lambda text: read_list(text) is not None,
    is_heard,
    lambda text: _NUMBER.fullmatch(text) is not None,
    lambda text: text.lower() in ("ok", "fail"),
    lambda text: _NUMBER.fullmatch(text) is not None,
)


class TextLine(NamedTuple):
    """A line and where it began."""

    offset: int
    text: str


Packet = tuple[TextLine, ...]  # the count line and those behind it that have come


@dataclass(slots=True)
class _Deal:
    """One way to deal the lines out: to one packet, or to two."""

    first: Packet
    second: Packet = ()

    @property
    def key(self) -> tuple[int, int]:
        return len(self.first), len(self.second)

    @property
    def differences(self) -> int:
        """Energy and time of the copies are a unit apart at most, the rest is the same."""
        pairs = zip(self.first[1:], self.second[1:], strict=False)
        return sum(_apart(a.text, b.text) for a, b in pairs)

    @property
    def done(self) -> bool:
        return len(self.first) == 1 + LINES and len(self.second) in (0, 1 + LINES)


def _apart(a: str, b: str) -> int:
    if _NUMBER.fullmatch(a) and _NUMBER.fullmatch(b):
        return abs(int(a) - int(b))
    return int(a != b)


def is_count(text: str) -> bool:
    """Whether a line may be the first of a packet."""
    return _COUNT.fullmatch(text) is not None


def is_smell(text: str) -> bool:
    """Whether a line may be the one behind the count."""
    return _SHAPES[0](text)


@dataclass(slots=True)
class Assembler:
    """What there is of packets that are not whole yet."""

    _deals: list[_Deal] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether there is nothing."""
        return not self._deals

    @property
    def offset(self) -> int:
        """The position of the first line so far."""
        return self._deals[0].first[0].offset

    @property
    def only_counts(self) -> int:
        """How many count lines there are, if there is nothing else."""
        longest = max((max(deal.key) for deal in self._deals), default=0)
        return 0 if longest != 1 else max(bool(deal.first) + bool(deal.second) for deal in self._deals)

    def drop(self) -> None:
        """Forget all."""
        self._deals = []

    def drop_oldest_count(self) -> TextLine:
        """Forget the first of nothing but count lines."""
        deal = max(self._deals, key=lambda deal: len(deal.second))
        self._deals = [_Deal(deal.second)] if deal.second else []
        return deal.first[0]

    def take(self, line: TextLine) -> list[Packet] | None:
        """Add a line: the packets that are whole now; None if it continues nothing, and then nothing changes."""
        best: dict[tuple[int, int], _Deal] = {}
        for deal in self._deals or [_Deal(())]:
            for way in _ways(deal, line):
                known = best.get(way.key)
                if known is None or way.differences < known.differences:
                    best[way.key] = way
        if not best:
            return None
        self._deals = list(best.values())
        for deal in self._deals:
            if deal.done:
                self.drop()
                return [packet for packet in (deal.first, deal.second) if packet]
        return []


def _ways(deal: _Deal, line: TextLine) -> list[_Deal]:
    ways = []
    if _continues(deal.first, line.text):
        ways.append(_Deal((*deal.first, line), deal.second))
    if deal.first and _continues(deal.second, line.text):
        ways.append(_Deal(deal.first, (*deal.second, line)))
    return ways


def _continues(packet: Packet, text: str) -> bool:
    if len(packet) > LINES:
        return False
    return _SHAPES[len(packet) - 1](text) if packet else is_count(text) and int(text) >= LINES


def percept_of(packet: Packet) -> Percept:
    """What the lines of a whole packet say."""
    smell, inventory, view, ground, heard, energy, result, time = (line.text for line in packet[1:])
    seen = read_view(view)
    return Percept(
        packet[0].offset,
        "T",
        "CONTINUE",
        smell.lower(),
        read_list(inventory) or (),
        seen or (),
        read_list(ground) or (),
        read_heard(heard),
        int(energy),
        result.lower() == "ok",
        int(time),
        "\n".join(line.text for line in packet),
    )
