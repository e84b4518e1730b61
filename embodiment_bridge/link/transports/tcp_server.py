# SPDX-License-Identifier: Apache-2.0
"""A TCP port that we listen on, and the connections that come in."""

from collections.abc import Callable

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.core.listening import listen, place
from embodiment_bridge.link.transports.tcp_client import WRITE_TIMEOUT, TcpClient


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
