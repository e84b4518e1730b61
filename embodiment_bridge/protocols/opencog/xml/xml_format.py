# SPDX-License-Identifier: Apache-2.0
"""Formats values as the text of XML attributes and elements; refuses values that cannot be written."""

import re
from functools import lru_cache
from math import isfinite
from typing import Final

from embodiment_bridge.protocols.opencog.xml.xml_dates import is_date_time

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
_SPECIAL: Final = re.compile("[^ !#-%'-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ILLEGAL: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
)
_IN_ELEMENT: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ID: Final = re.compile(r"\S{1,200}")


class BadValueError(ValueError):
    """A value that cannot be written; the text says what it should be."""


def num(value: float) -> str:
    """A finite number, with full precision."""
    kind = type(value)
    if kind is float or kind is int:
        try:
            if isfinite(value):
                return repr(value)
        except OverflowError:
            pass
    raise BadValueError("a finite number")


def whole(value: int | None) -> str:
    """A whole number of 32 bits, without a decimal point."""
    if type(value) is int and INT_MIN <= value <= INT_MAX:
        return str(value)
    raise BadValueError("a whole number of 32 bits")


def flag(value: bool | None) -> str:
    """``true`` or ``false``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    raise BadValueError("true or false")


def text(value: str | None) -> str:
    """A text in an attribute."""
    if type(value) is not str:
        raise BadValueError("a text")
    if _SPECIAL.search(value) is None:
        return value
    return _legal(value).translate(_ESCAPES)


def content(value: str | None) -> str:
    """A text in an element. Line feeds are kept; a carriage return would be lost."""
    if type(value) is not str:
        raise BadValueError("a text")
    return _legal(value).translate(_IN_ELEMENT)


def _legal(value: str) -> str:
    if _ILLEGAL.search(value):
        raise BadValueError("a text without control characters and lone surrogates")
    return value


def identity(value: object) -> str:
    """An id. It is also a word in lines of the Router, so it has no white space."""
    if type(value) is str and _ID.fullmatch(value):
        return text(value)
    raise BadValueError("an id of 1 to 200 characters without white space")


def stamp(value: object) -> str:
    """A date and time from 2008 on; an earlier one would be in the far future for an OAC."""
    if type(value) is str and _is_stamp(value):
        return value
    raise BadValueError("a date and time such as 2011-08-20T10:00:00.500, from 2008 on")


@lru_cache(maxsize=64)
def _is_stamp(value: str) -> bool:
    """Cached, because all parts of a message have the same stamp."""
    return is_date_time(value) and value >= "2008"


def one_of(value: str, choices: tuple[str, ...]) -> str:
    """One of some words."""
    if isinstance(value, str) and value in choices:
        return value
    raise BadValueError(f"one of {', '.join(choices)}")


def optional(name: str, value: str | None) -> str:
    """`` name="value"``, or an empty text if the value is None or empty."""
    return "" if value is None or value == "" else f' {name}="{text(value)}"'
