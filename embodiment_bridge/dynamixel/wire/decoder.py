# SPDX-License-Identifier: Apache-2.0
"""Decodes the bytes of a servo bus into packets: in chunks of any size, with noise, both protocols on one wire.

It is as strict as servos are: a packet with a wrong checksum, length or stuffing is rejected. After bad input the
search continues one byte after its beginning, so that a good packet inside a bad one is not lost.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Final, Literal, NamedTuple

from embodiment_bridge.dynamixel.wire.instructions import BROADCAST, HIGHEST_ID, Instruction
from embodiment_bridge.dynamixel.wire.packet import (
    HEADER,
    MAX_PACKET,
    OVERHEAD,
    STUFFED,
    checksum,
    crc16,
    unstuff,
)
from embodiment_bridge.wire.codec import Malformed, excerpt

Kind = Literal["status", "instruction", "both"]

_HEAD: Final = Struct("<BHBB")  # id, length, instruction, error or first parameter
_STATUS: Final = int(Instruction.STATUS)
_NOT_YET: Final = -1
SHORTEST: Final = 10  # bytes of a 2.0 packet: an instruction without parameters
QUOTED: Final = 24  # bytes of bad input in a report
REASONS: Final = {
    "noise": "no packet begins here",
    "length": "an impossible length",
    "id": "no servo has this id",
    "stuffing": "FF FF FD without FD inside a packet: not stuffed, or broken off",
    "crc": "wrong CRC",
    "checksum": "wrong checksum",
}


class Packet(NamedTuple):
    """Represents one packet; ``raw`` has its bytes on the wire, at ``offset`` of the stream.

    A 2.0 status has instruction 0x55, a separate ``error`` byte (ALERT included), and its data in ``parameters``.
    The bytes of a 1.0 packet do not show its kind: ``instruction`` is its fifth byte, unless the decoder expects only
    statuses. A 2.0 status with id 0xFE answers a fast read; ``fast_blocks`` gives its blocks.
    """

    offset: int
    protocol: int
    id: int
    instruction: int
    error: int
    parameters: bytes
    raw: bytes


class Block(NamedTuple):
    """Represents the part of one servo in the answer to a fast read."""

    id: int
    error: int
    data: bytes


class PacketDecoder:
    """Decodes one direction of a bus, or both (``kind``), into packets of the given ``protocols``.

    It keeps only the unfinished packet, at most ``max_packet`` bytes. ``rejected`` counts rejected input by reason.
    """

    def __init__(
        self, kind: Kind = "status", protocols: Sequence[int] = (2,), max_packet: int = MAX_PACKET
    ) -> None:
        self._status1 = kind == "status"
        self._two, self._one = 2 in protocols, 1 in protocols
        self._max_length = max_packet - OVERHEAD
        self._rest = b""
        self._position = 0  # of the first byte of _rest in the stream
        self._in_noise = False
        self.rejected: Counter[str] = Counter()

    @property
    def position(self) -> int:
        """The place in the stream where the unfinished packet, or else the next input, begins."""
        return self._position

    @property
    def pending(self) -> bytes:
        """The bytes of an unfinished packet."""
        return self._rest

    def reset(self) -> None:
        """Drop an unfinished packet; the next byte begins a new one."""
        self._position += len(self._rest)
        self._rest = b""
        self._in_noise = False

    def feed(self, data: bytes) -> list[Packet | Malformed]:
        """Decode bytes as they were received; return the packets that are now complete, and reports of bad input."""
        buffer = self._rest + data if self._rest else bytes(data)
        found: list[Packet | Malformed] = []
        at, end = 0, len(buffer)
        while at < end:
            size = self._decode(buffer, at, found)
            if size == _NOT_YET:
                break
            at += size
        self._rest = buffer[at:]
        self._position += at
        return found

    def _decode(self, buffer: bytes, at: int, found: list[Packet | Malformed]) -> int:
        """Decode a packet at ``at``, or skip noise up to where one may begin. Returns the size in bytes."""
        head = buffer[at : at + 4]
        if head == HEADER and self._two:
            return self._decode_two(buffer, at, found)
        if HEADER.startswith(head) and self._two:
            return _NOT_YET
        if head[:2] == b"\xff\xff" and self._one:
            if len(head) < 4:
                return _NOT_YET
            if (head[2] <= HIGHEST_ID or head[2] == BROADCAST) and head[3] >= 2:
                return self._decode_one(buffer, at, found)
        if head == b"\xff":
            return _NOT_YET
        return self._skip_noise(buffer, at, found)

    def _decode_two(self, buffer: bytes, at: int, found: list[Packet | Malformed]) -> int:
        available = len(buffer) - at
        if available < SHORTEST:
            return _NOT_YET
        id, length, code, error = _HEAD.unpack_from(buffer, at + 4)
        is_status = code == _STATUS
        if not 3 + is_status <= length <= self._max_length:
            return self._reject(buffer, at, SHORTEST, "length", found)
        if id > HIGHEST_ID and id != BROADCAST:
            return self._reject(buffer, at, SHORTEST, "id", found)
        size: int = length + OVERHEAD
        fast = is_status and id == BROADCAST
        if not fast and (inner := _header_inside(buffer, at + OVERHEAD, at + size - 2)):
            return self._reject(buffer, at, inner - at, "stuffing", found)
        if available < size:
            return _NOT_YET
        raw = buffer[at : at + size]
        if crc16(raw[:-2]) != raw[-2] | raw[-1] << 8:
            return self._reject(buffer, at, size, "crc", found)
        body = raw[OVERHEAD:-2]
        if not fast:
            body = unstuff(body)  # with instruction and error, because stuffed bytes may begin there
        error, parameters = (error, body[2:]) if is_status else (0, body[1:])
        found.append(Packet(self._position + at, 2, id, code, error, parameters, raw))
        self._in_noise = False
        return size

    def _decode_one(self, buffer: bytes, at: int, found: list[Packet | Malformed]) -> int:
        size = 4 + buffer[at + 3]
        raw = buffer[at : at + size]
        # No register of a 1.0 servo has these bytes: the packet broke off.
        if self._two and (inner := raw.find(HEADER)) > 0:
            return self._reject(buffer, at, inner, "stuffing", found)
        if len(raw) < size:
            return _NOT_YET
        if checksum(raw[2:-1]) != raw[-1]:
            return self._reject(buffer, at, size, "checksum", found)
        instruction, error = (_STATUS, raw[4]) if self._status1 else (raw[4], 0)
        found.append(Packet(self._position + at, 1, raw[2], instruction, error, raw[5:-1], raw))
        self._in_noise = False
        return size

    def _reject(self, buffer: bytes, at: int, size: int, reason: str, found: list[Packet | Malformed]) -> int:
        """Report bytes that are not a packet.

        Returns how many to skip: only one, as a good packet may begin inside.
        """
        quote = excerpt(buffer[at : at + min(size, QUOTED)].hex(" ").encode())
        found.append(Malformed(self._position + at, REASONS[reason], quote))
        self.rejected[reason] += 1
        self._in_noise = True
        return 1

    def _skip_noise(self, buffer: bytes, at: int, found: list[Packet | Malformed]) -> int:
        """Skip to where a packet may begin. A run of noise gives one report, also when it comes in chunks."""
        if not self._in_noise:
            found.append(Malformed(self._position + at, REASONS["noise"], f"{buffer[at]:02x}"))
            self.rejected["noise"] += 1
            self._in_noise = True
        following = buffer.find(0xFF, at + 1)
        return (following if following >= 0 else len(buffer)) - at


def _header_inside(buffer: bytes, start: int, end: int) -> int:
    """Return the place of FF FF FD without FD in a body, or 0: it was not stuffed, or a packet broke off there."""
    here = buffer.find(STUFFED, start, end)
    while here >= 0 and here + 3 < len(buffer):
        if here + 3 >= end or buffer[here + 3] != 0xFD:
            return here
        here = buffer.find(STUFFED, here + 4, end)
    return 0


def fast_blocks(raw: bytes, items: Iterable[tuple[int, int]]) -> list[Block]:
    """Return the blocks in the answer ``raw`` to a fast read, given (id, bytes) of the servos as they were asked.

    It stops at the first block that is missing, has a wrong CRC or another id. An answer that broke off
    (``PacketDecoder.pending``) gives the blocks before the break.
    """
    blocks: list[Block] = []
    start, crc = 0, 0
    begin = OVERHEAD + 1
    for id, size in items:
        end = begin + 2 + size
        if len(raw) < end + 2 or raw[begin + 1] != id:
            break
        crc = crc16(raw[start:end], crc)
        if crc != raw[end] | raw[end + 1] << 8:
            break
        blocks.append(Block(id, raw[begin], raw[begin + 2 : end]))
        start, begin = end, end + 2
    return blocks
