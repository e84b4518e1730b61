# SPDX-License-Identifier: Apache-2.0
"""ROS messages from JSON and to JSON, checked against the types of their fields."""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias

from embodiment_bridge.core.errors import CommandError, quoted, unknown
from embodiment_bridge.core.unicode_text import is_unicode
from embodiment_bridge.nodes.base.message_types import Message, message_class

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_WHOLE: Final = {
    f"{sign}int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if not sign else (0, 2**bits - 1)
    for sign in ("", "u")
    for bits in (8, 16, 32, 64)
} | {"octet": (0, 255), "char": (0, 255)}
_MANY: Final = re.compile(
    r"(?:sequence<(?P<inner>[^,>]+(?:<\d+>)?)(?:, (?P<most>\d+))?>|(?P<fixed>.+)\[(?P<size>\d+)\])"
)


def fill(message: Message, values: Json, place: str = "") -> None:
    """Set the fields of a message that ``values`` names; the others stay.

    Raises:
        CommandError: there is no such field, or a value does not fit; the text names the field.
    """
    fields = message.get_fields_and_field_types()
    if not isinstance(values, dict):
        raise CommandError(
            f"{place or 'the request'} is {quoted(values)}, no object; its fields: {_shown(fields)}"
        )
    for name, value in values.items():
        if name not in fields:
            raise CommandError(unknown(f"field of {place or 'the request'}", name, fields))
        setattr(message, name, _read(fields[name], value, f"{place}.{name}" if place else name))


def as_json(value: Any) -> Json:
    """A message, or the value of a field, as plain JSON; a number that is not finite becomes its text."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: as_json(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes):
        return value[0]
    return [as_json(one) for one in (value.tolist() if hasattr(value, "tolist") else value)]


def _read(kind: str, value: Json, place: str) -> object:
    many = _MANY.fullmatch(kind)
    if many is None:
        return _read_one(kind, value, place)
    inner, size, most = many["inner"] or many["fixed"], many["size"], many["most"]
    if not isinstance(value, list):
        raise CommandError(f"{place} is {quoted(value)}; it must be a list of {inner}")
    if size is not None and len(value) != int(size):
        raise CommandError(f"{place} has {len(value)} values; it must have {size}")
    if most is not None and len(value) > int(most):
        raise CommandError(f"{place} has {len(value)} values; it must have at most {most}")
    return [_read_one(inner, one, f"{place}[{index}]") for index, one in enumerate(value)]


def _read_one(kind: str, value: Json, place: str) -> object:
    if "/" in kind:
        package, _, name = kind.partition("/")
        message = message_class(f"{package}/msg/{name}")()
        fill(message, value, place)
        return message
    if kind in _WHOLE:
        low, high = _WHOLE[kind]
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return bytes([value]) if kind == "octet" else value
        raise CommandError(f"{place} is {quoted(value)}; it must be a whole number from {low} to {high}")
    if kind in ("float", "double"):
        with suppress(OverflowError):  # a whole number of hundreds of digits
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
        raise CommandError(f"{place} is {quoted(value)}; it must be a number")
    wanted, name = (bool, "true or false") if kind == "boolean" else (str, "a text")
    if not isinstance(value, wanted) or (isinstance(value, str) and not is_unicode(value)):
        raise CommandError(f"{place} is {quoted(value)}; it must be {name}")
    return value


def _shown(fields: Mapping[str, str]) -> str:
    return ", ".join(f"{name} ({kind})" for name, kind in fields.items()) or "none"
