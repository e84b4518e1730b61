# SPDX-License-Identifier: Apache-2.0
"""Decodes a servo bus into events and encodes them: both directions and both protocols on one wire."""

from collections.abc import Sequence
from struct import iter_unpack, unpack_from

from embodiment_bridge.core.errors import CommandError, ConfigError, unknown
from embodiment_bridge.dynamixel.wire import events, packet
from embodiment_bridge.dynamixel.wire.decoder import Packet, PacketDecoder
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
from embodiment_bridge.wire.codec import Malformed, Truncated, Unknown, excerpt

Event = events.Event | Malformed | Unknown
DIALECTS = {"1.0": (1,), "2.0": (2,), "both": (1, 2)}
ONLY_2 = (
    Instruction.CLEAR, Instruction.BACKUP, Instruction.SYNC_READ, Instruction.FAST_SYNC_READ, Instruction.BULK_WRITE,
    Instruction.FAST_BULK_READ,
)  # fmt: skip
BARE: dict[int, type[events.Ping | events.Action | events.Reboot]] = {
    Instruction.PING: events.Ping,
    Instruction.ACTION: events.Action,
    Instruction.REBOOT: events.Reboot,
}
KEYS = {key: name for names in (packet.CLEARED, packet.BACKUPS) for name, key in names.items()}


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
        # For 1.0, by id: the packet, and the sizes that its answer may have.
        self._asked: dict[int, tuple[bytes, tuple[int, ...]]] = {}

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
        """Return the packet of one instruction or status.

        Raises:
            CommandError: a field is wrong; the text names the field, its value and the range.
        """
        return _whole_packet(command.raw) if isinstance(command, Unknown) else write_event(command)

    def _read(self, found: Packet) -> Event:
        if found.protocol == 1 and self._is_answer(found):
            names, data = bit_names(found.instruction), tuple(found.parameters)
            return events.Status(found.id, names, False, data, 1, found.offset)
        if found.protocol == 2 and found.instruction == Instruction.STATUS:
            if found.id == BROADCAST:
                return read_fast_status(found) or Unknown(found.offset, found.raw)
            name, alert = fault_name(found.error), bool(found.error & ALERT)
            return events.Status(found.id, name, alert, tuple(found.parameters), 2, found.offset)
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
        """Return whether a 1.0 packet is a status: it looks like an instruction, so the packet before decides."""
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


def write_event(event: events.Event) -> bytes:
    """Return the packet of one instruction or status.

    Raises:
        CommandError: a field cannot be sent; the text names it, its value and the range.
    """
    if not isinstance(event, events.COMMANDS):
        kinds = (kind.__name__ for kind in events.COMMANDS)
        raise CommandError(unknown("command", type(event).__name__, kinds))
    whole("offset", event.offset, 0, 1 << 62)
    protocol = whole("protocol", getattr(event, "protocol", 2), 1, 2)
    match event:
        case events.Ping():
            return packet.ping(event.id, protocol)
        case events.Read():
            return packet.read(event.id, event.address, event.size, protocol)
        case events.Write():
            return packet.write(event.id, event.address, octets("data", event.data), protocol)
        case events.RegWrite():
            return packet.reg_write(event.id, event.address, octets("data", event.data), protocol)
        case events.Action():
            return packet.action(event.id, protocol)
        case events.FactoryReset():
            return packet.factory_reset(event.id, event.scope, protocol)
        case events.Reboot():
            return packet.reboot(event.id, protocol)
        case events.Clear():
            return packet.clear(event.id, event.what)
        case events.Backup():
            return packet.backup(event.id, event.what)
        case events.SyncRead():
            return packet.sync_read(event.address, event.size, _ids(event.ids))
        case events.FastSyncRead():
            return packet.fast_sync_read(event.address, event.size, _ids(event.ids))
        case events.SyncWrite():
            ids, data = _ids(event.ids), _data(event.data, len(event.ids))
            return packet.sync_write(event.address, len(data[0]), dict(zip(ids, data, strict=True)), protocol)
        case events.BulkRead():
            return packet.bulk_read(_asked(event), protocol)
        case events.FastBulkRead():
            return packet.fast_bulk_read(_asked(event))
        case events.BulkWrite():
            ids, data = _ids(event.ids), _data(event.data, len(event.ids))
            addresses = _numbers("addresses", event.addresses, len(ids), 0)
            return packet.bulk_write(list(zip(ids, addresses, data, strict=True)))
        case events.Status():
            alert = ALERT if _flag("alert", event.alert) else 0
            if protocol == 1 and alert:
                raise CommandError("alert is True; a status of protocol 1 has no alert")
            error = bits(event.error) if protocol == 1 else fault_number(event.error) | alert
            return packet.status(event.id, error, octets("data", event.data), protocol)
        case _:
            return _write_fast_status(event)


def _asked(event: events.BulkRead | events.FastBulkRead) -> list[tuple[int, int, int]]:
    ids = _ids(event.ids)
    addresses = _numbers("addresses", event.addresses, len(ids), 0)
    return list(zip(ids, addresses, _numbers("sizes", event.sizes, len(ids), 1), strict=True))


