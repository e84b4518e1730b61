# SPDX-License-Identifier: Apache-2.0
"""Date and time as text: as an OAC reads them, and as we write them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

EPOCH: Final = datetime(2008, 1, 1, tzinfo=UTC)
_WRAP: Final = 1 << 64  # an OAC counts in an unsigned number of 64 bits
_READ: Final = re.compile(
    r"(\d{1,4})-(\d{1,2})-(\d{1,2})T(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?"
    r"(?:Z|([+-])(\d{1,2}):(\d{1,2}))?",
    re.ASCII,
)
_WRITTEN: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?", re.ASCII)


def centiseconds(text: str) -> int:
    """The time of an OAC: hundredths of a second since 2008-01-01T00:00 UTC, cut off; before 2008 it wraps around.

    Raises:
        ValueError: not a date and time that an OAC can read. Text without a zone is UTC.
    """
    match = _READ.fullmatch(text)
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
    if _WRITTEN.fullmatch(text) is None:
        return False
    try:
        centiseconds(text)
    except ValueError:
        return False
    return True
