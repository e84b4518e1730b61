# SPDX-License-Identifier: Apache-2.0
"""A TCP connection to a server that listens before it can serve.

Its first message on another port says that it can. RCSSServerMJ 0.2.1 also does not survive it when that other
connection ends while it is about to send there (OSError in its simulation thread). So the probe stays open, and is
read, until the server's first message to us. Then, before we answer, the server either waits for us (``--sync``) or
has some 40 ms until it sends to the probe again. In that time we part, and go on when it has closed its end.
"""

from typing_extensions import override

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.link.transports.tcp_client import TcpClient

QUIET = 0.2  # s in which a server in real time sends to the probe, and a busy one in --sync gets to where it waits
PARTING = 0.2  # s to wait for a server that does not close its end


class ProbedClient(Transport):
    """Waits for bytes on ``probe_port``, then connects to ``port``; a Transport.

    Raises:
        LinkError: nobody accepted, or nothing came on the probe's port within ``patience`` s.
    """

    def __init__(self, host: str, probe_port: int, port: int, *, patience: float) -> None:
        self._probe: TcpClient | None = TcpClient(host, probe_port)
        try:
            if not self._probe.read(patience):
                raise LinkError(
                    f"{self._probe.peer}: nothing came within {patience:g} s; the server's world is not ready"
                )
            self._link = TcpClient(host, port)
        except LinkError:
            self._probe.close()
            raise
        self.peer = self._link.peer

    @override
    def read(self, timeout: float) -> bytes:
        self._drain()
        data = self._link.read(timeout)
        if data and self._probe is not None:
            self._part()
        return data

    @override
    def write(self, data: bytes) -> None:
        self._link.write(data)

    @override
    def close(self) -> None:
        self._link.close()
        self._hang_up()

    def _drain(self) -> None:
        """Read what has come on the probe: a server waits for whoever does not read."""
        try:
            while self._probe is not None and self._probe.read(0.0):
                pass
        except LinkError:
            self._hang_up()

    def _part(self) -> None:
        """Leave the probe when the server has just sent to it, or sends nothing."""
        self._drain()
        try:
            if self._probe is not None:
                self._probe.read(QUIET)
                self._probe.part(PARTING)
        except LinkError:
            pass
        self._hang_up()

    def _hang_up(self) -> None:
        probe, self._probe = self._probe, None
        if probe is not None:
            probe.close()
