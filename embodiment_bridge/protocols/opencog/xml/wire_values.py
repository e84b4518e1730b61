# SPDX-License-Identifier: Apache-2.0
"""Values as text on the wire: how each kind of value is checked and written, and read tolerantly.

Time stamps for an OAC, from any clock, never go back and are never before 2008.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import isfinite
from reprlib import repr as short
from typing import Annotated, Final, TypeAlias

LONGEST_TEXT: Final = 1000  # characters
LARGEST_SEQUENCE: Final = 2**31 - 1
_LARGEST_WHOLE: Final = 2**53
_INT_MIN, _INT_MAX = -(2**31), 2**31 - 1
_ILLEGAL: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL: Final = re.compile("[^ !#-%'-;=?-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\t": "&#9;", "\r": "&#13;"}
)
_IN_ELEMENT: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_ID: Final = re.compile(r"\S{1,200}")
_FLAGS: Final = {"true": True, "1": True, "false": False, "0": False}


class BadValueError(ValueError):
    """A value that cannot be written.

    should: what it must be. path: the way to it from the value that was to be written, as ``.blips[0].entity``.
    """

    def __init__(self, value: object, should: str, path: str = "") -> None:
        super().__init__(should)
        self._value, self.should, self._path = value, should, path

    def within(self, step: str) -> "BadValueError":
        """The same, seen from one step further out."""
        self._path = step + self._path
        return self

    def named(self, place: str) -> str:
        """The whole sentence; ``place`` is the name of the value that was to be written."""
        return f"{place}{self._path} is {short(self._value)}; it must be {self.should}"


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value. ``write`` raises BadValueError; ``read`` raises ValueError, whose text says what is wrong.

    number: whether an OAC writes it with six digits.
    """

    write: Callable[[object], str]
    read: Callable[[str], object] = str
    number: bool = False


def clean(text: str, longest: int = LONGEST_TEXT) -> str:
    """The text without characters that XML does not allow, cut to ``longest``."""
    return _ILLEGAL.sub("", text[:longest])


def _legal(value: object) -> str:
    if type(value) is not str:
        raise BadValueError(value, "a text")
    if _ILLEGAL.search(value):
        raise BadValueError(value, "a text without control characters and lone surrogates")
    return value


def write_text(value: object) -> str:
    """A text in an attribute."""
    if type(value) is str and _SPECIAL.search(value) is None:
        return value
    return _legal(value).translate(_ESCAPES)


def _write_content(value: object) -> str:
    """A text in an element. Line feeds are kept; a carriage return would be lost."""
    return _legal(value).translate(_IN_ELEMENT)


def _write_name(value: object) -> str:
    if value == "":
        raise BadValueError(value, "a name that is not empty")
    return write_text(value)


def _write_id(value: object) -> str:
    if type(value) is str and _ID.fullmatch(value):
        return write_text(value)
    raise BadValueError(value, "an id of 1 to 200 characters without white space")


@lru_cache(maxsize=64)
def _is_stamp(value: str) -> bool:
    """Cached, because all parts of a message have the same stamp."""
    return is_date_time(value) and value >= "2008"


def _write_stamp(value: object) -> str:
    if type(value) is str and _is_stamp(value):
        return value
    raise BadValueError(value, "a date and time such as 2011-08-20T10:00:00.500, from 2008 on")


def _write_number(value: object) -> str:
    if type(value) is float or type(value) is int:
        try:
            if isfinite(value):
                return repr(value)
        except OverflowError:
            pass
    raise BadValueError(value, "a finite number")


def _write_level(value: object) -> str:
    text = _write_number(value)
    if 0.0 <= float(text) <= 1.0:
        return text
    raise BadValueError(value, "a number within 0..1")


def _write_properties(pairs: object) -> str:
    """Names and values, as elements."""
    if not isinstance(pairs, tuple):
        raise BadValueError(pairs, "a tuple")
    lines: list[str] = []
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise BadValueError(pair, "a tuple of 2", f"[{len(lines)}]")
        name, value = pair
        try:
            lines.append(f'\n<property name="{write_text(name)}" value="{write_text(value)}"/>')
        except BadValueError as error:
            raise error.within(f"[{len(lines)}]") from None
    return "".join([*lines, "\n"])


def _write_whole(value: object) -> str:
    if type(value) is int and _INT_MIN <= value <= _INT_MAX:
        return str(value)
    raise BadValueError(value, "a whole number of 32 bits")


def _write_offset(value: object) -> str:
    if type(value) is int:
        return ""
    raise BadValueError(value, "a whole number")


def _write_sequence(value: object) -> str:
    if type(value) is int and 1 <= value <= LARGEST_SEQUENCE:
        return str(value)
    raise BadValueError(value, "a whole number from 1; a report without one is about the whole plan")


