# SPDX-License-Identifier: Apache-2.0
"""Finds the field of a message that cannot be written. It runs only after writing has failed, so it may be slow."""

import reprlib
from dataclasses import is_dataclass
from math import isfinite
from types import NoneType, UnionType
from typing import Final, Union, get_args, get_origin, get_type_hints

from embodiment_bridge.protocols.opencog.xml.xml_format import BadValueError, identity, stamp

_IDS: Final = ("id", "plan_id", "source_id", "avatar_id", "from_id", "object_id")


def problem(message: object) -> str:
    """``Class.field[2].part is VALUE; it must be ...`` of the first field with a wrong value, or empty."""
    return _in_fields(message, type(message).__name__)


def _in_fields(value: object, place: str) -> str:
    for name, hint in get_type_hints(type(value)).items():
        part = getattr(value, name)
        found = _of(part, hint, f"{place}.{name}") or _by_name(name, part, place)
        if found:
            return found
    return ""


def _by_name(name: str, value: object, place: str) -> str:
    """Check a value by the name of its field. Time stamps of speech may be any text."""
    check = identity if name in _IDS else stamp if name == "timestamp" else None
    if check is None or value is None or place == "Communication":
        return ""
    try:
        check(value)
    except BadValueError as error:
        return _wrong(value, str(error), f"{place}.{name}")
    return ""


def _of(value: object, hint: object, place: str) -> str:
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


def _of_tuple(value: object, hints: tuple[object, ...], place: str) -> str:
    if not isinstance(value, tuple):
        return _wrong(value, "a tuple", place)
    if hints[-1] is Ellipsis:
        found = (_of(item, hints[0], f"{place}[{i}]") for i, item in enumerate(value))
        return next(filter(None, found), "")
    if len(value) != len(hints):
        return _wrong(value, f"a tuple of {len(hints)}", place)
    pairs = zip(value, hints, strict=True)
    return next(filter(None, (_of(item, hint, f"{place}[{i}]") for i, (item, hint) in enumerate(pairs))), "")


def _is(value: object, hint: object) -> bool:
    if hint is float:
        try:
            return isinstance(value, float | int) and type(value) in (float, int) and isfinite(value)
        except OverflowError:
            return False
    if hint is str:
        return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
    return type(value) is hint


def _wrong(value: object, should: str, place: str) -> str:
    return f"{place} is {reprlib.repr(value)}; it must be {should}"


_WORDS: Final[dict[object, str]] = {
    float: "a finite number",
    int: "a whole number",
    bool: "true or false",
    str: "a text without lone surrogates",
    bytes: "bytes",
}