def _write_fast_status(event: events.FastStatus) -> bytes:
    ids = [servo_id(id, "ids") for id in _rows("ids", event.ids)]
    errors = [fault_number(name) for name in _rows("errors", event.errors, len(ids))]
    alerts = [_flag("alerts", alert) for alert in _rows("alerts", event.alerts, len(ids))]
    rows = zip(ids, errors, alerts, _data(event.data, len(ids)), strict=True)
    return packet.fast_status([(id, error | alert * ALERT, data) for id, error, alert, data in rows])


def _ids(ids: object) -> list[int]:
    return distinct_ids(_rows("ids", ids))


def _data(data: object, count: int) -> list[bytes]:
    return [octets("data", item) for item in _rows("data", data, count)]


def _numbers(name: str, values: object, count: int, least: int) -> list[int]:
    return [whole(name, value, least, 0xFFFF) for value in _rows(name, values, count)]


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


class Unfit(Exception):  # noqa: N818 - not an error: it ends the reading of one packet
    """Reports that the parameters do not fit the instruction."""


def read_instruction(found: Packet) -> events.Event | None:
    """Return the event of an instruction, or None if the instruction is unknown.

    Raises:
        Unfit: the parameters do not fit the instruction.
    """
    id, protocol, at, body = found.id, found.protocol, found.offset, found.parameters
    code = found.instruction
    if protocol == 1 and code in ONLY_2:
        return None
    match code:
        case Instruction.PING | Instruction.ACTION | Instruction.REBOOT:
            _need(not body)
            return BARE[code](id, protocol, at)
        case Instruction.READ:
            _need(len(body) == 2 * protocol)
            return events.Read(id, *_span(found), protocol, at)
        case Instruction.WRITE | Instruction.REG_WRITE:
            _need(len(body) > protocol)
            write = events.Write if code == Instruction.WRITE else events.RegWrite
            address = int.from_bytes(body[:protocol], "little")
            return write(id, address, tuple(body[protocol:]), protocol, at)
        case Instruction.FACTORY_RESET:
            _need(len(body) == protocol - 1)
            return events.FactoryReset(id, body[0] if body else packet.RESET_ALL, protocol, at)
        case Instruction.CLEAR:
            _need(body in packet.CLEARED.values())
            return events.Clear(id, KEYS[body], at)
        case Instruction.BACKUP:
            _need(body in packet.BACKUPS.values())
            return events.Backup(id, KEYS[body], at)
        case Instruction.SYNC_READ | Instruction.FAST_SYNC_READ:
            _need(id == BROADCAST and len(body) > 4)
            sync_read = events.SyncRead if code == Instruction.SYNC_READ else events.FastSyncRead
            return sync_read(*_span(found), tuple(body[4:]), at)
        case Instruction.SYNC_WRITE:
            return _read_sync_write(found)
        case Instruction.BULK_READ | Instruction.FAST_BULK_READ:
            return _read_bulk_read(found)
        case Instruction.BULK_WRITE:
            return _read_bulk_write(found)
    return None


def _read_sync_write(found: Packet) -> events.SyncWrite:
    body = found.parameters[2 * found.protocol :]
    _need(found.id == BROADCAST and bool(body))
    address, size = _span(found)
    _need(size > 0 and len(body) % (size + 1) == 0)
    rows = [body[at : at + size + 1] for at in range(0, len(body), size + 1)]
    ids, data = tuple(row[0] for row in rows), tuple(tuple(row[1:]) for row in rows)
    return events.SyncWrite(address, ids, data, found.protocol, found.offset)


def _read_bulk_read(found: Packet) -> events.BulkRead | events.FastBulkRead:
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


def _read_bulk_write(found: Packet) -> events.BulkWrite:
    ids, addresses, data = [], [], []
    at, body = 0, found.parameters
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


def read_fast_status(found: Packet) -> events.FastStatus | None:
    """Return the event of an answer to a fast read, or None if the packet is not one.

    The end of a block is found by its CRC, which covers all bytes so far, so that the question need not be known.
    """
    raw = found.raw
    blocks: list[tuple[int, int, tuple[int, ...]]] = []
    begin = packet.OVERHEAD + 1
    value, at = packet.crc16(raw[:begin]), begin
    while at < len(raw) - 1:
        if at >= begin + 2 and value == raw[at] | raw[at + 1] << 8:
            blocks.append((raw[begin], raw[begin + 1], tuple(raw[begin + 2 : at])))
            value = packet.crc16(raw[at : at + 2], value)
            at = begin = at + 2
        else:
            value = packet.crc16(raw[at : at + 1], value)
            at += 1
    if begin != len(raw) or not blocks:
        return None
    errors, ids, data = zip(*blocks, strict=True)
    alerts = tuple(bool(error & ALERT) for error in errors)
    return events.FastStatus(ids, tuple(map(fault_name, errors)), alerts, data, found.offset)


def _span(found: Packet) -> tuple[int, int]:
    """Return address and size at the beginning of the parameters."""
    address, size = packet.SPANS[found.protocol].unpack_from(found.parameters)
    return address, size


def _need(fits: bool) -> None:
    if not fits:
        raise Unfit
