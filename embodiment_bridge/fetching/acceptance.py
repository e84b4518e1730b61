# SPDX-License-Identifier: Apache-2.0
"""What a fetched document must prove before it is run: who wrote it, and when."""

import time
from collections.abc import Callable

from embodiment_bridge.bml.reading.freshness import age_refusal
from embodiment_bridge.bml.reading.reader import metadata_of
from embodiment_bridge.fetching.fetcher import Fetcher, Reply
from embodiment_bridge.fetching.rules import FetchError
from embodiment_bridge.fetching.signature import verify


class Acceptance:
    """Fetches documents by ``fetcher`` and refuses those that are not signed, or too old.

    Args:
        fetcher: gets them.
        key: of their signatures; empty: none is asked for.
        max_age: s by which their ``req_time`` may differ from now; 0: it is not looked at. Where they must be signed
            they must then have one: a signature alone does not keep anybody from sending an old document again.
        wall: s since 1970.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        key: bytes = b"",
        max_age: float = 0.0,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._fetcher, self._key, self._max_age, self._wall = fetcher, key, max_age, wall

    def fetch_bytes(
        self, url: str, *, max_bytes: int, total_s: float, cancelled: Callable[[], bool]
    ) -> Reply:
        """See ``requests.FetchBytes``.

        Raises:
            FetchError: see ``Fetcher.fetch_to``; UNSIGNED, BAD_SIGNATURE, STALE.
        """
        reply = self._fetcher.fetch_bytes(url, max_bytes=max_bytes, total_s=total_s, cancelled=cancelled)
        if self._key:
            verify(reply.body, reply.signature, self._key)
        reason = age_refusal(metadata_of(reply.body), self._max_age, self._wall(), required=bool(self._key))
        if reason:
            raise FetchError("STALE", f"the document is refused: {reason}")
        return reply
