# SPDX-License-Identifier: Apache-2.0
"""Converts packets to events and events to packets.

CommandError names a field that cannot be sent, its value and the range.
"""

from collections.abc import Callable, Sequence
from struct import iter_unpack, unpack_from
from typing import Any, Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.dynamixel.wire import events, packet, packet1
from embodiment_bridge.dynamixel.wire.decoder import Packet
from embodiment_bridge.dynamixel.wire.instructions import (
    ALERT,
    BROADCAST,
    Instruction,
    bit_names,
    bits,
    distinct_ids,
    fault_name,
    fault_number,
    octets,
    servo_id,
    whole,
)
from embodiment_bridge.dynamixel.wire.packet import OVERHEAD, crc16


def write_event(event: events.Event) -> bytes:
    """The packet of one instruction or status."""
    writer = _WRITERS.get(type(event))
    if writer is None:
        kinds = (kind.__name__ for kind in events.COMMANDS)
        raise CommandError(unknown("command", type(event).__name__, kinds))
    whole("offset", event.offset, 0, 1 << 62)
    if hasattr(event, "protocol"):
        whole("protocol", event.protocol, 1, 2)
    return writer(event)


def _simple(function: str, *fields: str) -> Callable[[events.Event], bytes]:
    """A writer that calls this function of ``packet`` or ``packet1``, by the event's protocol."""

    def write(event: events.Event) -> bytes:
        module = packet1 if getattr(event, "protocol", 2) == 1 else packet
        made: bytes = getattr(module, function)(*(getattr(event, field) for field in fields))
        return made

    return write


def _write_factory_reset(event: events.FactoryReset) -> bytes:
    if event.protocol == 2:
        return packet.factory_reset(event.id, event.scope)
    if event.scope != packet.RESET_ALL or isinstance(event.scope, bool):
        raise CommandError(f"scope is {event.scope!r}; protocol 1 knows 255 (all) only")
    return packet1.factory_reset(event.id)


def _chosen(choices: dict[str, Callable[[int], bytes]]) -> Callable[[events.Clear | events.Backup], bytes]:
    def write(event: events.Clear | events.Backup) -> bytes:
        if not isinstance(event.what, str) or event.what not in choices:
            raise CommandError(f"what is {event.what!r}; it must be one of: {', '.join(choices)}")
        return choices[event.what](event.id)

    return write


def _write_sync_read(
    function: Callable[[int, int, list[int]], bytes],
) -> Callable[[events.SyncRead | events.FastSyncRead], bytes]:
    return lambda event: function(event.address, event.size, _ids(event.ids))


def _write_sync_write(event: events.SyncWrite) -> bytes:
    ids = _ids(event.ids)
    data = [octets("data", item) for item in _rows("data", event.data, len(ids))]
    write = packet1.sync_write if event.protocol == 1 else packet.sync_write
    return write(event.address, len(data[0]), dict(zip(ids, data, strict=True)))


def _asked(event: events.BulkRead | events.FastBulkRead) -> list[tuple[int, int, int]]:
    ids = _ids(event.ids)
    addresses = [whole("addresses", item, 0, 65535) for item in _rows("addresses", event.addresses, len(ids))]
    sizes = [whole("sizes", item, 1, 65535) for item in _rows("sizes", event.sizes, len(ids))]
    return list(zip(ids, addresses, sizes, strict=True))


def _write_bulk_read(event: events.BulkRead) -> bytes:
    read = packet1.bulk_read if event.protocol == 1 else packet.bulk_read
    return read(_asked(event))


def _write_bulk_write(event: events.BulkWrite) -> bytes:
    ids = _ids(event.ids)
    addresses = _rows("addresses", event.addresses, len(ids))
    data = [octets("data", item) for item in _rows("data", event.data, len(ids))]
    rows = [
        (id, whole("addresses", at, 0, 65535), item)
        for id, at, item in zip(ids, addresses, data, strict=True)
    ]
    return packet.bulk_write(rows)


def _status(event: events.Status) -> bytes:
    data = octets("data", event.data)
    alert = _flag("alert", event.alert)
    if event.protocol == 1:
        if alert:
            raise CommandError("alert is True; a status of protocol 1 has no alert")
        return packet1.status(event.id, bits(event.error), data)
    return packet.status(event.id, fault_number(event.error) | (ALERT if alert else 0), data)


def _fast_status(event: events.FastStatus) -> bytes:
    count = len(_rows("ids", event.ids))
    errors = [fault_number(name) for name in _rows("errors", event.errors, count)]
    alerts = [_flag("alerts", alert) for alert in _rows("alerts", event.alerts, count)]
    data = [octets("data", item) for item in _rows("data", event.data, count)]
    ids = [servo_id(id, "ids") for id in event.ids]
    rows = zip(ids, errors, alerts, data, strict=True)
    return packet.fast_status(
        [(id, error | (ALERT if alert else 0), item) for id, error, alert, item in rows]
    )


def _ids(ids: object) -> list[int]:
    return distinct_ids(_rows("ids", ids))


def _rows(name: str, value: object, count: int | None = None) -> Sequence[object]:
    """Check a list: not empty, and with ``count`` entries if that is given."""
    if not isinstance(value, tuple | list) or not value or (count is not None and len(value) != count):
        some = "at least one entry" if count is None else f"one entry for each of {count} ids"
        raise CommandError(f"{name} is {value!r}; it must be a list with {some}")
    return value


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise CommandError(f"{name} is {value!r}; it must be true or false")
    return value


_WRITERS: Final[dict[type, Callable[[Any], bytes]]] = {
    events.Ping: _simple("ping", "id"),
    events.Read: _simple("read", "id", "address", "size"),
    events.Write: _simple("write", "id", "address", "data"),
    events.RegWrite: _simple("reg_write", "id", "address", "data"),
    events.Action: _simple("action", "id"),
    events.FactoryReset: _write_factory_reset,
    events.Reboot: _simple("reboot", "id"),
    events.Clear: _chosen({"turns": packet.clear_turns, "errors": packet.clear_errors}),
    events.Backup: _chosen({"store": packet.backup_store, "restore": packet.backup_restore}),
    events.SyncRead: _write_sync_read(packet.sync_read),
    events.FastSyncRead: _write_sync_read(packet.fast_sync_read),
    events.SyncWrite: _write_sync_write,
    events.BulkRead: _write_bulk_read,
    events.FastBulkRead: lambda event: packet.fast_bulk_read(_asked(event)),
    events.BulkWrite: _write_bulk_write,
    events.Status: _status,
    events.FastStatus: _fast_status,
}


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
