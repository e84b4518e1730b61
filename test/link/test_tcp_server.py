# SPDX-License-Identifier: Apache-2.0
"""The listening TCP transport on loopback."""

import pytest
from waiting import THREAD

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.transports.tcp import TcpClient, TcpServer


def test_connections_come_in_as_transports() -> None:
    server = TcpServer()
    client = TcpClient("127.0.0.1", server.port)
    peer = server.accept(THREAD)
    client.write(b"ping")
    assert peer.read(THREAD) == b"ping"
    peer.write(b"pong")
    assert client.read(THREAD) == b"pong"
    for end in (client, peer, server):
        end.close()
    with pytest.raises(LinkError):
        server.accept(0.1)


def test_nobody_came_is_no_error() -> None:
    server = TcpServer()
    assert server.accept(0.01) is None
    server.close()


def test_who_may_not_connect_is_hung_up_on() -> None:
    server = TcpServer(allowed=lambda host: host == "127.0.0.2")
    client = TcpClient("127.0.0.1", server.port)
    assert server.accept(THREAD) is None
    assert server.refused == 1
    with pytest.raises(LinkError, match="closed by the peer"):
        client.read(THREAD)
    client.close()
    server.close()


def test_port_in_use_is_named() -> None:
    server = TcpServer()
    with pytest.raises(LinkError, match=rf"tcp://127\.0\.0\.1:{server.port}: cannot listen"):
        TcpServer(port=server.port)
    server.close()
