# SPDX-License-Identifier: Apache-2.0
"""A TCP connection that ends without harm to a server that is just sending.

rcssservermj 0.2.1 may not survive it when a monitor's connection is closed in the moment in which it sends there.
"""

import contextlib
import socket

from typing_extensions import override

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.transports.tcp_client import TcpClient

PARTING = 0.2  # s to wait for a server that sends nothing more and does not close its end
READS = 100  # that are made of one which goes on sending and does not close either


class PartingClient(TcpClient):
    """Says first that nothing more will come, and reads what does until the server has closed its end."""

    _parting = False

    @override
    def close(self) -> None:
        if not self._parting:
            self._parting = True
            with contextlib.suppress(OSError, LinkError):
                self._socket.shutdown(socket.SHUT_WR)
                for _ in range(READS):
                    if not self.read(PARTING):
                        break
        super().close()
