# SPDX-License-Identifier: Apache-2.0
"""How old a document is, by what its envelope says: what was sent long ago may be a copy, or no longer wanted."""

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

PARAMETER: Final = "max_age"
KEY: Final = "req_time"
_DIGITS = re.compile(r"\d{14}")


def time_of(value: Any) -> float | None:
    """Seconds since 1970 of a ``req_time``; None when it is not a time.

    Taken are ``20180108101105`` (UTC), ISO 8601 with its zone (UTC without one), and a number of seconds.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value) if abs(value) < 1e12 and math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    try:
        if _DIGITS.fullmatch(value):
            moment = datetime.strptime(f"{value}+0000", "%Y%m%d%H%M%S%z")
        else:
            moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def age_refusal(metadata: Mapping[str, Any], max_age: float, now: float, *, required: bool = False) -> str:
    """Why a document with this envelope is refused at ``now`` (s since 1970); empty when it is not.

    max_age: s, either way, as clocks differ; 0 refuses nothing. required: refuse one that does not tell its time.
    """
    if not max_age:
        return ""
    if KEY not in metadata:
        return f"it has no {KEY}, by which its age would be known (parameter {PARAMETER})" if required else ""
    sent = time_of(metadata[KEY])
    if sent is None:
        return f"its {KEY} is not a time such as 20180108101105 (UTC), ISO 8601, or seconds since 1970"
    if abs(now - sent) <= max_age:
        return ""
    when = "before" if sent < now else "after"
    return f"its {KEY} is {abs(now - sent):.0f} s {when} now, parameter {PARAMETER} allows {max_age:g} s"
