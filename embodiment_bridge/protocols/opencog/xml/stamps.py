# SPDX-License-Identifier: Apache-2.0
"""Time stamps for an OAC, from any clock: they never go back and are never before 2008."""

from datetime import datetime, timedelta
from typing import Final

from embodiment_bridge.protocols.opencog.xml.xml_dates import EPOCH

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
