# SPDX-License-Identifier: Apache-2.0
"""Bytes of a servo bus to packets, as they come: any chunks, noise between them, both protocols on one wire.

Strict, as servos are: a packet whose checksum, length or stuffing is wrong is no packet. After bad input the search
goes on one byte behind its beginning, so no good packet is lost in a bad one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from struct import Struct
from typing import Final, Literal, NamedTuple

from embodiment_bridge.dynamixel.wire.crc import crc16
from embodiment_bridge.dynamixel.wire.instructions import BROADCAST, HIGHEST_ID, Instruction
from embodiment_bridge.dynamixel.wire.packet import HEADER, MAX_PACKET, OVERHEAD, STUFFED, unstuff
from embodiment_bridge.dynamixel.wire.packet1 import checksum
from embodiment_bridge.wire.events import Malformed, excerpt

Kind = Literal["status", "instruction", "both"]
KINDS: Final[tuple[Kind, ...]] = ("status", "instruction", "both")

_HEAD: Final = Struct("<BHBB")  # id, length, instruction, error or first parameter
_STATUS: Final = int(Instruction.STATUS)
_NOT_YET: Final = -1
SHORTEST: Final = 10  # bytes of a 2.0 packet: an instruction without parameters
QUOTED: Final = 24  # bytes of bad input that a report quotes
REASONS: Final = {
    "noise": "no packet begins here",
    "length": "a length that no packet has",
    "id": "no servo has this id",
    "stuffing": "FF FF FD inside a packet that no FD follows: never stuffed, or broken off",
    "crc": "wrong CRC",
    "checksum": "wrong checksum",
}


class Packet(NamedTuple):
    """One packet; ``raw`` is all of it as it was on the wire, at ``offset`` of the stream.

    A 2.0 status has instruction 0x55, its ``error`` byte (ALERT included) apart, and ``parameters`` are its data.
    What a 1.0 packet is, its bytes do not say: ``instruction`` is its fifth byte, unless the decoder takes all for
    statuses. A 2.0 status with id 0xFE answers a fast read; its blocks are found by ``fast_blocks``.
    """

    offset: int
    protocol: int
    id: int
    instruction: int
    error: int
    parameters: bytes
    raw: bytes


class Block(NamedTuple):
    """What one servo says in the answer to a fast read."""

    id: int
    error: int
    data: bytes


class PacketDecoder:
    """Cuts one direction of a bus, or both (``kind``), into packets of the given ``protocols``.

    Keeps the unfinished packet only, at most ``max_packet`` bytes. ``rejected`` counts what was no packet by reason.
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
        """Where in the stream the unfinished packet begins, or what comes next."""
        return self._position

    @property
    def pending(self) -> bytes:
        """The bytes of an unfinished packet."""
        return self._rest

    def reset(self) -> None:
        """Drop an unfinished packet: what comes next begins a new one."""
        self._position += len(self._rest)
        self._rest = b""
        self._in_noise = False

    def feed(self, data: bytes) -> list[Packet | Malformed]:
        """Take bytes as they came; return the packets now whole, and reports of bad input, in order."""
        buffer = self._rest + data if self._rest else bytes(data)
        found: list[Packet | Malformed] = []
        at, end = 0, len(buffer)
        while at < end:
            size = self._take(buffer, at, found)
            if size == _NOT_YET:
                break
            at += size
        self._rest = buffer[at:]
        self._position += at
        return found

    def _take(self, buffer: bytes, at: int, found: list[Packet | Malformed]) -> int:
        """Take what begins at ``at``: a packet, or noise up to where one may begin. Returns its size in bytes."""
        head = buffer[at : at + 4]
        if head == HEADER and self._two:
            return self._take_two(buffer, at, found)
        if HEADER.startswith(head) and self._two:
            return _NOT_YET
        if head[:2] == b"\xff\xff" and self._one:
            if len(head) < 4:
                return _NOT_YET
            if (head[2] <= HIGHEST_ID or head[2] == BROADCAST) and head[3] >= 2:
                return self._take_one(buffer, at, found)
        if head == b"\xff":
            return _NOT_YET
        return self._skip_noise(buffer, at, found)

    def _take_two(self, buffer: bytes, at: int, found: list[Packet | Malformed]) -> int:
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
            body = unstuff(body)  # instruction and error included: what was stuffed may begin there
        error, parameters = (error, body[2:]) if is_status else (0, body[1:])
        found.append(Packet(self._position + at, 2, id, code, error, parameters, raw))
        self._in_noise = False
        return size

    def _take_one(self, buffer: bytes, at: int, found: list[Packet | Malformed]) -> int:
        size = 4 + buffer[at + 3]
        raw = buffer[at : at + size]
        if (
            self._two and (inner := raw.find(HEADER)) > 0
        ):  # no register of a 1.0 servo holds that: it broke off
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
        """Report bytes that are no packet; returns how many to go on by: a good one may begin inside."""
        quote = excerpt(buffer[at : at + min(size, QUOTED)].hex(" ").encode())
        found.append(Malformed(self._position + at, REASONS[reason], quote))
        self.rejected[reason] += 1
        self._in_noise = True
        return 1

    def _skip_noise(self, buffer: bytes, at: int, found: list[Packet | Malformed]) -> int:
        """Skip to where a packet may begin. A run of noise is one report, however it comes in chunks."""
        if not self._in_noise:
            found.append(Malformed(self._position + at, REASONS["noise"], f"{buffer[at]:02x}"))
            self.rejected["noise"] += 1
            self._in_noise = True
        following = buffer.find(0xFF, at + 1)
        return (following if following >= 0 else len(buffer)) - at


def _header_inside(buffer: bytes, start: int, end: int) -> int:
    """Where an FF FF FD that no FD follows is in a body, or 0: it was never stuffed, or a packet broke off there."""
    here = buffer.find(STUFFED, start, end)
    while here >= 0 and here + 3 < len(buffer):
        if here + 3 >= end or buffer[here + 3] != 0xFD:
            return here
        here = buffer.find(STUFFED, here + 4, end)
    return 0


def fast_blocks(raw: bytes, items: Iterable[tuple[int, int]]) -> list[Block]:
    """What the answer ``raw`` to a fast read says, given (id, size in bytes) of the devices in the order of asking.

    Stops at the first block that is missing, has a wrong CRC or is another device's: also an answer that broke off
    (``PacketDecoder.pending``) gives those before.
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
