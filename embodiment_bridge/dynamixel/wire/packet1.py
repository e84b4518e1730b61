# SPDX-License-Identifier: Apache-2.0
"""Makes packets of Protocol 1.0: ``FF FF | id | length | instruction | parameters | checksum`` (AX, RX, old MX).

Like ``packet.py``: pure functions that raise CommandError on arguments that cannot be sent. The only group read is
``bulk_read`` (MX only), and there is no stuffing. A servo of one protocol ignores packets of the other.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.dynamixel.wire.instructions import (
    BROADCAST,
    Instruction,
    any_id,
    distinct_ids,
    octets,
    servo_id,
    whole,
)

HEADER: Final = b"\xff\xff"
MAX_PARAMETERS: Final = 253  # the length byte counts two more


def checksum(body: bytes | bytearray) -> int:
    """The checksum of id, length, instruction and parameters."""
    return ~sum(body) & 0xFF


def instruction(id: int, code: int, parameters: bytes = b"") -> bytes:
    """A packet with any instruction to one servo or, with id 0xFE, to all."""
    return _packet(any_id(id), whole("code", code, 0, 255), octets("parameters", parameters))


def ping(id: int = BROADCAST) -> bytes:
    """Ping a servo. The answer is an empty status; the model number is at address 0."""
    return instruction(id, Instruction.PING)


def read(id: int, address: int, size: int) -> bytes:
    """Ask one servo for ``size`` bytes."""
    span = bytes((whole("address", address, 0, 255), whole("size", size, 1, 255)))
    return _packet(servo_id(id), Instruction.READ, span)


def write(id: int, address: int, data: bytes) -> bytes:
    """Write bytes to one servo, or the same to all, which then do not answer."""
    return instruction(id, Instruction.WRITE, _placed(address, data))


def reg_write(id: int, address: int, data: bytes) -> bytes:
    """Prepare bytes to be written by ``action``."""
    return instruction(id, Instruction.REG_WRITE, _placed(address, data))


def action(id: int = BROADCAST) -> bytes:
    """Carry out the write that ``reg_write`` prepared."""
    return instruction(id, Instruction.ACTION)


def factory_reset(id: int) -> bytes:
    """Reset the whole control table, the id (to 1) and baud rate included."""
    return instruction(id, Instruction.FACTORY_RESET)


def reboot(id: int) -> bytes:
    """Restart (MX only)."""
    return instruction(id, Instruction.REBOOT)


def sync_write(address: int, size: int, data: Mapping[int, bytes]) -> bytes:
    """Write the same items of several servos, ``size`` bytes each; servos do not answer."""
    parts = [bytes((whole("address", address, 0, 255), whole("size", size, 1, 252)))]
    for id in distinct_ids(data):
        if len(data[id]) != size:
            raise CommandError(f"data of id {id} has {len(data[id])} bytes; size is {size}")
        parts.append(bytes((id,)) + octets("data", data[id]))
    return _packet(BROADCAST, Instruction.SYNC_WRITE, b"".join(parts))


def bulk_read(items: Sequence[tuple[int, int, int]]) -> bytes:
    """Ask for ``(id, address, size)`` each: one status each, in this order (MX only)."""
    distinct_ids([id for id, _, _ in items])
    parts = [
        bytes((whole("size", size, 1, 255), id, whole("address", address, 0, 255)))
        for id, address, size in items
    ]
    return _packet(BROADCAST, Instruction.BULK_READ, b"\0" + b"".join(parts))


def status(id: int, error: int, data: bytes = b"") -> bytes:
    """The answer of a servo; ``error``: bits of ``Error1``."""
    return _packet(servo_id(id), whole("error", error, 0, 255), octets("data", data))


def _packet(id: int, code: int, parameters: bytes) -> bytes:
    if len(parameters) > MAX_PARAMETERS:
        raise CommandError(
            f"{len(parameters)} bytes of parameters are too many for protocol 1.0 (limit: {MAX_PARAMETERS})"
        )
    body = bytes((id, len(parameters) + 2, code)) + parameters
    return HEADER + body + bytes((checksum(body),))


def _placed(address: int, data: bytes) -> bytes:
    return bytes((whole("address", address, 0, 255),)) + octets("data", data)