def _write_flag(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    raise BadValueError(value, "true or false")


def _read_number(text: str) -> float:
    """A finite number; exponents and six digits are as good as any."""
    try:
        if "_" not in text and isfinite(value := float(text)):  # Python reads 1_000
            return value
    except ValueError:
        pass
    raise ValueError("is not a finite number")


def read_whole(text: str) -> int:
    """A whole number, also written with a decimal point.

    Raises:
        ValueError: it is none.
    """
    try:
        value = _read_number(text)
    except ValueError:
        value = 0.5
    if abs(value) > _LARGEST_WHOLE or value != int(value):
        raise ValueError("is not a whole number")
    return int(value)


def _read_sequence(text: str) -> int | None:
    """The number of an action; 0 means none, so the whole plan."""
    value = read_whole(text)
    if value < 0:
        raise ValueError("is negative")
    return value or None


def _read_flag(text: str) -> bool:
    value = _FLAGS.get(text.strip().lower())
    if value is None:
        raise ValueError("is neither true nor false")
    return value


def word(*choices: str, read: Callable[[str], object] = str) -> Kind:
    """One of some words."""

    def write(value: object) -> str:
        if isinstance(value, str) and value in choices:
            return value
        raise BadValueError(value, f"one of {', '.join(choices)}")

    return Kind(write, read)


TEXT: Final = Kind(write_text)
CONTENT: Final = Kind(_write_content)
SPEECH: Final = Kind(_write_content, str.strip)
NUMBER: Final = Kind(_write_number, _read_number, number=True)
WHOLE: Final = Kind(_write_whole, read_whole)
FLAG: Final = Kind(_write_flag, _read_flag)
BY_TYPE: Final[dict[object, Kind]] = {str: TEXT, float: NUMBER, int: WHOLE, bool: FLAG}
OFFSET: Final = Kind(_write_offset)
PROPERTIES: Final = Kind(_write_properties)

Id: TypeAlias = Annotated[str, Kind(_write_id)]  # also a word in lines of the Router, so without white space
Stamp: TypeAlias = Annotated[str, Kind(_write_stamp)]  # an earlier one would be in the far future for an OAC
Name: TypeAlias = Annotated[str, Kind(_write_name)]
# read outside of 0..1 too
Fraction: TypeAlias = Annotated[float, Kind(_write_level, _read_number, number=True)]
Sequence: TypeAlias = Annotated[int, Kind(_write_sequence, _read_sequence)]


# Time stamps

EPOCH: Final = datetime(2008, 1, 1, tzinfo=UTC)
_WRAP: Final = 1 << 64  # an OAC counts in an unsigned number of 64 bits
_READ_STAMP: Final = re.compile(
    r"(\d{1,4})-(\d{1,2})-(\d{1,2})T(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?"
    r"(?:Z|([+-])(\d{1,2}):(\d{1,2}))?",
    re.ASCII,
)
_WRITTEN_STAMP: Final = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?", re.ASCII
)


def centiseconds(text: str) -> int:
    """The time of an OAC: hundredths of a second since 2008-01-01T00:00 UTC, cut off; before 2008 it wraps around.

    Raises:
        ValueError: not a date and time that an OAC can read. Text without a zone is UTC.
    """
    match = _READ_STAMP.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:60]!r} is not a date and time such as 2011-08-20T10:00:00.500")
    year, month, day, hour, minute, second = (int(group) for group in match.groups()[:6])
    fraction, sign, zone_hour, zone_minute = match.groups()[6:]
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        if sign:
            zone = timedelta(hours=int(zone_hour), minutes=int(zone_minute))
            moment += -zone if sign == "+" else zone
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text[:60]!r}: {error}") from None
    whole = (moment - EPOCH) // timedelta(seconds=1) * 100
    return (whole + int((fraction or "0").ljust(9, "0")) // 10_000_000) % _WRAP


def is_date_time(text: str) -> bool:
    """Whether a text is a date and time for a schema (``xsd:dateTime``, four digits of the year)."""
    if _WRITTEN_STAMP.fullmatch(text) is None:
        return False
    try:
        centiseconds(text)
    except ValueError:
        return False
    return True


_EPOCH_NS: Final = int(EPOCH.timestamp()) * 1_000_000_000
_LAST_NS: Final = int(datetime(9000, 1, 1, tzinfo=EPOCH.tzinfo).timestamp()) * 1_000_000_000
STEP_BACK_NS: Final = 1_000_000_000  # a clock that goes back further was set, or was replaced


class StampClock:
    """Makes the time stamps of one session with one OAC.

    A clock before 2008, such as that of a simulation, counts from 2008 on. If a clock goes back a little, the stamp
    stays until the clock has caught up; if it goes back more than a second, stamps continue from the last one.
    """

    def __init__(self) -> None:
        self._offset_ns = 0
        self._last_ns = _EPOCH_NS
        self._begun = False

    def stamp(self, now_ns: int) -> str:
        """The stamp of a moment, as ``2011-08-20T10:00:00.500`` (UTC).

        Args:
            now_ns: since 1970, or since the beginning of a simulation.
        """
        if not self._begun:
            self._begun = True
            self._offset_ns = 0 if now_ns >= _EPOCH_NS else _EPOCH_NS - min(now_ns, 0)
        time = now_ns + self._offset_ns
        if time < self._last_ns - STEP_BACK_NS:
            self._offset_ns += self._last_ns - time
        self._last_ns = min(max(self._last_ns, now_ns + self._offset_ns), _LAST_NS)
        moment = EPOCH + timedelta(milliseconds=(self._last_ns - _EPOCH_NS) // 1_000_000)
        return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}"
