# SPDX-License-Identifier: Apache-2.0
"""Checks of what a packet is made of: each names the field, its value and what it may be."""

from collections.abc import Collection
from typing import Any

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.dynamixel.wire.instructions import BROADCAST, HIGHEST_ID


def whole(name: str, value: Any, lower: int, upper: int) -> int:
    """A whole number within ``lower`` and ``upper``, both included."""
    if isinstance(value, int) and not isinstance(value, bool) and lower <= value <= upper:
        return int(value)
    raise CommandError(f"{name} is {value!r}; it must be a whole number from {lower} to {upper}")


def any_id(value: Any, name: str = "id") -> int:
    """The id of one servo, or that of all."""
    if value == BROADCAST and isinstance(value, int):
        return int(value)
    return servo_id(value, name)


def servo_id(value: Any, name: str = "id") -> int:
    """The id of one servo."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= HIGHEST_ID:
        return int(value)
    raise CommandError(f"{name} is {value!r}; a servo has an id from 0 to {HIGHEST_ID}")


def octets(name: str, value: Any) -> bytes:
    """Bytes, also written as a sequence of numbers from 0 to 255."""
    if not isinstance(value, str):
        try:
            return bytes(value) if not isinstance(value, int) else _no_octets(name, value)
        except (TypeError, ValueError):
            pass
    return _no_octets(name, value)


def _no_octets(name: str, value: Any) -> bytes:
    raise CommandError(f"{name} is {value!r}; it must be bytes, each from 0 to 255")


def distinct_ids(ids: Collection[int]) -> list[int]:
    """At least one id, none of them twice.

    A servo that is asked twice answers twice, and those after the first doublet wait for the wrong one.
    """
    found = [servo_id(each, "ids") for each in ids]
    if not found or len(set(found)) < len(found):
        raise CommandError(f"ids are {found!r}; they must be at least one, none of them twice")
    return found
