# SPDX-License-Identifier: Apache-2.0
"""A TCP connection that ends without harm to a server that is just sending.

rcssservermj 0.2.1 may not survive it when a monitor's connection is closed in the moment in which it sends there.
"""

from typing_extensions import override

from embodiment_bridge.link.transports.tcp_client import TcpClient

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
