# SPDX-License-Identifier: Apache-2.0
"""Finds the field of a message that cannot be written. It runs only after writing has failed, so it may be slow."""

import reprlib
from dataclasses import fields, is_dataclass
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from embodiment_bridge.protocols.opencog.xml.xml_format import BadValueError, identity, stamp

_IDS: Final = ("id", "plan_id", "source_id", "avatar_id", "from_id", "object_id")


def problem(message: Any) -> str:
    """``Class.field[2].part is VALUE; it must be ...`` of the first field with a wrong value, or empty."""
    return _in_fields(message, type(message).__name__)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _in_fields(value: Any, place: str) -> str:
    kind: Any = type(value)
    hints = _hints(kind)
    for f in fields(value):
        part = getattr(value, f.name)
        found = _of(part, hints[f.name], f"{place}.{f.name}") or _by_name(f.name, part, place)
        if found:
            return found
    return ""


def _by_name(name: str, value: Any, place: str) -> str:
    """Check a value by the name of its field. Time stamps of speech may be any text."""
    check = identity if name in _IDS else stamp if name == "timestamp" else None
    if check is None or value is None or place == "Communication":
        return ""
    try:
        check(value)
    except BadValueError as error:
        return _wrong(value, str(error), f"{place}.{name}")
    return ""


def _of(value: Any, hint: Any, place: str) -> str:
    if get_origin(hint) in (Union, UnionType):
        kinds = get_args(hint)
        if value is None and NoneType in kinds:
            return ""
        return _of(value, next(kind for kind in kinds if kind is not NoneType), place)
    if get_origin(hint) is tuple:
        return _of_tuple(value, get_args(hint), place)
    if isinstance(hint, type) and is_dataclass(hint):
        return _in_fields(value, place) if isinstance(value, hint) else _wrong(value, hint.__name__, place)
    return "" if _is(value, hint) else _wrong(value, _WORDS[hint], place)


def _of_tuple(value: Any, hints: tuple[Any, ...], place: str) -> str:
    if not isinstance(value, tuple):
        return _wrong(value, "a tuple", place)
    if hints[-1] is Ellipsis:
        found = (_of(item, hints[0], f"{place}[{i}]") for i, item in enumerate(value))
        return next(filter(None, found), "")
    if len(value) != len(hints):
        return _wrong(value, f"a tuple of {len(hints)}", place)
    pairs = zip(value, hints, strict=True)
    return next(filter(None, (_of(item, hint, f"{place}[{i}]") for i, (item, hint) in enumerate(pairs))), "")


def _is(value: Any, hint: type) -> bool:
    if hint is float:
        try:
            return type(value) in (float, int) and isfinite(value)
        except OverflowError:
            return False
    if hint is str:
        return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
    return type(value) is hint


def _wrong(value: Any, should: str, place: str) -> str:
    return f"{place} is {reprlib.repr(value)}; it must be {should}"


_WORDS = {
    float: "a finite number",
    int: "a whole number",
    bool: "true or false",
    str: "a text without lone surrogates",
    bytes: "bytes",
}
