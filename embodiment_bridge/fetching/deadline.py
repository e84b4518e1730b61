# SPDX-License-Identifier: Apache-2.0
"""The one deadline of a fetch, and how it is given up."""

import time
from collections.abc import Callable

from embodiment_bridge.fetching.rules import FetchError

SLICE_S = 0.1  # how long a wish to give up may go unseen


class Deadline:
    """``total_s`` from now on; ``cancelled()`` is asked whenever something is about to be waited for."""

    def __init__(self, total_s: float, cancelled: Callable[[], bool]) -> None:
        self.total_s = total_s
        self._end = time.monotonic() + total_s
        self._cancelled = cancelled

    def left(self, most: float) -> float:
        """How long may be waited now, in s: more than 0, ``most`` at most.

        Raises:
            FetchError: the time is up, or the fetch was given up.
        """
        if self._cancelled():
            raise FetchError("CANCELED", "given up")
        left = self._end - time.monotonic()
        if left <= 0.0:
            raise FetchError("TIMED_OUT", f"it took more than {self.total_s:g} s in all")
        return min(left, most)
