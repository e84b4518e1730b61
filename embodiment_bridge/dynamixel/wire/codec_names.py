# SPDX-License-Identifier: Apache-2.0
"""Converts error bytes of statuses to names, and back."""

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.dynamixel.wire.instructions import ALERT, Error1, Fault

NUMBERED = "error_"  # prefix for an error number that has no name in the manual
FAULTS = {fault.name.lower(): int(fault) for fault in Fault if fault}
BITS = {(bit.name or "").lower(): int(bit) for bit in Error1} | {"bit_7": 0x80}


def fault_name(error: int) -> str:
    """Name of the error number in the error byte of protocol 2, without the alert bit."""
    number = error & ~ALERT
    if not number:
        return ""
    return next((name for name, value in FAULTS.items() if value == number), f"{NUMBERED}{number}")


def fault_number(name: object) -> int:
    """The number for a name of ``fault_name``."""
    if name == "":
        return 0
    if not isinstance(name, str):
        raise CommandError(f"error is {name!r}; it must be empty or one of: {', '.join(FAULTS)}")
    digits = name.removeprefix(NUMBERED)
    if digits != name and digits.isascii() and digits.isdigit() and 0 < int(digits[:4]) < 0x80:
        return int(digits)
    if name not in FAULTS:
        raise CommandError(unknown("error", name[:80], FAULTS))
    return FAULTS[name]


def bit_names(error: int) -> str:
    """Names of the bits of an error byte of protocol 1."""
    return "+".join(name for name, bit in BITS.items() if error & bit)


def bits(names: object) -> int:
    """The error byte for the names of ``bit_names``."""
    if not isinstance(names, str):
        raise CommandError(
            f"error is {names!r}; it must be empty or some of these with + between: {', '.join(BITS)}"
        )
    total = 0
    for name in names.split("+") if names else ():
        if name not in BITS:
            raise CommandError(unknown("error", name[:80], BITS))
        total |= BITS[name]
    return total
