# SPDX-License-Identifier: Apache-2.0
"""Times of messages as numbers."""

from typing import Final

from builtin_interfaces.msg import Duration, Time

NANOSECONDS: Final = 1e9


def seconds(stamp: Time | Duration) -> float:
    """A stamp, or a duration, in s."""
    return float(stamp.sec) + float(stamp.nanosec) / NANOSECONDS
