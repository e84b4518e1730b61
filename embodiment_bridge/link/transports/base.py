# SPDX-License-Identifier: Apache-2.0
"""The interface of a transport."""

from typing import Protocol


class Transport(Protocol):
    """One open, two-way stream of bytes. ``close`` may be called from any thread and wakes a waiting ``read``.

    peer: who is at the other end, as a URL such as ``tcp://127.0.0.1:60000``.
    """

    peer: str

    def fileno(self) -> int | None:
        """The descriptor to wait for in place of ``read``; None where a thread has to wait in it."""
        return None

    def read(self, timeout: float) -> bytes:
        """The bytes that have come, at least one; ``b""`` when none came within ``timeout`` s.

        Raises:
            LinkError: the peer closed the stream, or it broke.
        """
        ...

    def write(self, data: bytes) -> None:
        """Send all of ``data``.

        Raises:
            LinkError: the peer does not take it.
        """
        ...

    def close(self) -> None:
        """Release the stream; more than once is fine."""
        ...
