# SPDX-License-Identifier: Apache-2.0
"""Makes packets of both protocols, and computes their checksums.

2.0: ``FF FF FD 00 | id | length | instruction | parameters | CRC``, with byte stuffing (X, MX, P and Y series).
1.0: ``FF FF | id | length | instruction | parameters | checksum`` (AX, RX, old MX; bulk read: MX only).
A servo of one protocol ignores packets of the other. A function without ``protocol`` makes a packet of 2.0.

All functions are pure and return the bytes of one packet. Each raises CommandError when an argument cannot be sent;
the text names it, its value and the range. Addresses and sizes are those of the control table, in bytes.
"""

from array import array
from collections.abc import Collection, Mapping, Sequence
from struct import Struct, unpack_from
from typing import Final

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.dynamixel.wire.instructions import (
    BROADCAST,
    HIGHEST_ID,
    Instruction,
    any_id,
    distinct_ids,
    octets,
    servo_id,
    whole,
)

# The checksum of Protocol 2.0: CRC-16 with polynomial 0x8005, initial value 0, not reflected (CRC-16/UMTS).

POLYNOMIAL: Final = 0x8005


def _byte_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte << 8
        for _ in range(8):
            value = (value << 1 ^ (POLYNOMIAL if value & 0x8000 else 0)) & 0xFFFF
        table.append(value)
    return tuple(table)


_BYTES: Final = _byte_table()


# Checksum of every pair of bytes, for one look-up per two bytes. As an array of 128 KB it stays in the processor's
# cache: 286 bytes, the answer of 20 servos, take 8 us; with a list of integers of 2.5 MB they take 23 us.
_WORDS: Final = array(
    "H", (_BYTES[high >> 8 ^ low] ^ (high << 8 & 0xFF00) for high in _BYTES for low in range(256))
)
_PAIRS: Final = [Struct(f">{pairs}H").unpack_from for pairs in range(160)]


def crc16(data: bytes | bytearray, start: int = 0) -> int:
    """Return the checksum of ``data``; ``start`` is the checksum of the bytes before it."""
    size = len(data)
    pairs = _PAIRS[size >> 1](data) if size < 320 else unpack_from(f">{size >> 1}H", data)
    words, value = _WORDS, start
    for pair in pairs:
        value = words[value ^ pair]
    if size & 1:
        value = (value << 8 & 0xFF00) ^ _BYTES[(value >> 8) ^ data[-1]]
    return value


HEADER: Final = b"\xff\xff\xfd\x00"
HEADER_1: Final = b"\xff\xff"
# inside a packet another FD follows it, so that a header is only at the beginning
STUFFED: Final = b"\xff\xff\xfd"
MAX_PACKET: Final = 4096  # bytes; a sync write of 16 bytes to 230 servos, far more than a servo accepts
MAX_PARAMETERS_1: Final = 253  # bytes: the length of a 1.0 packet is one byte, and counts two more
OVERHEAD: Final = 7  # bytes before the instruction

CLEARED: Final = {"turns": b"\x01\x44\x58\x4c\x22", "errors": b"\x02\x45\x52\x43\x4c"}  # and what confirms it
BACKUPS: Final = {"store": b"\x01\x43\x54\x52\x4c", "restore": b"\x02\x43\x54\x52\x4c"}
RESET_ALL: Final = 0xFF
RESET_BUT_ID: Final = 0x01
RESET_BUT_ID_AND_BAUD: Final = 0x02

_ID: Final = {id: bytes((id,)) for id in range(HIGHEST_ID + 1)}
_HEAD: Final = Struct("<4sBH")
SPANS: Final = {1: Struct("<BB"), 2: Struct("<HH")}  # by protocol: address and size
_MOST: Final = {1: 0xFF, 2: 0xFFFF}  # of them


def checksum(body: bytes | bytearray) -> int:
    """Return the checksum of a 1.0 packet: of its id, length, instruction and parameters."""
    return ~sum(body) & 0xFF


def stuff(body: bytes) -> bytes:
    """Stuff instruction and parameters as they are sent: with an FD after each FF FF FD."""
    return body.replace(STUFFED, STUFFED + b"\xfd") if STUFFED in body else body


def unstuff(body: bytes) -> bytes:
    """Return the inverse of ``stuff``."""
    return body.replace(STUFFED + b"\xfd", STUFFED) if STUFFED in body else body


