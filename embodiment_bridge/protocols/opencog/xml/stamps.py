# SPDX-License-Identifier: Apache-2.0
"""Time stamps for an OAC.

From any clock they never go back and are never before 2008; date and time as the text that an OAC reads.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

# Date and time as text: as an OAC reads them, and as we write them.

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
