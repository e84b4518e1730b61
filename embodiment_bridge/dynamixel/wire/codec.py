# SPDX-License-Identifier: Apache-2.0
"""Decodes a servo bus into events and encodes them: both directions and both protocols on one wire."""

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.dynamixel.wire import events
from embodiment_bridge.dynamixel.wire.decoder import Packet, PacketDecoder
from embodiment_bridge.dynamixel.wire.instructions import BROADCAST, Instruction
from embodiment_bridge.dynamixel.wire.packet_events import (
    Unfit,
    read_fast_status,
    read_instruction,
    read_status,
    write_event,
)
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown, excerpt

Event = events.Event | Malformed | Unknown
DIALECTS = {"1.0": (1,), "2.0": (2,), "both": (1, 2)}


class Codec:
    """Decodes a bus and encodes instructions and statuses.

    It keeps the unfinished packet and, for protocol 1.0, the open questions.
    """

    def __init__(self, dialect: str | None = None) -> None:
        """Start a stream.

        Args:
            dialect: ``1.0``, ``2.0`` or ``both`` protocols; None for both.

        Raises:
            ConfigError: the dialect is unknown.
        """
        if dialect is not None and dialect not in DIALECTS:
            raise ConfigError(unknown("dialect", dialect, DIALECTS))
        self._decoder = PacketDecoder("both", DIALECTS[dialect or "both"])
        self._asked: dict[
            int, tuple[bytes, tuple[int, ...]]
        ] = {}  # for 1.0, by id: the packet, and the sizes that its answer may have

    def feed(self, data: bytes) -> list[Event]:
        """Decode bytes as they were received; return the events that are now complete. Never raises."""
        return [
            found if isinstance(found, Malformed) else self._read(found) for found in self._decoder.feed(data)
        ]

    def close(self) -> list[Truncated]:
        """End the stream: return a ``Truncated`` if a packet was unfinished, else nothing."""
        offset, received = self._decoder.position, len(self._decoder.pending)
        self._decoder.reset()
        return [Truncated(offset, received)] if received else []

    def encode(self, command: events.Event | Unknown) -> bytes:
        """The packet of one instruction or status.

        Raises:
            CommandError: a field is wrong; the text names the field, its value and the range.
        """
        return _whole_packet(command.raw) if isinstance(command, Unknown) else write_event(command)

    def _read(self, found: Packet) -> Event:
        if found.protocol == 1 and self._is_answer(found):
            return read_status(found, found.instruction, found.parameters)
        if found.protocol == 2 and found.instruction == Instruction.STATUS:
            if found.id == BROADCAST:
                return read_fast_status(found) or Unknown(found.offset, found.raw)
            return read_status(found, found.error, found.parameters)
        try:
            event = read_instruction(found)
        except Unfit:
            quote = excerpt(found.raw[:24].hex(" ").encode())
            name = Instruction(found.instruction).name.lower()
            return Malformed(found.offset, f"wrong parameters for {name!r}", quote)
        if found.protocol == 1:
            self._note_question(found)
        return event or Unknown(found.offset, found.raw)

    def _is_answer(self, found: Packet) -> bool:
        """Whether a 1.0 packet is a status: it has the form of an instruction, so that the packet before decides."""
        raw, sizes = self._asked.pop(found.id, (b"", ()))
        return len(found.parameters) in sizes and found.raw != raw

    def _note_question(self, found: Packet) -> None:
        if found.instruction == Instruction.BULK_READ:
            body = found.parameters[1:]
            for size, id in zip(body[0::3], body[1::3], strict=False):
                self._asked[id] = (b"", (size, 0))
        elif found.id != BROADCAST:
            size = found.parameters[1] if found.instruction == Instruction.READ else 0
            self._asked[found.id] = (found.raw, (size, 0))


def _whole_packet(raw: object) -> bytes:
    """Check a received packet that is to be sent again."""
    if isinstance(raw, bytes):
        found = PacketDecoder("both", (1, 2)).feed(raw)
        if len(found) == 1 and isinstance(found[0], Packet) and found[0].raw == raw:
            return raw
    raise CommandError(f"Unknown.raw is {raw!r}; it must be one whole packet")
