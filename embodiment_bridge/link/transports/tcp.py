# SPDX-License-Identifier: Apache-2.0
"""TCP connections: opened by us, accepted at a port, or ended without harm to a server that is sending.

rcssservermj 0.2.1 may not survive it when a monitor's connection is closed in the moment in which it sends there.
"""

import contextlib
import select
import socket
from collections.abc import Callable

from typing_extensions import override

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.core.listening import listen, place
from embodiment_bridge.link.transports.base import Transport

READ_SIZE = 65536  # a percept of a full soccer field is under 4 kB; larger reads only serve catching up
WRITE_TIMEOUT = 5.0  # s; a peer that takes nothing for so long is gone
SHARED_WRITE_TIMEOUT = 0.5  # s; on a thread that serves other links, too (link_loop.py)
READS = 100  # in a row, of a peer that goes on sending
# A host that was cut off sends nothing, not even an end. Linux asks it after 4 s of silence, and every 2 s after that;
# 10 s without an answer end the connection. A program that only stands still is not ended: its host answers.
# s, s, -, ms
_KEEPALIVE = {"TCP_KEEPIDLE": 4, "TCP_KEEPINTVL": 2, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 10_000}


class TcpClient(Transport):
    """An open connection to ``host:port``. Small writes go out at once (TCP_NODELAY).

    A write that the peer does not take within ``write_timeout`` s is a LinkError.

    Raises:
        LinkError: no connection was accepted within ``timeout`` s; the text names host, port and reason.
    """

    def __init__(
        self, host: str, port: int, *, timeout: float = 3.0, write_timeout: float = WRITE_TIMEOUT
    ) -> None:
        self.peer = f"tcp://{place(host, port)}"
        try:
            self._take(socket.create_connection((host, port), timeout=timeout), write_timeout)
        except OSError as error:
            raise LinkError(f"{self.peer}: {error.strerror or error}") from error
        except UnicodeError as error:  # a name that cannot be one, such as "a..b"
            raise LinkError(f"{self.peer}: {error}") from error

    @classmethod
    def from_socket(
        cls, connection: socket.socket, peer: str, write_timeout: float = WRITE_TIMEOUT
    ) -> "TcpClient":
        """A transport over a connection that was made elsewhere."""
        made = cls.__new__(cls)
        made.peer = peer
        made._take(connection, write_timeout)
        return made

    def _take(self, connection: socket.socket, write_timeout: float) -> None:
        self._socket = connection
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEPALIVE.items():
            if hasattr(socket, name):  # Linux has them all
                self._socket.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        self._socket.settimeout(write_timeout)
        self._readable = select.poll()
        self._readable.register(self._socket, select.POLLIN)

    @override
    def fileno(self) -> int:
        return self._socket.fileno()

    @override
    def read(self, timeout: float) -> bytes:
        try:
            if not self._readable.poll(timeout * 1000.0):
                return b""
            data = self._socket.recv(READ_SIZE)
        except OSError as error:  # also when another thread has closed it
            raise LinkError(f"{self.peer}: {error}") from error
        if not data:
            raise LinkError(f"{self.peer}: closed by the peer")
        return data

    @override
    def write(self, data: bytes) -> None:
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise LinkError(f"{self.peer}: {error}") from error

    def part(self, timeout: float) -> None:
        """Leave a peer that may not survive it when it learns of that while it is about to send.

        So it is told when it has just sent something: read and drop what has come and what comes next, say that nothing
        more will come, read and drop what does until the peer has closed too, then close. A peer that is silent for
        ``timeout`` s, or goes on sending, is left without waiting longer.
        """
        with contextlib.suppress(OSError):
            self._drop(0.0)
            self.read(timeout)
            self._socket.shutdown(socket.SHUT_WR)
            self._drop(timeout)
        self.close()

    def _drop(self, timeout: float) -> None:
        for _ in range(READS):
            if not self.read(timeout):
                break

    @override
    def close(self) -> None:
        with contextlib.suppress(OSError):  # shutdown wakes a reader in another thread; not connected is fine
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class TcpServer:
    """Listens once made. ``allowed(host)`` decides who may connect; by default only this machine.

    port 0 takes a free one, see ``port``. write_timeout: of the connections, see ``TcpClient``.

    Raises:
        LinkError: it cannot listen there; the text names host, port and reason.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        allowed: Callable[[str], bool] | None = None,
        write_timeout: float = WRITE_TIMEOUT,
    ) -> None:
        if not 0 <= port <= 65535:
            raise LinkError(f"tcp://{place(host, port)}: cannot listen: a port is 0 to 65535")
        try:
            self._listener = listen(host, port)
        except OSError as error:
            raise LinkError(f"tcp://{place(host, port)}: cannot listen: {error}") from error
        self.host, self.port = self._listener.getsockname()[:2]
        self._allowed = allowed or _is_this_machine
        self._write_timeout = write_timeout
        self.refused = 0

    def fileno(self) -> int:
        """For a selector that waits for several connections."""
        return self._listener.fileno()

    def accept(self, timeout: float) -> TcpClient | None:
        """The next connection, or None when none came within ``timeout`` s; who may not connect is hung up on.

        Raises:
            LinkError: the server was closed.
        """
        try:
            self._listener.settimeout(timeout)
            connection, address = self._listener.accept()
        except TimeoutError:
            return None
        except OSError as error:
            raise LinkError(f"tcp://{place(self.host, self.port)}: {error}") from error
        if not self._allowed(address[0]):
            self.refused += 1
            connection.close()
            return None
        return TcpClient.from_socket(connection, f"tcp://{place(*address[:2])}", self._write_timeout)

    def close(self) -> None:
        """Stop listening; open connections stay."""
        self._listener.close()


def _is_this_machine(host: str) -> bool:
    return host.startswith("127.") or host == "::1"


PARTING = 0.2  # s to wait for what a server sends next, and for one that does not close its end


class PartingClient(TcpClient):
    """Leaves as ``TcpClient.part`` does: right after something was sent, and after the server has closed its end."""

    _parting = False

    @override
    def close(self) -> None:
        if not self._parting:
            self._parting = True
            self.part(PARTING)  # which comes back here
        else:
            super().close()
