# SPDX-License-Identifier: Apache-2.0
"""Checks a fetched document before it is run: its signature and its age."""

import time
from collections.abc import Callable

from embodiment_bridge.bml.reading.freshness import age_refusal
from embodiment_bridge.bml.reading.reader import metadata_of
from embodiment_bridge.fetching.fetcher import Fetcher, Reply
from embodiment_bridge.fetching.rules import FetchError
from embodiment_bridge.fetching.signature import verify


class Acceptance:
    """Fetches documents with ``fetcher`` and refuses those that are not signed or too old.

    Args:
        fetcher: fetches the documents.
        key: of the signatures; empty: signatures are not checked.
        max_age: s by which ``req_time`` of a document may differ from now; 0: the age is not checked. A document that
            must be signed must then have a ``req_time``: a signature alone does not prevent that an old document is
            sent again.
        wall: gives the time in s since 1970.
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
        """Fetch a document and check it; a ``requests.FetchBytes``.

        Raises:
            FetchError: as in ``Fetcher.fetch_to``; also UNSIGNED, BAD_SIGNATURE, STALE.
        """
        reply = self._fetcher.fetch_bytes(url, max_bytes=max_bytes, total_s=total_s, cancelled=cancelled)
        if self._key:
            verify(reply.body, reply.signature, self._key)
        reason = age_refusal(metadata_of(reply.body), self._max_age, self._wall(), required=bool(self._key))
        if reason:
            raise FetchError("STALE", f"the document is refused: {reason}")
        return reply
