# SPDX-License-Identifier: Apache-2.0
"""The stand-in on its port: who may come in, who is answered, and that nobody can stop it."""

import json
import socket
import time
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from waiting import until

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.standins.maeden import server as server_module
from embodiment_bridge.standins.maeden.server import MAX_GUESTS, MAX_LEFT, MaedenServer

WORLDS = Path(__file__).parents[2] / "data/maeden/worlds"
WAIT = '{"command": "w", "arguments": []}'


class Client:
    """One agent's connection."""

    def __init__(self, server):
        self.socket = socket.create_connection((server.host, server.port), 10.0)
        self.lines = self.socket.makefile("rb")

    def say(self, text):
        self.socket.sendall(text.encode() + b"\n")

    def hear(self):
        return self.lines.readline().decode().rstrip("\n")

    def close(self):
        self.lines.close()
        self.socket.close()


@pytest.fixture
def clients():
    made = []

    def make(server):
        made.append(Client(server))
        return made[-1]

    yield make
    for client in made:
        client.close()


def test_json_agent_is_told_its_id_and_what_it_sees_and_is_answered(clients):
    with MaedenServer(period=0.005) as server:
        agent = clients(server)
        assert agent.hear() == "0"
        first = json.loads(agent.hear())
        assert (first[0], first[7]) == ("CONTINUE", "ok")
        agent.say('{"command": "r", "arguments": []}')
        after = json.loads(agent.hear())
        assert after[7] == "ok"
        assert after[3] != first[3]  # it has turned, so it sees something else


def test_text_agent_says_its_role_first_and_a_wrong_one_is_hung_up_on(clients):
    with MaedenServer(build="text2017", period=0.005) as server:
        wrong, right = clients(server), clients(server)
        wrong.say("emperor")
        assert wrong.hear() == ""
        right.say("base")
        assert [right.hear(), right.hear()] == ["0", "8"]


def test_two_agents_are_in_one_world_and_one_that_goes_stops_nobody(clients):
    with MaedenServer(period=0.005) as server:
        first, second = clients(server), clients(server)
        assert {first.hear(), second.hear()} == {"0", "1"}
        second.hear()
        first.close()
        second.say('{"command": "w", "arguments": []}')
        assert json.loads(second.hear())[7] == "ok"
        assert len(server.simulation.world.agents) == 2  # it stays in the world, as with the simulator


def test_however_long_it_works_it_rests_so_that_who_answers_at_once_acts_in_every_cycle(clients, monkeypatch):
    """Two agents act in the same cycle only so, and hear each other only then."""
    clock = [0.0]  # only the server's own work and rest take time
    monkeypatch.setattr(server_module, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    with MaedenServer(period=0.2) as server:
        cycle, admit = server.simulation.cycle, server._admit
        agent = clients(server)
        agent.hear()
        agent.hear()
        acts, times = [], []

        def work(lines):
            clock[0] += 0.25  # a busy machine
            acts.append(len(lines))
            return cycle(lines)

        def rest(within):
            clock[0] += within
            if acts and acts[-1]:
                times.append(json.loads(agent.hear())[8])
            agent.say(WAIT)
            admit(0.05)

        server.simulation.cycle, server._admit = work, rest
        until(lambda: len(times) >= 4)
    assert [after - before for before, after in pairwise(times[:4])] == [1, 1, 1]


def test_world_without_food_says_nothing_to_who_acts_in_it_and_goes_on(clients):
    with MaedenServer(world=str(WORLDS / "nofood"), period=0.005) as server:
        for id_ in ("0", "1"):
            agent = clients(server)
            assert agent.hear() == id_
            agent.say(WAIT)
            time.sleep(0.05)  # some cycles


def test_line_without_end_is_not_kept(clients):
    with MaedenServer(period=0.005) as server:
        flood, other = clients(server), clients(server)
        flood.socket.sendall(b"x" * 200_000)
        other.hear()
        other.hear()
        other.say('{"command": "w", "arguments": []}')
        assert json.loads(other.hear())[7] == "ok"


def test_end_of_the_game_hangs_up(clients):
    with MaedenServer(period=0.005) as server:
        agent = clients(server)
        agent.hear()
        agent.hear()
        agent.say('{"command": "k", "arguments": []}')
        assert json.loads(agent.hear())[0] == "DIE"
        assert agent.hear() == ""


def test_who_is_hung_up_on_leaves_no_agent_by_what_he_said_next(clients):
    with MaedenServer(build="text2017", period=0.005) as server:
        wrong, right = clients(server), clients(server)
        wrong.say("emperor\nbase\nbase")
        assert wrong.hear() == ""
        right.say("base")
        assert right.hear() == "0"
        assert len(server.simulation.world.agents) == 1


def test_client_that_does_not_read_is_hung_up_on_and_stops_the_world_once(clients):
    with MaedenServer(period=0.005) as server:
        deaf = clients(server)
        deaf.hear()
        deaf.hear()
        other = clients(server)
        other.hear()
        other.hear()
        tried = []

        def full(data):
            tried.append(data)
            raise LinkError("timed out")

        server._guests[0].link.write = full
        deaf.say(WAIT)
        assert deaf.hear() == ""
        assert len(tried) == 1
        other.say(WAIT)
        assert json.loads(other.hear())[7] == "ok"


def test_clients_and_the_agents_that_they_leave_have_a_limit(clients):
    with MaedenServer(period=0.001) as server:
        for _ in range(MAX_LEFT + 20):
            agent = clients(server)
            agent.hear()
            agent.close()
        some = [clients(server) for _ in range(MAX_GUESTS + 10)]
        heard = [agent.hear() for agent in some]
        assert heard.count("") >= 10
        assert 0 < len(server.simulation.world.agents) <= MAX_LEFT + MAX_GUESTS
        assert str(MAX_LEFT + 20) in heard  # ids go on


def test_who_comes_and_is_gone_before_it_is_let_in_ends_nothing(clients):
    with MaedenServer(period=0.005) as server:
        accept, tried = server._server.accept, []

        def gone(timeout):
            tried.append(timeout)
            server._server.accept = accept
            raise LinkError("Software caused connection abort")

        server._server.accept = gone
        while not tried:
            time.sleep(0.001)
        assert clients(server).hear() == "0"


@pytest.mark.parametrize("options", [{"world": "/nowhere"}, {"build": "J9"}])
def test_unknown_world_or_build_is_refused(options):
    with pytest.raises(ConfigError, match=r"nowhere|J9"):
        MaedenServer(**options)
