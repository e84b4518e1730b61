# SPDX-License-Identifier: Apache-2.0
"""The numbers of both protocols (https://emanual.robotis.com/docs/en/dxl/protocol2/ and protocol1/).

Instructions, ids, errors with their names, and checks of the fields of a packet.
"""

from collections.abc import Collection, Iterable
from enum import IntEnum, IntFlag
from typing import Final

from embodiment_bridge.core.errors import CommandError, unknown

BROADCAST: Final = 0xFE  # all servos execute it; they answer only to ping and group reads
HIGHEST_ID: Final = 252
ALERT: Final = 0x80  # bit of a 2.0 status error: the servo has a bit set in hardware_error_status


class Instruction(IntEnum):
    """The instruction byte of a packet. Protocol 1.0 has those up to 0x92 that are not sync read or write of 2.0."""

    PING = 0x01
    READ = 0x02
    WRITE = 0x03
    REG_WRITE = 0x04
    ACTION = 0x05
    FACTORY_RESET = 0x06
    REBOOT = 0x08
    CLEAR = 0x10
    BACKUP = 0x20
    STATUS = 0x55
    SYNC_READ = 0x82
    SYNC_WRITE = 0x83
    FAST_SYNC_READ = 0x8A
    BULK_READ = 0x92
    BULK_WRITE = 0x93
    FAST_BULK_READ = 0x9A


class Fault(IntEnum):
    """Error number of a 2.0 status, bits 0 to 6 of the error byte: why an instruction was not carried out."""

    NONE = 0
    RESULT = 1
    INSTRUCTION = 2
    CRC = 3
    DATA_RANGE = 4
    DATA_LENGTH = 5
    DATA_LIMIT = 6
    ACCESS = 7


class Error1(IntFlag):
    """Error bits of a 1.0 status."""

    VOLTAGE = 0x01
    ANGLE_LIMIT = 0x02
    OVERHEATING = 0x04
    RANGE = 0x08
    CHECKSUM = 0x10
    OVERLOAD = 0x20
    INSTRUCTION = 0x40


class HardwareError(IntFlag):
    """Bits of ``hardware_error_status`` (70) and of ``shutdown`` (63) of the X and MX series."""

    VOLTAGE = 0x01
    HALL = 0x02
    OVERHEATING = 0x04
    ENCODER = 0x08
    SHOCK = 0x10
    OVERLOAD = 0x20


def whole(name: str, value: object, lower: int, upper: int) -> int:
    """Check a whole number: from ``lower`` to ``upper``, both included."""
    if isinstance(value, int) and not isinstance(value, bool) and lower <= value <= upper:
        return int(value)
    raise CommandError(f"{name} is {value!r}; it must be a whole number from {lower} to {upper}")


def any_id(value: object) -> int:
    """Check the id of one servo, or the broadcast id."""
    if value == BROADCAST and isinstance(value, int):
        return int(value)
    return servo_id(value)


def servo_id(value: object, name: str = "id") -> int:
    """Check the id of one servo."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST_ID:
        return int(value)
    raise CommandError(f"{name} is {value!r}; a servo has an id from 0 to {HIGHEST_ID}")


def octets(name: str, value: object) -> bytes:
    """Check bytes, which may also be a sequence of numbers from 0 to 255."""
    if isinstance(value, (bytes, Iterable)) and not isinstance(value, str):
        try:
            return bytes(value)
        except (TypeError, ValueError):
            pass
    raise CommandError(f"{name} is {value!r}; it must be bytes, each from 0 to 255")


def distinct_ids(ids: Collection[object]) -> list[int]:
    """Check ids: at least one, none of them twice.

    A servo that is asked twice answers twice, and the servos after it then wait for the wrong answer.
    """
    found = [servo_id(each, "ids") for each in ids]
    if not found or len(set(found)) < len(found):
        raise CommandError(f"ids are {found!r}; they must be at least one, none of them twice")
    return found


# The error codes of the Y series, which reports one number where other servos report bits.

CODES: Final = {  # error_code: what other servos report
    1: HardwareError.VOLTAGE,
    2: HardwareError.VOLTAGE,
    3: HardwareError.OVERHEATING,
    4: HardwareError.OVERHEATING,
    5: HardwareError.OVERLOAD,
    7: HardwareError.SHOCK,  # inverter
    10: HardwareError.ENCODER,  # battery of the counter of turns
    11: HardwareError.ENCODER,  # turns lost
    12: HardwareError.ENCODER,  # counter of turns
    13: HardwareError.ENCODER,
    14: HardwareError.HALL,
    15: HardwareError.ENCODER,  # calibration
}
HARMLESS: Final = (0, 9, 17, 18, 19, 20)  # none, warning of the battery, and what the driver itself watches


def error_bits(code: int) -> HardwareError:
    """Return the bits of HardwareError for an error code.

    A code that is not known counts as a fault of the encoder.
    """
    if code in HARMLESS:
        return HardwareError(0)
    return CODES.get(code, HardwareError.ENCODER)


def error_code(bits: int) -> int:
    """Return the first error code that stands for one of these bits; 0 for none."""
    return next((code for code, bit in CODES.items() if bits & bit), 0)


# Converts error bytes of statuses to names, and back.

UNNAMED_FAULT = "error_"  # prefix for an error number that has no name in the manual
FAULT_NUMBERS = {fault.name.lower(): int(fault) for fault in Fault if fault}
ERROR_BITS = {(bit.name or "").lower(): int(bit) for bit in Error1} | {"bit_7": 0x80}


def fault_name(error: int) -> str:
    """Name of the error number in the error byte of protocol 2, without the alert bit."""
    number = error & ~ALERT
    if number in list(Fault):
        return Fault(number).name.lower() if number else ""
    return f"{UNNAMED_FAULT}{number}"


def fault_number(name: object) -> int:
    """Return the number for a name of ``fault_name``."""
    if name == "":
        return 0
    if not isinstance(name, str):
        raise CommandError(f"error is {name!r}; it must be empty or one of: {', '.join(FAULT_NUMBERS)}")
    digits = name.removeprefix(UNNAMED_FAULT)
    if digits != name and digits.isascii() and digits.isdigit() and 0 < int(digits[:4]) < 0x80:
        return int(digits)
    if name not in FAULT_NUMBERS:
        raise CommandError(unknown("error", name[:80], FAULT_NUMBERS))
    return FAULT_NUMBERS[name]


def bit_names(error: int) -> str:
    """Return the names of the bits of an error byte of protocol 1."""
    return "+".join(name for name, bit in ERROR_BITS.items() if error & bit)


def bits(names: object) -> int:
    """Return the error byte for the names of ``bit_names``."""
    if not isinstance(names, str):
        raise CommandError(
            f"error is {names!r}; it must be empty or some of these with + between: {', '.join(ERROR_BITS)}"
        )
    total = 0
    for name in names.split("+") if names else ():
        if name not in ERROR_BITS:
            raise CommandError(unknown("error", name[:80], ERROR_BITS))
        total |= ERROR_BITS[name]
    return total
