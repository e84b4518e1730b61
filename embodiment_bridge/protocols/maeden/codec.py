# SPDX-License-Identifier: Apache-2.0
"""The lines of a Maeden simulator: bytes to events, commands to bytes, for one connection, in every dialect."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.core.unicode_text import NotUtf8Error, decoded
from embodiment_bridge.protocols.maeden.command_writer import write_json, write_text
from embodiment_bridge.protocols.maeden.events import AgentId, Command, Ending, Event, NoPacket, Percept
from embodiment_bridge.protocols.maeden.packets import (
    COUNT,
    NUMBER,
    PacketError,
    fits,
    read_json,
    read_lines,
    sees_itself,
)
from embodiment_bridge.wire import codec
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown, excerpt
from embodiment_bridge.wire.framing import Line, LineFramer

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
        """Whether one is whole, and the other is so too or is a count line at most, which may be a stray number."""
        shorter, longer = sorted(self.key)
        return longer == 1 + COUNT and shorter in (0, 1, 1 + COUNT)


def _apart(a: str, b: str) -> int:
    if NUMBER.fullmatch(a) and NUMBER.fullmatch(b):
        return abs(int(a) - int(b))
    return int(a != b)


def is_count(text: str) -> bool:
    """Whether a line may be the first of a packet."""
    return _LINE_COUNT.fullmatch(text) is not None


@dataclass(slots=True)
class Assembler:
    """Puts packets of dialect T together from their nine lines.

    A server may send the first packet twice from two threads at once, so that their lines mix. Of one packet the lines
    are in order; each line therefore continues one of at most two packets. All ways to deal the lines out that the
    shapes allow are followed, at most one for each pair of places, and of two that meet the one in which the packets
    agree better: both copies tell the same but for the time.
    """

    _deals: list[_Deal] = field(default_factory=list)
    # The last line of the packet before: its time, or the count of the next one if it lacked its time.
    _last: TextLine | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing."""
        return not self._deals

    def begin(self, after: int) -> int:
        """The position of the first line so far that is behind ``after``."""
        lines = (*self._deals[0].first, *self._deals[0].second)
        return min((line.offset for line in lines if line.offset > after), default=lines[0].offset)

    @property
    def only_counts(self) -> int:
        """The number of count lines, if there is nothing else."""
        longest = max((max(deal.key) for deal in self._deals), default=0)
        return 0 if longest != 1 else max(bool(deal.first) + bool(deal.second) for deal in self._deals)

    def drop(self) -> None:
        """Forget all."""
        self._deals, self._last = [], None

    def drop_oldest_count(self) -> TextLine:
        """Forget the first of nothing but count lines."""
        deal = max(self._deals, key=lambda deal: len(deal.second))
        self._deals = [_Deal(deal.second)] if deal.second else []
        return deal.first[0]

    def take(self, line: TextLine) -> list[Packet] | None:
        """Add a line: the packets that are whole now; None if it continues nothing, and then nothing changes."""
        best: dict[tuple[int, int], _Deal] = {}
        last, self._last = self._last, None
        begun = (last,) if last and fits(0, line.text) else ()
        for deal in self._deals or [_Deal(begun)]:
            for way in _ways(deal, line):
                known = best.get(way.key)
                if known is None or way.differences < known.differences:
                    best[way.key] = way
        if not best:
            return None
        self._deals = list(best.values())
        # Reversed: the later count line rather than a number that was left before it.
        for deal in reversed(self._deals):
            if deal.done:
                packets = (deal.first, deal.second)
                self._deals = [_Deal(packet) for packet in packets if len(packet) == 1]
                self._last = line if _continues((), line.text) else None
                return [packet for packet in packets if len(packet) > 1]
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


DIALECTS: Final = ("auto", "text", "json", "j1", "j2")
TEXT_COMMANDS: Final = ("text", "j1", "j2")  # dialects whose commands are words
MAX_LINE: Final = 65536  # bytes; a real view line has less than 2 kB
ENDINGS: Final = ("DIE", "SUCCESS", "END")
_ID: Final = re.compile(r"[0-9]{1,18}")
_BARE_WORD: Final = re.compile(r"[A-Za-z][A-Za-z_]{2,30}")


