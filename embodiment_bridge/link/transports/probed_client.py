# SPDX-License-Identifier: Apache-2.0
"""A TCP connection to a server that listens before it can serve.

Its first message on another port says that it can. RCSSServerMJ 0.2.1 also does not survive it when that other
connection ends while it is about to send there (OSError in its simulation thread). So the probe stays open, and is
read, until the server's first message to us. Then, before we answer, the server either waits for us (``--sync``) or
has some 40 ms until it sends to the probe again. In that time we part, and go on when it has closed its end.

Where nothing can be learned from the other port (it is not known, does not answer, or says nothing, as that of 0.1 and
0.2.0), a server that has listened for a while is taken to be ready.
"""

import logging

from typing_extensions import override

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.transports.base import Transport
from embodiment_bridge.link.transports.tcp import READS, SHARED_WRITE_TIMEOUT, TcpClient

_LOG = logging.getLogger(__name__)

SETTLE = 3.0  # s from the first connection on; a soccer world compiles in 1 to 3 s
PARTING = 0.2  # s in which a server in real time sends to the probe, and a busy one in --sync gets to where it waits


class ProbedClient(Transport):
    """Waits for bytes on ``probe_port``, then connects to ``port``; a Transport.

    Args:
        host: of both ports.
        probe_port: 0 where there is none.
        port: of the connection.
        patience: s; a probe that says nothing for so long will not say anything.
        settle: s; how long a server has to have listened, if the probe does not say that it is ready.

    Raises:
        LinkError: no connection was accepted on ``port``, or the server left before it was ready.
    """

    def __init__(
        self, host: str, probe_port: int, port: int, *, patience: float, settle: float = SETTLE
    ) -> None:
        self._probe = _listening(host, probe_port)
        link: TcpClient | None = None
        try:
            if self._probe is None:
                link = _settled(host, port, settle)
                self._probe = _listening(host, probe_port)  # it may only have been about to listen
            if self._probe is not None and not self._probe.read(patience):
                self._hang_up()
            if probe_port and self._probe is None:
                _LOG.warning("nothing is said on port %d of %s; joining without it", probe_port, host)
            self._link = link or TcpClient(host, port, write_timeout=SHARED_WRITE_TIMEOUT)
        except LinkError:
            self._hang_up()
            if link is not None:
                link.close()
            raise
        self.peer = self._link.peer

    @override
    def fileno(self) -> int | None:
        return None if self._probe is not None else self._link.fileno()

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
        """Read what has come on the probe: a server waits for a client that does not read."""
        try:
            for _ in range(READS):
                if self._probe is None or not self._probe.read(0.0):
                    break
        except LinkError:
            self._hang_up()

    def _part(self) -> None:
        """Leave the probe when the server has just sent to it, or sends nothing."""
        probe, self._probe = self._probe, None
        if probe is not None:
            probe.part(PARTING)

    def _hang_up(self) -> None:
        probe, self._probe = self._probe, None
        if probe is not None:
            probe.close()


def _listening(host: str, port: int) -> TcpClient | None:
    """A connection to the probe's port; None where it is not set, or none is accepted."""
    try:
        return TcpClient(host, port) if port else None
    except LinkError:
        return None


def _settled(host: str, port: int, settle: float) -> TcpClient:
    """A connection to a server that has listened for ``settle`` s, in which it was told nothing.

    Raises:
        LinkError: no connection was accepted, the server closed it, or it spoke before it was spoken to.
    """
    link = TcpClient(host, port, write_timeout=SHARED_WRITE_TIMEOUT)
    try:
        early = link.read(settle)
    except LinkError:
        link.close()
        raise
    if early:
        link.close()
        raise LinkError(f"{link.peer}: sent {len(early)} bytes before it was told anything")
    return link
