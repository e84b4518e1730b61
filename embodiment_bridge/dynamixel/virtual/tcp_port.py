# SPDX-License-Identifier: Apache-2.0
"""A TCP port for drivers that do not use a terminal of this machine (``socket://host:port``).

One client at a time.
"""

import contextlib
import socket
from typing import Final

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.core.listening import listen, place

CHUNK: Final = 4096


class TcpPort:
    """Listens from its construction; port 0 takes a free one, see ``port``.

    Raises:
        LinkError: it cannot listen on this host and port.
    """

    def __init__(self, host: str, port: int) -> None:
        if not 0 <= port <= 65535:
            raise LinkError(f"{place(host, port)}: cannot listen: a port is 0 to 65535")
        try:
            self.listener = listen(host, port)
        except OSError as error:
            raise LinkError(f"{place(host, port)}: cannot listen: {error}") from error
        self.listener.setblocking(False)
        self.host, self.port = self.listener.getsockname()[:2]
        self.client: socket.socket | None = None

    def accept(self) -> None:
        """Accept a client, unless there is one already."""
        try:
            client, _ = self.listener.accept()
        except OSError:
            return
        if self.client is not None:
            client.close()
            return
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.client = client

    def read(self) -> bytes:
        """Return the bytes that the client has sent; a client that is gone is forgotten."""
        if self.client is None:
            return b""
        try:
            data = self.client.recv(CHUNK)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self.hang_up()
        return data

    def write(self, data: bytes) -> int:
        """Send bytes to the client; returns how many were sent."""
        if self.client is None:
            return 0
        try:
            return self.client.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self.hang_up()
            return 0

    def hang_up(self) -> None:
        """End the connection."""
        if self.client is not None:
            with contextlib.suppress(OSError):
                self.client.shutdown(socket.SHUT_RDWR)
            self.client.close()
            self.client = None

    def close(self) -> None:
        """Close the connection and stop listening."""
        self.hang_up()
        self.listener.close()
