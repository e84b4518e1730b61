# SPDX-License-Identifier: Apache-2.0
"""Signs documents by HMAC-SHA256 (RFC 2104), and checks signature and age of a fetched one before it is run."""

import hmac
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

from embodiment_bridge.bml.reading.envelope import age_refusal
from embodiment_bridge.bml.reading.reader import metadata_of
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_bytes
from embodiment_bridge.fetching.fetcher import Fetcher, Reply
from embodiment_bridge.fetching.rules import SIGNATURE_HEADER, FetchError

SCHEME: Final = "sha256="
SHORTEST_KEY: Final = 16  # bytes
LONGEST_KEY: Final = 4096


def read_key(path: str, where: str) -> bytes:
    """Read the key from a file, without a line end after it.

    Args:
        path: of the file.
        where: the parameter that names the file, for errors.

    Raises:
        ConfigError: the file cannot be read, or is too short or too long for a key.
    """
    key = read_bytes(Path(path), LONGEST_KEY + 2, f"{where}:").rstrip(b"\r\n")
    if not SHORTEST_KEY <= len(key) <= LONGEST_KEY:
        raise ConfigError(f"{where}: {path}: a key has {SHORTEST_KEY} to {LONGEST_KEY} bytes, not {len(key)}")
    return key


def sign(body: bytes, key: bytes) -> str:
    """The value of the header for a body: ``sha256=`` and 64 hexadecimal digits."""
    return SCHEME + hmac.new(key, body, sha256).hexdigest()


def verify(body: bytes, signature: str, key: bytes) -> None:
    """Check a signature; the time that it takes does not depend on the signature.

    Raises:
        FetchError: the signature is missing, or is not that of this body with this key.
    """
    if not signature:
        text = f"the reply has no {SIGNATURE_HEADER}; documents must be signed here (parameter signature_key_file)"
        raise FetchError("UNSIGNED", text)
    if not hmac.compare_digest(signature.strip().encode(errors="replace"), sign(body, key).encode()):
        raise FetchError(
            "BAD_SIGNATURE", f"the {SIGNATURE_HEADER} of the reply is not that of its bytes with our key"
        )


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
