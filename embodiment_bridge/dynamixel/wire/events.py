# SPDX-License-Identifier: Apache-2.0
"""The events of a servo bus: instructions of the host and statuses of the servos. Each can be decoded and encoded.

``protocol`` is 1 or 2. ``offset`` is the place of the first byte in the stream; 0 in events that are to be sent.
Addresses and sizes are bytes of the control table. Bytes are numbers from 0 to 255; lists have one entry per id.
"""

from dataclasses import dataclass
from typing import Final

Bytes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ping:
    """``01``: ping one servo, or all with id 254."""

    id: int
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Read:
    """``02 address size``."""

    id: int
    address: int
    size: int
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Write:
    """``03 address data``."""

    id: int
    address: int
    data: Bytes
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class RegWrite:
    """``04 address data``: prepare a write for the next ``Action``."""

    id: int
    address: int
    data: Bytes
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Action:
    """``05``: do the write that ``RegWrite`` prepared."""

    id: int
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class FactoryReset:
    """``06 scope``: 255 all, 1 all but the id, 2 all but id and baud rate; of protocol 1 it is always all."""

    id: int
    scope: int = 255
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Reboot:
    """``08``: restart."""

    id: int
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Clear:
    """``10``: clear ``turns`` (of the present position) or ``errors`` (Y series)."""

    id: int
    what: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Backup:
    """``20``: ``store`` or ``restore`` the control table."""

    id: int
    what: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class SyncRead:
    """``82 address size ids``: read the same items of several servos."""

    address: int
    size: int
    ids: Bytes
    offset: int = 0


@dataclass(frozen=True, slots=True)
class FastSyncRead:
    """``8A address size ids``: as ``SyncRead``, answered by one ``FastStatus``."""

    address: int
    size: int
    ids: Bytes
    offset: int = 0


@dataclass(frozen=True, slots=True)
class SyncWrite:
    """``83 address size (id data)*``: write data to each id, all of one size."""

    address: int
    ids: Bytes
    data: tuple[Bytes, ...]
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class BulkRead:
    """``92 (id address size)*``."""

    ids: Bytes
    addresses: tuple[int, ...]
    sizes: tuple[int, ...]
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class FastBulkRead:
    """``9A (id address size)*``: as ``BulkRead``, answered by one ``FastStatus``."""

    ids: Bytes
    addresses: tuple[int, ...]
    sizes: tuple[int, ...]
    offset: int = 0


@dataclass(frozen=True, slots=True)
class BulkWrite:
    """``93 (id address size data)*``."""

    ids: Bytes
    addresses: tuple[int, ...]
    data: tuple[Bytes, ...]
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """``55 error data``: the answer of a servo.

    error: empty, or the name of a ``Fault``; for protocol 1 the names of bits of ``Error1``, joined by ``+``. alert:
    the servo has a hardware error (protocol 2).
    """

    id: int
    error: str = ""
    alert: bool = False
    data: Bytes = ()
    protocol: int = 2
    offset: int = 0


@dataclass(frozen=True, slots=True)
class FastStatus:
    """``55 (error id data crc)*``: the answer of several servos to a fast read, in one packet."""

    ids: Bytes
    errors: tuple[str, ...]
    alerts: tuple[bool, ...]
    data: tuple[Bytes, ...]
    offset: int = 0


COMMANDS: Final = (
    Ping, Read, Write, RegWrite, Action, FactoryReset, Reboot, Clear, Backup, SyncRead, FastSyncRead, SyncWrite,
    BulkRead, FastBulkRead, BulkWrite, Status, FastStatus,
)  # fmt: skip
Event = (
    Ping | Read | Write | RegWrite | Action | FactoryReset | Reboot | Clear | Backup | SyncRead | FastSyncRead
    | SyncWrite | BulkRead | FastBulkRead | BulkWrite | Status | FastStatus
)  # fmt: skip