def instruction(id: int, code: int, parameters: bytes = b"", protocol: int = 2) -> bytes:
    """Return a packet with any instruction to one servo or, with id 0xFE, to all."""
    return _packet(any_id(id), whole("code", code, 0, 255), octets("parameters", parameters), protocol)


def ping(id: int = BROADCAST, protocol: int = 2) -> bytes:
    """Ping one servo, or all, which answer one after the other.

    The answer has model number (2 bytes) and firmware version (1 byte); of 1.0 it is empty.
    """
    return instruction(id, Instruction.PING, protocol=protocol)


def read(id: int, address: int, size: int, protocol: int = 2) -> bytes:
    """Ask one servo for ``size`` bytes."""
    return _packet(servo_id(id), Instruction.READ, _span(address, size, protocol), protocol)


def write(id: int, address: int, data: bytes, protocol: int = 2) -> bytes:
    """Write bytes to one servo, or the same to all, which then do not answer."""
    return instruction(id, Instruction.WRITE, _placed(address, data, protocol), protocol)


def reg_write(id: int, address: int, data: bytes, protocol: int = 2) -> bytes:
    """Prepare bytes to be written by ``action``."""
    return instruction(id, Instruction.REG_WRITE, _placed(address, data, protocol), protocol)


def action(id: int = BROADCAST, protocol: int = 2) -> bytes:
    """Carry out the write that ``reg_write`` prepared."""
    return instruction(id, Instruction.ACTION, protocol=protocol)


def factory_reset(id: int, scope: int = RESET_BUT_ID_AND_BAUD, protocol: int = 2) -> bytes:
    """Reset the control table: RESET_ALL, RESET_BUT_ID or RESET_BUT_ID_AND_BAUD. Of 1.0: RESET_ALL (id 1 then)."""
    if protocol == 1:
        if scope != RESET_ALL:
            raise CommandError(f"scope is {scope!r}; protocol 1 knows 255 (all) only")
        return instruction(id, Instruction.FACTORY_RESET, protocol=1)
    if scope not in (RESET_ALL, RESET_BUT_ID, RESET_BUT_ID_AND_BAUD):
        raise CommandError(
            f"scope is {scope!r}; it must be 255 (all), 1 (all but id) or 2 (all but id and baud rate)"
        )
    return instruction(id, Instruction.FACTORY_RESET, bytes((scope,)))


def reboot(id: int, protocol: int = 2) -> bytes:
    """Restart: the RAM is lost, also the turn count; the only way out of a shutdown."""
    return instruction(id, Instruction.REBOOT, protocol=protocol)


def clear(id: int, what: str) -> bytes:
    """Reduce the present position to one turn (refused while the axis turns), or clear the errors of the Y series."""
    return instruction(id, Instruction.CLEAR, _confirmed(what, CLEARED))


def backup(id: int, what: str) -> bytes:
    """Store the present control table in the servo (refused while torque is on), or restore the stored one."""
    return instruction(id, Instruction.BACKUP, _confirmed(what, BACKUPS))


def _confirmed(what: object, keys: Mapping[str, bytes]) -> bytes:
    if not isinstance(what, str) or what not in keys:
        raise CommandError(f"what is {what!r}; it must be one of: {', '.join(keys)}")
    return keys[what]


def sync_read(address: int, size: int, ids: Collection[int]) -> bytes:
    """Ask several servos for the same items: one status each, in the order of ``ids``."""
    return _packet(BROADCAST, Instruction.SYNC_READ, _span(address, size) + bytes(distinct_ids(ids)))


def fast_sync_read(address: int, size: int, ids: Collection[int]) -> bytes:
    """Like ``sync_read``; all servos answer in one packet (see ``fast_status``)."""
    return _packet(BROADCAST, Instruction.FAST_SYNC_READ, _span(address, size) + bytes(distinct_ids(ids)))


def sync_write(address: int, size: int, data: Mapping[int, bytes], protocol: int = 2) -> bytes:
    """Write the same items of several servos, ``size`` bytes each; servos do not answer."""
    try:
        body = b"".join([_ID[id] + item for id, item in data.items()])
    except (KeyError, TypeError):  # the slower checks give a detailed error
        body = b"".join([bytes((id,)) + octets("data", data[id]) for id in distinct_ids(data)])
    if not data or set(map(len, data.values())) != {size}:
        distinct_ids(data)
        wrong = [id for id, item in data.items() if len(item) != size]
        raise CommandError(f"data of id {wrong[0]} has {len(data[wrong[0]])} bytes; size is {size}")
    return _packet(BROADCAST, Instruction.SYNC_WRITE, _span(address, size, protocol) + body, protocol)


