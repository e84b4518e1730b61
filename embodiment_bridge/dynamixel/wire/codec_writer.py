# SPDX-License-Identifier: Apache-2.0
"""Converts events to packets. CommandError names a field that cannot be sent, its value and the range."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.dynamixel.wire import events, packet, packet1
from embodiment_bridge.dynamixel.wire.arguments import distinct_ids, octets, servo_id, whole
from embodiment_bridge.dynamixel.wire.codec_names import bits, fault_number
from embodiment_bridge.dynamixel.wire.instructions import ALERT


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


def _factory_reset(event: events.FactoryReset) -> bytes:
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


def _sync_read(
    function: Callable[[int, int, list[int]], bytes],
) -> Callable[[events.SyncRead | events.FastSyncRead], bytes]:
    return lambda event: function(event.address, event.size, _ids(event.ids))


def _sync_write(event: events.SyncWrite) -> bytes:
    ids = _ids(event.ids)
    data = [octets("data", item) for item in _rows("data", event.data, len(ids))]
    write = packet1.sync_write if event.protocol == 1 else packet.sync_write
    return write(event.address, len(data[0]), dict(zip(ids, data, strict=True)))


def _asked(event: events.BulkRead | events.FastBulkRead) -> list[tuple[int, int, int]]:
    ids = _ids(event.ids)
    addresses = [whole("addresses", item, 0, 65535) for item in _rows("addresses", event.addresses, len(ids))]
    sizes = [whole("sizes", item, 1, 65535) for item in _rows("sizes", event.sizes, len(ids))]
    return list(zip(ids, addresses, sizes, strict=True))


def _bulk_read(event: events.BulkRead) -> bytes:
    read = packet1.bulk_read if event.protocol == 1 else packet.bulk_read
    return read(_asked(event))


def _bulk_write(event: events.BulkWrite) -> bytes:
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
    events.FactoryReset: _factory_reset,
    events.Reboot: _simple("reboot", "id"),
    events.Clear: _chosen({"turns": packet.clear_turns, "errors": packet.clear_errors}),
    events.Backup: _chosen({"store": packet.backup_store, "restore": packet.backup_restore}),
    events.SyncRead: _sync_read(packet.sync_read),
    events.FastSyncRead: _sync_read(packet.fast_sync_read),
    events.SyncWrite: _sync_write,
    events.BulkRead: _bulk_read,
    events.FastBulkRead: lambda event: packet.fast_bulk_read(_asked(event)),
    events.BulkWrite: _bulk_write,
    events.Status: _status,
    events.FastStatus: _fast_status,
}
