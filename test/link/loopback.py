# SPDX-License-Identifier: Apache-2.0
"""Two transports joined in memory: what one writes, the other reads."""

import queue

from typing_extensions import override

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.transports.base import Transport

_CLOSED = b""


class Loopback(Transport):
    """One end of a pair made by ``loopback_pair``."""

    def __init__(
        self, peer: str, inbox: "queue.SimpleQueue[bytes]", outbox: "queue.SimpleQueue[bytes]"
    ) -> None:
        self.peer = peer
        self._inbox = inbox
        self._outbox = outbox
        self._closed = False

    @override
    def read(self, timeout: float) -> bytes:
        if self._closed:
            raise LinkError(f"{self.peer}: closed")
        try:
            data = self._inbox.get(timeout=timeout)
        except queue.Empty:
            return b""
        if data == _CLOSED:
            self._closed = True
            raise LinkError(f"{self.peer}: closed by the peer")
        return data

    @override
    def write(self, data: bytes) -> None:
        if self._closed:
            raise LinkError(f"{self.peer}: closed")
        if data:
            self._outbox.put(data)

    @override
    def close(self) -> None:
        self._closed = True
        self._outbox.put(_CLOSED)
        self._inbox.put(_CLOSED)


def loopback_pair() -> tuple[Loopback, Loopback]:
    """Two joined ends."""
    a: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    b: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    return Loopback("loopback://a", a, b), Loopback("loopback://b", b, a)
