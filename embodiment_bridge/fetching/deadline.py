# SPDX-License-Identifier: Apache-2.0
"""The deadline of a fetch, which also cancels it."""

import time
from collections.abc import Callable

from embodiment_bridge.fetching.rules import FetchError

SLICE_S = 0.1  # s after which a waiting fetch checks again whether it was cancelled


class Deadline:
    """Ends ``total_s`` from now; ``cancelled()`` is called before each wait."""

    def __init__(self, total_s: float, cancelled: Callable[[], bool]) -> None:
        self.total_s = total_s
        self._end = time.monotonic() + total_s
        self._cancelled = cancelled

    def left(self, most: float) -> float:
        """How long the next wait may take, in s: more than 0, at most ``most``.

        Raises:
            FetchError: the time is over, or the fetch was cancelled.
        """
        if self._cancelled():
            raise FetchError("CANCELED", "the fetch was cancelled")
        left = self._end - time.monotonic()
        if left <= 0.0:
            raise FetchError("TIMED_OUT", f"the fetch took more than {self.total_s:g} s in all")
        return min(left, most)
