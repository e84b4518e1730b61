# SPDX-License-Identifier: Apache-2.0
"""The connection that asks at another port first, against sockets that play the server."""

import threading

import pytest
from waiting import THREAD

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.transports import probed_client
from embodiment_bridge.link.transports.probed_client import ProbedClient
from embodiment_bridge.link.transports.tcp import TcpClient, TcpServer

LOTS = b"w" * 5_000_000  # more than any socket buffer holds


@pytest.fixture
def servers():
    monitor, agent = TcpServer(), TcpServer()
    yield monitor, agent
    monitor.close()
    agent.close()


def connect(monitor: TcpServer, agent: TcpServer) -> ProbedClient:
    return ProbedClient("127.0.0.1", monitor.port, agent.port, patience=THREAD)


def test_probe_is_read_until_the_first_message_and_then_hung_up(servers) -> None:
    monitor, agent = servers
    ends = {}

    def serve() -> None:
        ends["probe"] = monitor.accept(THREAD)
        ends["probe"].write(b"world")
        ends["link"] = agent.accept(THREAD)
        ends["probe"].write(LOTS)
        ends["link"].write(b"percept")

    thread = threading.Thread(target=serve)
    thread.start()
    client = connect(monitor, agent)
    while not (data := client.read(0.05)):
        pass
    thread.join()
    assert data == b"percept"
    with pytest.raises(LinkError):
        ends["probe"].read(THREAD)
    client.write(b"answer")
    assert ends["link"].read(THREAD) == b"answer"
    client.close()
    for end in ends.values():
        end.close()


def test_server_whose_other_port_is_silent_is_joined_without_it(servers, caplog) -> None:
    monitor, agent = servers
    ends = []
    thread = threading.Thread(target=lambda: ends.extend((monitor.accept(THREAD), agent.accept(THREAD))))
    thread.start()
    client = ProbedClient("127.0.0.1", monitor.port, agent.port, patience=0.1)
    thread.join()
    assert f"nothing is said on port {monitor.port}" in caplog.text
    with pytest.raises(LinkError, match="closed"):
        ends[0].read(THREAD)
    ends[0].close()
    talk(client, ends[1])


@pytest.mark.parametrize("known", [False, True], ids=["no port", "nobody accepts"])
def test_server_without_another_port_is_joined_after_a_while(servers, known) -> None:
    monitor, agent = servers
    port = monitor.port if known else 0
    monitor.close()
    ends = []
    thread = threading.Thread(target=lambda: ends.append(agent.accept(THREAD)))
    thread.start()
    client = ProbedClient("127.0.0.1", port, agent.port, patience=THREAD, settle=0.1)
    thread.join()
    talk(client, ends[0])


def test_other_port_that_listens_later_is_still_asked(servers, monkeypatch) -> None:
    """A server that begins to listen on one port after the other."""
    monitor, agent = servers
    port = monitor.port
    monitor.close()
    ends = {}
    listening = threading.Event()
    settled = probed_client._settled

    def settled_late(*place) -> TcpClient:
        link = settled(*place)
        assert listening.wait(THREAD)
        return link

    monkeypatch.setattr(probed_client, "_settled", settled_late)

    def serve() -> None:
        ends["link"] = agent.accept(THREAD)
        late = TcpServer(port=port)
        listening.set()
        ends["probe"] = late.accept(THREAD)
        ends["probe"].write(b"world")
        late.close()

    thread = threading.Thread(target=serve)
    thread.start()
    client = ProbedClient("127.0.0.1", port, agent.port, patience=THREAD, settle=0.5)
    thread.join()
    talk(client, ends["link"])
    with pytest.raises(LinkError):
        ends["probe"].read(THREAD)
    ends["probe"].close()


def test_server_that_speaks_too_early_is_not_joined(servers) -> None:
    agent = servers[1]
    ends = []

    def serve() -> None:
        ends.append(agent.accept(THREAD))
        ends[0].write(b"what")

    thread = threading.Thread(target=serve)
    thread.start()
    with pytest.raises(LinkError, match="4 bytes before it was told anything"):
        ProbedClient("127.0.0.1", 0, agent.port, patience=THREAD, settle=5.0)
    thread.join()
    ends[0].close()


def talk(client, end) -> None:
    """Both ends hear each other, and then close."""
    client.write(b"init")
    assert end.read(THREAD) == b"init"
    end.write(b"percept")
    assert client.read(THREAD) == b"percept"
    client.close()
    end.close()


def test_nobody_at_the_agents_port(servers) -> None:
    monitor, agent = servers
    agent.close()

    def serve() -> None:
        probe = monitor.accept(THREAD)
        probe.write(b"world")
        with pytest.raises(LinkError):
            probe.read(THREAD)
        probe.close()

    thread = threading.Thread(target=serve)
    thread.start()
    with pytest.raises(LinkError, match="refused"):
        connect(monitor, agent)
    thread.join()


def test_probe_that_ends_early_is_no_harm(servers) -> None:
    monitor, agent = servers

    def serve() -> None:
        probe = monitor.accept(THREAD)
        probe.write(b"world")
        link = agent.accept(THREAD)
        probe.close()
        link.write(b"percept")
        link.close()

    thread = threading.Thread(target=serve)
    thread.start()
    client = connect(monitor, agent)
    while not (data := client.read(0.05)):
        pass
    assert data == b"percept"
    thread.join()
    client.close()


def test_first_message_is_kept_back_until_the_server_has_closed_the_probe(servers) -> None:
    monitor, agent = servers
    order = []

    def serve() -> None:
        probe = monitor.accept(THREAD)
        probe.write(b"world")
        link = agent.accept(THREAD)
        link.write(b"percept")
        with pytest.raises(LinkError, match="closed"):
            probe.read(THREAD)
        order.append("server saw the end of the probe")
        probe.close()
        link.close()

    thread = threading.Thread(target=serve)
    thread.start()
    client = connect(monitor, agent)
    drop = client._probe._drop
    client._probe._drop = lambda timeout: drop(THREAD if timeout else 0.0)  # the server may be slow
    while not client.read(0.05):
        pass
    order.append("client has the message")
    thread.join()
    client.close()
    assert order == ["server saw the end of the probe", "client has the message"]


def test_server_that_keeps_the_probe_open_is_left_all_the_same(servers) -> None:
    monitor, agent = servers
    ends = []

    def serve() -> None:
        ends.append(monitor.accept(THREAD))
        ends[0].write(b"world")
        ends.append(agent.accept(THREAD))
        ends[1].write(b"percept")

    thread = threading.Thread(target=serve)
    thread.start()
    client = connect(monitor, agent)
    thread.join()
    while not (data := client.read(0.05)):
        pass
    assert data == b"percept"
    client.close()
    for end in ends:
        end.close()


def test_server_that_goes_on_sending_to_the_probe_is_joined_all_the_same(servers, monkeypatch) -> None:
    monitor, agent = servers
    ends = []

    def serve() -> None:
        ends.append(monitor.accept(THREAD))
        ends[0].write(b"world")
        ends.append(agent.accept(THREAD))
        ends[1].write(b"percept")

    thread = threading.Thread(target=serve)
    thread.start()
    client = connect(monitor, agent)
    thread.join()
    worlds = iter([b"world"] * 1000)
    monkeypatch.setattr(client._probe, "read", lambda timeout: next(worlds))
    while not (data := client.read(0.05)):
        pass
    assert data == b"percept"
    assert len(list(worlds)) > 500
    with pytest.raises(LinkError):
        ends[0].read(THREAD)
    client.close()
    for end in ends:
        end.close()
