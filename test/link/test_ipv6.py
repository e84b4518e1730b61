# SPDX-License-Identifier: Apache-2.0
"""What listens on IPv4 listens on IPv6 too, and a place is written so that it can be read back."""

import socket

import pytest
from waiting import THREAD

from embodiment_bridge.cli.commands.peer import PEERS
from embodiment_bridge.core.listening import listen, place
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.dynamixel.virtual.tcp_port import TcpPort
from embodiment_bridge.link.transports.tcp import TcpClient, TcpServer


@pytest.fixture(autouse=True)
def ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.skip(f"IPv6 is not here: {error}")


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("name", sorted(PEERS))
def test_every_stand_in_listens_where_it_is_told(name, host):
    options = {option.name: option.default for option in PEERS[name].options}
    if "monitor_port" in options:
        options["monitor_port"] = 0
    with resolve(PEERS[name].server)(host, 0, **options) as server:
        assert server.host == host
        TcpClient(host, server.port).close()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_server_and_client_meet(host):
    server = TcpServer(host)
    client = TcpClient(host, server.port)
    other = server.accept(THREAD)
    assert client.peer == f"tcp://{place(host, server.port)}"
    assert other.peer.startswith(f"tcp://{place(host, 0)[:-1]}")
    for end in (client, other, server):
        end.close()


def test_virtual_servos_listen_on_ipv6():
    port = TcpPort("::1", 0)
    assert port.listener.family == socket.AF_INET6
    port.listener.close()


@pytest.mark.parametrize("host", ["", "localhost"])
def test_names_and_all_addresses_are_listened_on(host):
    with listen(host, 0) as listener:
        assert listener.getsockname()[1]


@pytest.mark.parametrize(
    ("host", "text"), [("127.0.0.1", "127.0.0.1:5"), ("::1", "[::1]:5"), ("robot", "robot:5")]
)
def test_place(host, text):
    assert place(host, 5) == text