def bulk_read(items: Sequence[tuple[int, int, int]], protocol: int = 2) -> bytes:
    """Ask for ``(id, address, size)`` each: one status each, in this order."""
    return _packet(BROADCAST, Instruction.BULK_READ, _asked(items, protocol), protocol)


def fast_bulk_read(items: Sequence[tuple[int, int, int]]) -> bytes:
    """Like ``bulk_read``; all servos answer in one packet (see ``fast_status``)."""
    return _packet(BROADCAST, Instruction.FAST_BULK_READ, _asked(items))


def bulk_write(items: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Write ``(id, address, data)`` each; servos do not answer."""
    distinct_ids([id for id, _, _ in items])
    parts = [bytes((id,)) + _span(address, len(data)) + octets("data", data) for id, address, data in items]
    return _packet(BROADCAST, Instruction.BULK_WRITE, b"".join(parts))


def status(id: int, error: int, data: bytes = b"", protocol: int = 2) -> bytes:
    """Return the answer of a servo.

    error: a ``Fault``, with ALERT (0x80) while the servo has a hardware error; of 1.0 bits of ``Error1``.
    """
    error, data = whole("error", error, 0, 255), octets("data", data)
    if protocol == 1:
        return _packet(servo_id(id), error, data, 1)
    return _packet(servo_id(id), Instruction.STATUS, bytes((error,)) + data)


def quick_status(id: int, error: int, data: bytes) -> bytes:
    """Like ``status`` but without checks, because a virtual servo makes a thousand of them a second."""
    if (
        len(data) > 200 or error == 0xFF or STUFFED in data
    ):  # with error 0xFF, stuffing may begin at that byte
        return status(id, error, data)
    body = HEADER + bytes((id, len(data) + 4, 0, 0x55, error)) + data
    return body + crc16(body).to_bytes(2, "little")


def fast_status(blocks: Sequence[tuple[int, int, bytes]]) -> bytes:
    """Return the answer of several servos to a fast read, each with ``(id, error, data)``.

    It is not stuffed. The CRC of each servo covers all bytes so far, earlier CRCs included; the last one is that of the
    packet.
    """
    parts = [
        bytes((whole("error", error, 0, 255), servo_id(id))) + octets("data", data)
        for id, error, data in blocks
    ]
    length = 1 + sum(len(part) + 2 for part in parts)
    packet = _head(BROADCAST, length) + bytes((Instruction.STATUS,))
    value, done = 0, 0
    for part in parts:
        packet += part
        value = crc16(packet[done:], value)
        done = len(packet)
        packet += value.to_bytes(2, "little")
    return packet


def _packet(id: int, code: int, parameters: bytes, protocol: int = 2) -> bytes:
    if protocol == 1:
        if len(parameters) > MAX_PARAMETERS_1:
            raise CommandError(
                f"{len(parameters)} bytes of parameters are too many for protocol 1.0 (limit: {MAX_PARAMETERS_1})"
            )
        body = bytes((id, len(parameters) + 2, code)) + parameters
        return HEADER_1 + body + bytes((checksum(body),))
    body = stuff(bytes((code,)) + parameters)
    packet = _head(id, len(body) + 2) + body
    return packet + crc16(packet).to_bytes(2, "little")


def _head(id: int, length: int) -> bytes:
    if length + OVERHEAD > MAX_PACKET:
        raise CommandError(f"a packet of {length + OVERHEAD} bytes is too long (limit: {MAX_PACKET})")
    return _HEAD.pack(HEADER, id, length)


def _span(address: int, size: int, protocol: int = 2) -> bytes:
    most = _MOST[protocol]
    return SPANS[protocol].pack(whole("address", address, 0, most), whole("size", size, 1, most))


def _placed(address: int, data: bytes, protocol: int) -> bytes:
    return whole("address", address, 0, _MOST[protocol]).to_bytes(protocol, "little") + octets("data", data)


def _asked(items: Sequence[tuple[int, int, int]], protocol: int = 2) -> bytes:
    distinct_ids([id for id, _, _ in items])
    if protocol == 2:
        return b"".join(bytes((id,)) + _span(address, size) for id, address, size in items)
    rows = [
        (whole("size", size, 1, 255), id, whole("address", address, 0, 255)) for id, address, size in items
    ]
    return b"\0" + b"".join(map(bytes, rows))
