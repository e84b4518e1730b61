# SPDX-License-Identifier: Apache-2.0
"""The stand-in on real sockets: several agents, sync mode, recordings, faults, clients that misbehave."""

import contextlib
import re
import socket
import time
from pathlib import Path

import pytest
from waiting import THREAD

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.standins.simspark.server import LATEST, SimsparkServer
from embodiment_bridge.standins.simspark.world import CYCLE_S
from embodiment_bridge.wire.framing import Framer

DATA = Path(__file__).parents[2] / "data/simspark"
SCENE = "(scene rsg/agent/nao/nao.rsg)"


class Agent:
    """A client that writes and reads frames."""

    def __init__(self, server):
        self.socket = socket.create_connection((server.host, server.port), THREAD)
        self.framer = Framer()
        self.waiting = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def tell(self, text):
        payload = text.encode()
        self.socket.sendall(len(payload).to_bytes(4, "big") + payload)

    def hear(self):
        while not self.waiting:
            data = self.socket.recv(1 << 16)
            if not data:
                raise EOFError
            self.waiting += [found.payload.decode() for found in self.framer.feed(data)]
        return self.waiting.pop(0)

    def until(self, *words):
        for _ in range(500):
            text = self.hear()
            if all(word in text for word in words):
                return text
        raise AssertionError(f"never heard {words}, but {text}")

    def join(self, number=1, team="a"):
        self.tell(SCENE)
        self.hear()
        self.tell(f"(init (unum {number})(teamname {team}))(syn)")
        return self.until("unum")


@pytest.fixture
def server():
    with SimsparkServer(noise=False) as server:
        yield server


def test_several_agents_see_and_hear_each_other(server):
    with Agent(server) as one, Agent(server) as two:
        assert "(unum 1) (team left)" in one.join(1, "a")
        assert "(unum 4) (team right)" in two.join(4, "b")
        one.tell("(beam -2 0 0)")
        two.tell("(beam -2 0 0)")
        one.until("(P (team b) (id 4) (head")
        two.tell("(say hi)")
        assert re.search(r"\(hear b [\d.]+ -?[\d.]+ hi\)", one.until("(hear"))


def test_world_that_takes_longer_than_its_cycle_still_hears_its_clients(server, monkeypatch):
    step = server.world.step

    def slow_step():
        time.sleep(2 * CYCLE_S)
        step()

    monkeypatch.setattr(server.world, "step", slow_step)
    time.sleep(2 * LATEST)  # now it is as late as it can be
    with Agent(server) as agent:
        assert "(unum 1) (team left)" in agent.join()


def test_burst_runs_cycles_in_a_row_and_reads_nothing_meanwhile(monkeypatch):
    with SimsparkServer(noise=False, burst=10) as server, Agent(server) as agent:
        read_at, select = set(), server._select

        def watched_select(timeout):
            read_at.add(server.world.cycle % 10)
            select(timeout)

        monkeypatch.setattr(server, "_select", watched_select)
        agent.join()
        for _ in range(30):
            agent.hear()
        assert read_at == {0}


@pytest.mark.parametrize("options", [{"burst": 0}, {"burst": 2, "sync": True}])
def test_burst_that_cannot_be_is_refused(options):
    with pytest.raises(ConfigError, match="burst is"):
        SimsparkServer(**options)


def test_nothing_is_said_before_a_scene_is_asked_for(server):
    with Agent(server) as quiet:
        quiet.socket.settimeout(0.2)
        with pytest.raises(TimeoutError):
            quiet.hear()


def test_agent_that_leaves_takes_its_robot_along(server):
    with Agent(server) as stays:
        with Agent(server) as leaves:
            stays.join(1)
            leaves.join(2)
        for _ in range(500):
            stays.hear()
            with server.lock:
                numbers = [player.number for player in server.world.players]
            if numbers == [1]:
                break
        assert numbers == [1]


def test_killed_agent_hears_its_last_percept_for_ever(server):
    with Agent(server) as agent:
        agent.join()
        with server.lock:
            server.world.kill(server.world.players[0])
        first = last = agent.hear()
        before = ""
        for _ in range(500):  # what was sent while it lived may still be on its way
            if last == before:
                break
            before, last = last, agent.hear()
        assert {agent.hear() for _ in range(30)} == {last}
        assert last.startswith(first[:6])


def test_in_sync_mode_one_syn_is_one_percept():
    with SimsparkServer(sync=True, realtime=False) as server, Agent(server) as agent:
        agent.join()
        for _ in range(20):
            agent.tell("(syn)")
            agent.hear()
        agent.tell("(he1 1)")  # no syn: the server waits
        agent.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            agent.until("never said")
        agent.socket.settimeout(THREAD)
        agent.tell("(syn)")
        assert "(n hj1) (ax 1.15)" in agent.hear()


def test_recording_is_played_to_whoever_says_something():
    with SimsparkServer(recording=str(DATA / "short_agent_nao.bin")) as server, Agent(server) as agent:
        agent.tell(SCENE)
        assert agent.hear().startswith("(time (now 2.80))")
        assert "(unum 1) (team left)" in agent.until("unum")


def test_client_that_does_not_read_loses_whole_messages_and_stops_nobody(server):
    with Agent(server) as lazy, Agent(server) as other:
        lazy.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        lazy.join(1)
        other.join(2)
        times = [other.hear()[:20] for _ in range(60)]
        assert len(set(times)) == 60
        assert lazy.hear().startswith("(time")  # framing is intact


def test_cut_hangs_up():
    with SimsparkServer(cut=0.2) as server, Agent(server) as agent:
        agent.tell(SCENE)
        with pytest.raises((EOFError, ConnectionError)):
            agent.until("never said")


def test_faults_show_in_the_messages():
    with SimsparkServer(nan=1.0, unknown=1.0, sync=True, realtime=False) as server, Agent(server) as agent:
        agent.tell(SCENE)
        text = agent.hear()
        assert "nan" in text
        assert "(foo (n bar)" in text


def test_lost_messages_are_gaps_in_time():
    with SimsparkServer(lost=0.5) as server, Agent(server) as agent:
        agent.tell(SCENE)
        times = [float(re.search(r"now ([\d.]+)", agent.hear())[1]) for _ in range(30)]
        assert times[-1] - times[0] > 0.02 * 35


@pytest.mark.parametrize(
    "junk", [b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\3(((", b"GET / HTTP/1.1\r\n\r\n"]
)
def test_junk_harms_nobody(server, junk):
    with Agent(server) as bad, Agent(server) as good:
        bad.socket.sendall(junk)
        assert "unum" in good.join()


def test_more_clients_than_there_are_places_are_sent_away(server):
    with contextlib.ExitStack() as clients:
        agents = [clients.enter_context(Agent(server)) for _ in range(70)]
        agents[0].join()
        with pytest.raises((EOFError, ConnectionError)):
            agents[69].hear()


def test_port_that_is_taken_is_a_clear_error(server):
    with pytest.raises(LinkError, match=f"127.0.0.1:{server.port}"):
        SimsparkServer(port=server.port)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"realtime": False}, "sync"),
        ({"recording": "/no/such"}, "/no/such"),
        ({"recording": __file__}, "no message"),
    ],
)
def test_options_that_cannot_be_are_refused(options, named):
    with pytest.raises(ConfigError, match=named):
        SimsparkServer(**options)


def test_closing_hangs_up_and_frees_the_port():
    with SimsparkServer() as server:
        agent = Agent(server)
    with agent, pytest.raises((EOFError, ConnectionError)):
        agent.hear()
    server.close()
    with SimsparkServer(port=server.port) as again:
        assert again.port == server.port
