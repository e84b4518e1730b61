# SPDX-License-Identifier: Apache-2.0
"""The connection that asks at another port first, against sockets that play the server."""

import threading
from collections.abc import Callable

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


def begun(serve: Callable[[], None]) -> threading.Thread:
    """The server's side, on a thread."""
    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def first(client: ProbedClient) -> bytes:
    """What comes first."""
    while not (data := client.read(0.05)):
        pass
    return data


def test_probe_is_read_until_the_first_message_and_then_hung_up(servers) -> None:
    monitor, agent = servers
    ends = {}

    def serve() -> None:
        ends["probe"] = monitor.accept(THREAD)
        ends["probe"].write(b"world")
        ends["link"] = agent.accept(THREAD)
        ends["probe"].write(LOTS)
        ends["link"].write(b"percept")

    thread = begun(serve)
    client = connect(monitor, agent)
    assert first(client) == b"percept"
    thread.join()
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
    thread = begun(lambda: ends.extend((monitor.accept(THREAD), agent.accept(THREAD))))
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
    thread = begun(lambda: ends.append(agent.accept(THREAD)))
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

    thread = begun(serve)
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

    thread = begun(serve)
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

    thread = begun(serve)
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

    thread = begun(serve)
    client = connect(monitor, agent)
    assert first(client) == b"percept"
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

    thread = begun(serve)
    client = connect(monitor, agent)
    drop = client._probe._drop
    client._probe._drop = lambda timeout: drop(THREAD if timeout else 0.0)  # the server may be slow
    first(client)
    order.append("client has the message")
    thread.join()
    client.close()
    assert order == ["server saw the end of the probe", "client has the message"]


@pytest.mark.parametrize("sends", [False, True], ids=["keeps it open", "goes on sending"])
def test_server_that_does_not_end_the_probe_is_joined_all_the_same(servers, monkeypatch, sends) -> None:
    monitor, agent = servers
    ends = []

    def serve() -> None:
        ends.append(monitor.accept(THREAD))
        ends[0].write(b"world")
        ends.append(agent.accept(THREAD))
        ends[1].write(b"percept")

    thread = begun(serve)
    client = connect(monitor, agent)
    thread.join()
    worlds = iter([b"world"] * 1000)
    if sends:
        monkeypatch.setattr(client._probe, "read", lambda timeout: next(worlds))
    assert first(client) == b"percept"
    if sends:
        assert len(list(worlds)) > 500
        with pytest.raises(LinkError):
            ends[0].read(THREAD)
    client.close()
    for end in ends:
        end.close()
