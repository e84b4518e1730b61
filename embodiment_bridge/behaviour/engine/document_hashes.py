# SPDX-License-Identifier: Apache-2.0
"""Hashes of the texts of a run's documents: events carry them, so that one document is not taken for another."""

import hashlib
from collections import OrderedDict

KEPT = 100  # documents of a run; of a chain only the latest are asked for


def hash_of(text: str | bytes) -> str:
    """SHA-256 of a document's text, 64 hexadecimal digits."""
    return hashlib.sha256(
        text if isinstance(text, bytes) else text.encode(errors="surrogatepass")
    ).hexdigest()


class DocumentHashes:
    """By the number of the document in its run."""

    def __init__(self) -> None:
        self._hashes: OrderedDict[int, str] = OrderedDict()

    def keep(self, number: int, text: str | bytes) -> None:
        """Document ``number`` has this text."""
        self._hashes[number] = hash_of(text)
        if len(self._hashes) > KEPT:
            self._hashes.popitem(last=False)

    def of(self, number: int) -> str:
        """The hash of document ``number``; empty when its text was never known, or long ago."""
        return self._hashes.get(number, "")
