# SPDX-License-Identifier: Apache-2.0
"""Converts packets to events."""

from collections.abc import Callable
from struct import iter_unpack, unpack_from
from typing import Final

from embodiment_bridge.dynamixel.wire import events, packet
from embodiment_bridge.dynamixel.wire.codec_names import bit_names, fault_name
from embodiment_bridge.dynamixel.wire.crc import crc16
from embodiment_bridge.dynamixel.wire.decoder import Packet
from embodiment_bridge.dynamixel.wire.instructions import ALERT, BROADCAST, Instruction
from embodiment_bridge.dynamixel.wire.packet import OVERHEAD

Reader = Callable[[Packet], events.Event]


class Unfit(Exception):  # noqa: N818 - not an error: it ends the reading of one packet
    """The parameters do not fit the instruction."""


def read_instruction(found: Packet) -> events.Event | None:
    """The event of an instruction, or None if the instruction is unknown.

    Raises:
        Unfit: the parameters do not fit the instruction.
    """
    reader = _READERS.get((found.protocol, found.instruction))
    return reader(found) if reader else None


def read_status(found: Packet, error: int, data: bytes) -> events.Status:
    """The event of a status of one servo."""
    if found.protocol == 1:
        return events.Status(found.id, bit_names(error), False, tuple(data), 1, found.offset)
    return events.Status(found.id, fault_name(error), bool(error & ALERT), tuple(data), 2, found.offset)


def read_fast_status(found: Packet) -> events.FastStatus | None:
    """The event of an answer to a fast read, or None if the packet is not one.

    The end of a block is found by its CRC, which covers all bytes so far, so that the question need not be known.
    """
    raw = found.raw
    blocks: list[tuple[int, int, tuple[int, ...]]] = []
    begin = OVERHEAD + 1
    value, at = crc16(raw[:begin]), begin
    while at < len(raw) - 1:
        if at >= begin + 2 and value == raw[at] | raw[at + 1] << 8:
            blocks.append((raw[begin], raw[begin + 1], tuple(raw[begin + 2 : at])))
            value = crc16(raw[at : at + 2], value)
            at = begin = at + 2
        else:
            value = crc16(raw[at : at + 1], value)
            at += 1
    if begin != len(raw) or not blocks:
        return None
    return events.FastStatus(
        ids=tuple(id for _, id, _ in blocks),
        errors=tuple(fault_name(error) for error, _, _ in blocks),
        alerts=tuple(bool(error & ALERT) for error, _, _ in blocks),
        data=tuple(data for _, _, data in blocks),
        offset=found.offset,
    )


def _bare(kind: Callable[[int, int, int], events.Event]) -> Reader:
    def read(found: Packet) -> events.Event:
        _need(not found.parameters)
        return kind(found.id, found.protocol, found.offset)

    return read


def _placed(kind: Callable[[int, int, events.Bytes, int, int], events.Event]) -> Reader:
    def read(found: Packet) -> events.Event:
        width = found.protocol
        _need(len(found.parameters) > width)
        address = int.from_bytes(found.parameters[:width], "little")
        return kind(found.id, address, tuple(found.parameters[width:]), found.protocol, found.offset)

    return read


def _keyed(kind: Callable[[int, str, int], events.Event], keys: dict[bytes, str]) -> Reader:
    def read(found: Packet) -> events.Event:
        _need(found.parameters in keys)
        return kind(found.id, keys[found.parameters], found.offset)

    return read


def _read(found: Packet) -> events.Read:
    _need(len(found.parameters) == 2 * found.protocol)
    address, size = unpack_from("<BB" if found.protocol == 1 else "<HH", found.parameters)
    return events.Read(found.id, address, size, found.protocol, found.offset)


def _factory_reset(found: Packet) -> events.FactoryReset:
    _need(len(found.parameters) == found.protocol - 1)
    scope = found.parameters[0] if found.parameters else packet.RESET_ALL
    return events.FactoryReset(found.id, scope, found.protocol, found.offset)


def _sync_read(kind: Callable[[int, int, events.Bytes, int], events.Event]) -> Reader:
    def read(found: Packet) -> events.Event:
        _need(found.id == BROADCAST and len(found.parameters) > 4)
        address, size = unpack_from("<HH", found.parameters)
        return kind(address, size, tuple(found.parameters[4:]), found.offset)

    return read


def _sync_write(found: Packet) -> events.SyncWrite:
    head = 2 * found.protocol
    body = found.parameters[head:]
    _need(found.id == BROADCAST and bool(body))
    address, size = unpack_from("<BB" if found.protocol == 1 else "<HH", found.parameters)
    _need(size > 0 and len(body) % (size + 1) == 0)
    rows = [body[at : at + size + 1] for at in range(0, len(body), size + 1)]
    ids, data = tuple(row[0] for row in rows), tuple(tuple(row[1:]) for row in rows)
    return events.SyncWrite(address, ids, data, found.protocol, found.offset)


def _bulk_read(found: Packet) -> events.BulkRead | events.FastBulkRead:
    _need(found.id == BROADCAST and len(found.parameters) > 3)
    if found.protocol == 1:
        _need(found.parameters[0] == 0 and len(found.parameters) % 3 == 1)
        rows = [(id, address, size) for size, id, address in iter_unpack("<BBB", found.parameters[1:])]
    else:
        _need(len(found.parameters) % 5 == 0)
        rows = list(iter_unpack("<BHH", found.parameters))
    ids, addresses, sizes = zip(*rows, strict=True)
    if found.instruction == Instruction.FAST_BULK_READ:
        return events.FastBulkRead(ids, addresses, sizes, found.offset)
    return events.BulkRead(ids, addresses, sizes, found.protocol, found.offset)


def _bulk_write(found: Packet) -> events.BulkWrite:
    ids, addresses, data = [], [], []
    at = 0
    body = found.parameters
    _need(found.id == BROADCAST and bool(body))
    while at < len(body):
        _need(len(body) >= at + 5)
        id, address, size = unpack_from("<BHH", body, at)
        _need(0 < size <= len(body) - at - 5)
        ids.append(id)
        addresses.append(address)
        data.append(tuple(body[at + 5 : at + 5 + size]))
        at += 5 + size
    return events.BulkWrite(tuple(ids), tuple(addresses), tuple(data), found.offset)


def _need(fits: bool) -> None:
    if not fits:
        raise Unfit


_BOTH: Final[dict[int, Reader]] = {
    Instruction.PING: _bare(events.Ping),
    Instruction.READ: _read,
    Instruction.WRITE: _placed(events.Write),
    Instruction.REG_WRITE: _placed(events.RegWrite),
    Instruction.ACTION: _bare(events.Action),
    Instruction.FACTORY_RESET: _factory_reset,
    Instruction.REBOOT: _bare(events.Reboot),
    Instruction.SYNC_WRITE: _sync_write,
    Instruction.BULK_READ: _bulk_read,
}
_READERS: Final[dict[tuple[int, int], Reader]] = {
    **{(protocol, code): reader for protocol in (1, 2) for code, reader in _BOTH.items()},
    (2, Instruction.CLEAR): _keyed(events.Clear, {packet.TURNS: "turns", packet.ERRORS: "errors"}),
    (2, Instruction.BACKUP): _keyed(events.Backup, {packet.STORE: "store", packet.RESTORE: "restore"}),
    (2, Instruction.SYNC_READ): _sync_read(events.SyncRead),
    (2, Instruction.FAST_SYNC_READ): _sync_read(events.FastSyncRead),
    (2, Instruction.FAST_BULK_READ): _bulk_read,
    (2, Instruction.BULK_WRITE): _bulk_write,
}
