# SPDX-License-Identifier: Apache-2.0
"""The TCP transport against real sockets on loopback."""

import socket
import threading

import pytest
from waiting import THREAD

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.transports.tcp import TcpClient


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(THREAD)
        yield server


def port(listener: socket.socket) -> int:
    return listener.getsockname()[1]


def test_bytes_go_both_ways(listener) -> None:
    client = TcpClient("127.0.0.1", port(listener))
    peer, _ = listener.accept()
    with peer:
        client.write(b"ping")
        assert peer.recv(10) == b"ping"
        peer.sendall(b"pong")
        assert client.read(THREAD) == b"pong"
        assert client.read(0.01) == b""
    with pytest.raises(LinkError, match="closed by the peer"):
        client.read(THREAD)
    client.close()
    client.close()


def test_nobody_there_names_host_and_port(listener) -> None:
    number = port(listener)
    listener.close()
    with pytest.raises(LinkError, match=rf"tcp://127\.0\.0\.1:{number}: .*refused"):
        TcpClient("127.0.0.1", number)


def test_close_wakes_a_reader(listener) -> None:
    client = TcpClient("127.0.0.1", port(listener))
    threading.Timer(0.1, client.close).start()
    with pytest.raises(LinkError):
        client.read(30.0)
    with pytest.raises(LinkError):
        client.write(b"late")


def test_peer_that_takes_nothing_ends_a_write(listener) -> None:
    client = TcpClient("127.0.0.1", port(listener), write_timeout=0.05)
    peer, _ = listener.accept()
    with peer, pytest.raises(LinkError, match="timed out"):
        client.write(bytes(1 << 26))
    client.close()
