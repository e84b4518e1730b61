# SPDX-License-Identifier: Apache-2.0
"""One connection to the stand-in, non-blocking both ways."""

import contextlib
import socket

from embodiment_bridge.wire.framing import Frame, Framer

READ_SIZE = 1 << 16
MAX_FRAME = 1 << 16  # bytes; what a client sends is short
MAX_READS = 8  # of READ_SIZE in one go, so that one client cannot keep the others waiting


class Client:
    """A connected socket.

    As rcssserver3d does, a message that does not go out whole is kept, and while it waits further ones are thrown away.
    """

    def __init__(self, connection: socket.socket, now: float) -> None:
        connection.setblocking(False)
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self.since = now
        self._framer = Framer(MAX_FRAME)
        self._rest = b""

    def read(self) -> list[bytes] | None:
        """The payloads that have come; None when the client has hung up."""
        payloads: list[bytes] = []
        for _ in range(MAX_READS):
            try:
                data = self.socket.recv(READ_SIZE)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                return None
            if not data:
                return None
            payloads += [found.payload for found in self._framer.feed(data) if isinstance(found, Frame)]
        return payloads

    def send(self, text: str) -> bool:
        """Send one message, or what is left of the last; False when the client has hung up."""
        if text and not self._rest:
            payload = text.encode()
            self._rest = len(payload).to_bytes(4, "big") + payload
        if self._rest:
            try:
                self._rest = self._rest[self.socket.send(self._rest) :]
            except (BlockingIOError, InterruptedError):
                pass
            except OSError:
                return False
        return True

    def close(self) -> None:
        """Hang up."""
        self.socket.close()
