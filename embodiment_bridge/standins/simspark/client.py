# SPDX-License-Identifier: Apache-2.0
"""One connection to the stand-in, non-blocking both ways."""

import contextlib
import socket

from embodiment_bridge.wire.framing import Frame, Framer

READ_SIZE = 1 << 16
MAX_FRAME = 1 << 16  # bytes; what a client sends is short
MAX_READS = 8  # of READ_SIZE at a time, so that one client cannot block the others


class Client:
    """A connected socket.

    As in rcssserver3d, a message that was sent only in part is kept, and further ones are dropped meanwhile.
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
        """The received payloads; None if the client has disconnected."""
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
        """Send one message, or the rest of the last; returns False if the client has disconnected."""
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
