# SPDX-License-Identifier: Apache-2.0
"""A TCP connection that ends without harm to a server that is just sending.

rcssservermj 0.2.1 may not survive it when a monitor's connection is closed in the moment in which it sends there.
"""

from typing_extensions import override

from embodiment_bridge.link.transports.tcp_client import TcpClient

PARTING = 0.2  # s to wait for a server that sends nothing more and does not close its end


class PartingClient(TcpClient):
    """Says first that nothing more will come, and reads what does until the server has closed its end."""

    _parting = False

    @override
    def close(self) -> None:
        if not self._parting:
            self._parting = True
            self.part(PARTING)  # which comes back here
        else:
            super().close()
