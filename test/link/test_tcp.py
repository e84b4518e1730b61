# SPDX-License-Identifier: Apache-2.0
"""The TCP transports on loopback: clients, servers, IPv6, and a client that parts without harm."""

import socket
import threading

import pytest
from waiting import THREAD

from embodiment_bridge.cli.commands.peer import PEERS
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.core.listening import listen, place
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.dynamixel.virtual.tcp_port import TcpPort
from embodiment_bridge.link.transports import tcp
from embodiment_bridge.link.transports.tcp import PartingClient, TcpClient, TcpServer


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


@pytest.fixture
def ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError as error:
        pytest.skip(f"IPv6 is not here: {error}")


@pytest.mark.usefixtures("ipv6")
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
@pytest.mark.parametrize("name", sorted(PEERS))
def test_every_stand_in_listens_where_it_is_told(name, host):
    options = {option.name: option.default for option in PEERS[name].options}
    if "monitor_port" in options:
        options["monitor_port"] = 0
    with resolve(PEERS[name].server)(host, 0, **options) as server:
        assert server.host == host
        TcpClient(host, server.port).close()


@pytest.mark.usefixtures("ipv6")
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_server_and_client_meet(host):
    server = TcpServer(host)
    client = TcpClient(host, server.port)
    other = server.accept(THREAD)
    assert client.peer == f"tcp://{place(host, server.port)}"
    assert other.peer.startswith(f"tcp://{place(host, 0)[:-1]}")
    for end in (client, other, server):
        end.close()


@pytest.mark.usefixtures("ipv6")
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


def serve(listener, talk):
    thread = threading.Thread(target=lambda: talk(listener.accept()[0]))
    thread.start()
    return thread


def test_server_can_send_until_it_has_heard_that_the_client_leaves(monkeypatch):
    monkeypatch.setattr(tcp, "PARTING", THREAD)  # the server may be slow
    after = []

    def talk(link):
        with link:
            link.sendall(b"hello")
            while link.recv(100):
                pass
            link.sendall(b"one more that was under way" * 1000)  # this would break on a closed connection
            link.sendall(b"and another" * 1000)
            after.append("sent")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = serve(listener, talk)
        client = PartingClient(*listener.getsockname())
        assert client.read(THREAD)
        client.close()
        client.close()
        thread.join(THREAD)
    assert after == ["sent"]


def test_client_leaves_right_after_the_server_has_sent_something(monkeypatch):
    monkeypatch.setattr(tcp, "PARTING", THREAD)
    left, closing = [], threading.Event()

    def talk(link):
        with link:
            link.sendall(b"old")
            assert closing.wait(THREAD)
            link.settimeout(0.1)
            with pytest.raises(TimeoutError):  # the client waits for what comes next
                link.recv(100)
            link.settimeout(THREAD)
            link.sendall(b"new")
            left.append(link.recv(100))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = serve(listener, talk)
        client = PartingClient(*listener.getsockname())
        assert client.read(THREAD) == b"old"
        drop = client._drop

        def dropped(timeout):
            drop(timeout)
            closing.set()

        client._drop = dropped
        client.close()
        thread.join(THREAD)
    assert left == [b""]


def test_server_that_goes_on_sending_is_left_at_last():
    broken = []

    def talk(link):
        with link:
            try:
                while True:
                    link.sendall(b"x" * 1000)
            except OSError:
                broken.append(True)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = serve(listener, talk)
        client = PartingClient(*listener.getsockname())
        client.close()
        thread.join(THREAD)
    assert broken


def test_silent_server_is_left():
    ended = threading.Event()

    def talk(link):
        with link:
            ended.wait(THREAD)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = serve(listener, talk)
        PartingClient(*listener.getsockname()).close()
        ended.set()
        thread.join(THREAD)
