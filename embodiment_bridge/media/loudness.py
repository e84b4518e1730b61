# SPDX-License-Identifier: Apache-2.0
"""Limits of the volume: a cap, and a lower cap in quiet hours."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time

from embodiment_bridge.core.errors import ConfigError

_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")


@dataclass(frozen=True, slots=True)
class Loudness:
    """The caps of the volume.

    cap, quiet_cap: percent. quiet: (from, to) of each day in local time, possibly over midnight; None: no quiet hours.
    """

    cap: float = 100.0
    quiet_cap: float = 30.0
    quiet: tuple[time, time] | None = None
    clock: Callable[[], datetime] = datetime.now

    def heard(self, volume: float) -> float:
        """The volume that is heard now for a wanted volume, both in percent."""
        cap = min(self.cap, self.quiet_cap) if self._is_quiet() else self.cap
        return max(0.0, min(volume, cap, 100.0))

    def _is_quiet(self) -> bool:
        if self.quiet is None:
            return False
        begin, end = self.quiet
        now = self.clock().time()
        return begin <= now < end if begin <= end else now >= begin or now < end


def quiet_hours(text: str) -> tuple[time, time] | None:
    """Read quiet hours such as ``22:00-07:00``; an empty text means none.

    Raises:
        ConfigError: the text has another form.
    """
    if not text:
        return None
    found = _HOURS.fullmatch(text)
    if found is None:
        raise ConfigError(f"quiet hours are like 22:00-07:00, not {text!r}")
    a, b, c, d = map(int, found.groups())
    return time(a, b), time(c, d)
