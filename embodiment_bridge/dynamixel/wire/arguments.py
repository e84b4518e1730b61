# SPDX-License-Identifier: Apache-2.0
"""Checks of the fields of a packet; an error names the field, its value and the range."""

from collections.abc import Collection, Iterable

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.dynamixel.wire.instructions import BROADCAST, HIGHEST_ID


def whole(name: str, value: object, lower: int, upper: int) -> int:
    """Check a whole number: from ``lower`` to ``upper``, both included."""
    if isinstance(value, int) and not isinstance(value, bool) and lower <= value <= upper:
        return int(value)
    raise CommandError(f"{name} is {value!r}; it must be a whole number from {lower} to {upper}")


def any_id(value: object, name: str = "id") -> int:
    """Check the id of one servo, or the broadcast id."""
    if value == BROADCAST and isinstance(value, int):
        return int(value)
    return servo_id(value, name)


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