class Codec(codec.Codec[Event, Command]):
    """Decodes what the server sends and encodes commands. Keeps nothing but packets that are not whole.

    dialect: one of ``DIALECTS``. What comes is read by its shape in every case; the dialect only says how commands
    are written as long as nothing has come (auto: as words), and j2 that they are words though packets are arrays.

    Raises:
        ConfigError: no such dialect.
    """

    def __init__(self, dialect: str = "auto") -> None:
        if dialect not in DIALECTS:
            raise ConfigError(unknown("dialect", dialect, DIALECTS))
        self._dialect = dialect
        self._json_commands = dialect == "json"
        self._lines = LineFramer(MAX_LINE)
        self._packets = Assembler()
        self._pending_id: TextLine | None = None  # an 8 in the first line: the id, or the count of a packet
        self._own = ""
        self._reversed = False
        self._fed = 0  # bytes of the stream so far
        self._whole_at = -1  # where the last packet began that was whole

    @override
    def feed(self, data: bytes) -> list[Event]:
        events: list[Event] = []
        self._fed += len(data)
        for found in self._lines.feed(data):
            if isinstance(found, Malformed):
                self._give_up("line too long in a packet", events)
                events.append(found)
            else:
                self._line(found, events)
        return events

    @override
    def close(self) -> Sequence[Event | Truncated]:
        """The stream ended: a ``NoPacket`` for a count line alone, or a ``Truncated`` if something was unfinished."""
        unfinished = self._lines.close()
        counts = self._packets.only_counts
        if self._pending_id is not None:
            begin = self._pending_id.offset
            self._pending_id = None
            return [Truncated(begin, self._fed - begin)] if unfinished else [NoPacket(begin, COUNT)]
        if counts and not unfinished:
            return [event for _ in range(counts) for event in self._no_packet()]
        if not self._packets.empty:
            begin = self._packets.begin(self._whole_at)
            self._packets.drop()
            return [Truncated(begin, self._fed - begin)]
        return unfinished

    @override
    def encode(self, command: Command) -> bytes:
        if isinstance(command, Unknown):
            return _raw(command.raw)
        text = write_json(command) if self._json_commands else write_text(command)
        return text.encode() + b"\n"

    def _line(self, line: Line, events: list[Event]) -> None:
        try:
            text = decoded(line.text).strip()
        except NotUtf8Error as error:
            self._give_up("a line in the packet is not UTF-8", events)
            events.append(Malformed(line.offset, str(error), excerpt(line.text)))
            return
        if not text:
            return  # nothing is said by an empty line
        if text[0] in "[{":
            self._give_up("a packet of another dialect began inside it", events)
            events.append(self._json(line.offset, text))
        elif text.upper() in ENDINGS:
            self._give_up("the episode ended inside the packet", events)
            events.append(Ending(line.offset, text.upper()))
        else:
            self._text(TextLine(line.offset, text), events)

    def _text(self, line: TextLine, events: list[Event]) -> None:
        if self._pending_id is not None:
            first, self._pending_id = self._pending_id, None
            if fits(0, line.text):
                self._packets.take(first)
            else:
                self._identify(first, events)
        elif not self._own and self._packets.empty and _ID.fullmatch(line.text):
            if is_count(line.text) and int(line.text) == COUNT:
                self._pending_id = line
                return
            self._identify(line, events)
            return
        self._packet_line(line, events)

    def _identify(self, line: TextLine, events: list[Event]) -> None:
        self._own = line.text
        self._packets.drop()  # there is none, but the last line of the one before begins no other now
        events.append(AgentId(line.offset, line.text))

    def _packet_line(self, line: TextLine, events: list[Event]) -> None:
        whole = self._packets.take(line)
        if whole is None and self._packets.only_counts and is_count(line.text):
            events.extend(self._no_packet())
            whole = self._packets.take(line)
        if whole is None and not self._packets.empty:
            self._give_up(f"line {excerpt(line.text.encode())!r} does not continue the packet", events)
            whole = self._packets.take(line)
        if whole is None:
            events.append(_stray(line))
            return
        for packet in whole:
            self._whole_at = packet[0].offset
            events.append(percept_of(packet))

    def _no_packet(self) -> list[NoPacket]:
        """Give up a count line; one before a packet that was whole was only the last line of a broken one."""
        count = self._packets.drop_oldest_count()
        return [NoPacket(count.offset, int(count.text))] if count.offset > self._whole_at else []

    def _give_up(self, reason: str, events: list[Event]) -> None:
        """Report and drop what came of packets that will never be whole."""
        if self._pending_id is not None:
            first, self._pending_id = self._pending_id, None
            self._identify(first, events)
        while self._packets.only_counts:
            events.extend(self._no_packet())
        if not self._packets.empty:
            events.append(Malformed(self._packets.begin(self._whole_at), reason))
        self._packets.drop()

    def _json(self, offset: int, text: str) -> Event:
        try:
            percept = read_json(offset, text)
        except PacketError as error:
            return Malformed(offset, str(error), excerpt(text.encode("utf-8", "backslashreplace")))
        if percept is None:
            return Unknown(offset, text.encode())
        return percept if percept.dialect == "J1" else self._turned(percept)

    def _turned(self, percept: Percept) -> Percept:
        """The view with the row behind the agent first."""
        if self._dialect not in TEXT_COMMANDS:
            self._json_commands = True
        if self._own and sees_itself(percept.view, self._own, reversed_rows=False):
            self._reversed = False
        elif self._own and sees_itself(percept.view, self._own, reversed_rows=True):
            self._reversed = True
        return replace(percept, view=percept.view[::-1]) if self._reversed else percept


def _stray(line: TextLine) -> Event:
    if _BARE_WORD.fullmatch(line.text):
        return Unknown(line.offset, line.text.encode())  # perhaps an ending of another version
    return Malformed(line.offset, "neither a packet nor an ending begins so", excerpt(line.text.encode()))


def _raw(raw: object) -> bytes:
    """A line that was received, for sending it again."""
    if isinstance(raw, bytes) and 0 < len(raw) <= MAX_LINE and not set(raw) & set(b"\r\n"):
        return raw + b"\n"
    raise CommandError(f"Unknown.raw is {raw!r:.80}; it must be one line")
