# SPDX-License-Identifier: Apache-2.0
"""Puts packets of dialect T together from their nine lines.

A server may send the first packet twice from two threads at once, so that their lines mix. Of one packet the lines are
in order; each line therefore continues one of at most two packets. ``Assembler`` follows all ways to deal the lines
out that the shapes allow, at most one for each pair of places, and of two that meet the one in which the packets agree
better: both copies tell the same but for the time.
"""

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from embodiment_bridge.protocols.maeden.events import Percept
from embodiment_bridge.protocols.maeden.packets import COUNT, fits, read_lines

_NUMBER: Final = re.compile(r"-?[0-9]{1,18}")
_LINE_COUNT: Final = re.compile(r"[0-9]{1,3}")


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
        return len(self.first) == 1 + COUNT and len(self.second) in (0, 1 + COUNT)


def _apart(a: str, b: str) -> int:
    if _NUMBER.fullmatch(a) and _NUMBER.fullmatch(b):
        return abs(int(a) - int(b))
    return int(a != b)


def is_count(text: str) -> bool:
    """Whether a line may be the first of a packet."""
    return _LINE_COUNT.fullmatch(text) is not None


@dataclass(slots=True)
class Assembler:
    """Holds the lines of packets that are not whole yet."""

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
        """The number of count lines, if there is nothing else."""
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
    if not packet:
        return is_count(text) and int(text) >= COUNT
    return len(packet) <= COUNT and fits(len(packet) - 1, text)


def percept_of(packet: Packet) -> Percept:
    """The packet of its lines."""
    texts = [line.text for line in packet]
    return read_lines(packet[0].offset, "T", texts[1:], "\n".join(texts))
