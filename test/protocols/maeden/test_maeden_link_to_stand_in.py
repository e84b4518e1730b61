# SPDX-License-Identifier: Apache-2.0
"""Our link against the stand-in on a real socket: every dialect, every fault, and many agents at once."""

import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from waiting import THREAD, until

from embodiment_bridge.core.errors import ConfigError, LinkError, LinkOverError
from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.link.transports.tcp import TcpClient
from embodiment_bridge.protocols.maeden import SPEC
from embodiment_bridge.protocols.maeden import link as link_module
from embodiment_bridge.protocols.maeden.codec import Codec
from embodiment_bridge.protocols.maeden.conversation import Answer, Closed, NoReply
from embodiment_bridge.protocols.maeden.events import Act
from embodiment_bridge.protocols.maeden.link import make_link
from embodiment_bridge.standins.maeden.server import MaedenServer
from embodiment_bridge.wire.codec import Malformed

AGENTS = 50
COMMANDS = 10


class Agent:
    """A link and what it told."""

    def __init__(self, server, **parameters):
        values = {parameter.name: parameter.default for parameter in SPEC.parameters}
        values |= {"settle": 0.1, "reply_timeout": 10.0, **parameters}
        transport = TcpClient(server.host, server.port)
        self.link = make_link(values, transport, Codec(values["dialect"]), Counters(), time.monotonic)
        self.told = []

    def of(self, kind):
        return [event for event in self.told if isinstance(event, kind)]

    def until(self, condition):
        until(lambda: condition() or self.told.extend(self.link.read(0.05)), lambda: self.told[-3:])

    def do(self, action):
        before = len(self.of((Answer, NoReply)))
        assert self.link.write([Act(action)])
        self.until(lambda: len(self.of((Answer, NoReply))) > before)
        return self.of((Answer, NoReply))[before]


@pytest.fixture
def agents():
    made = []

    def make(server, **parameters):
        made.append(Agent(server, **parameters))
        made[-1].until(lambda: made[-1].of(Answer))
        return made[-1]

    yield make
    for agent in made:
        agent.link.close()


@pytest.mark.parametrize("build", ["T", "J3", "J4"])
def test_dialect_is_found_out_and_commands_are_answered(build, agents):
    with MaedenServer(build=build, period=0.01) as server:
        agent = agents(server)
        first = agent.of(Answer)[0].percept
        assert "0" in first.view[1][2]
        for action in ("forward", "right", "backward"):
            answer = agent.do(action)
            assert answer.command == Act(action)
            assert "0" in answer.percept.view[1][2]


@pytest.mark.parametrize("fault", ["doubled", "mixed", "halves"])
@pytest.mark.parametrize("build", ["T", "J4"])
def test_first_packets_that_come_twice_and_halves_of_lines_shift_no_answer(build, fault, agents):
    with MaedenServer(build=build, period=0.01, fault=fault) as server:
        agent = agents(server, dialect="text" if build == "T" else "json")
        answers = [agent.do("right") for _ in range(5)]
        assert all(answer.command == Act("right") for answer in answers)
        times = [answer.percept.world_time for answer in agent.of(Answer)]
        assert times == sorted(set(times))
        assert not agent.of((Malformed, NoReply))


def test_an_answer_that_never_comes_is_told_and_the_next_command_has_its_own(agents):
    with MaedenServer(period=0.01, fault="silent", fault_every=3) as server:
        agent = agents(server, reply_timeout=2.0)
        done = [agent.do("right") for _ in range(2)]
        lost = agent.do("left")
        assert isinstance(lost, NoReply)
        assert lost.command == Act("left")
        agent.until(lambda: isinstance(agent.of((Answer, NoReply))[-1], Answer))
        assert isinstance(agent.do("right"), Answer)
        assert all(isinstance(answer, Answer) for answer in done)


@contextmanager
def stand_in():
    """The stand-in in a process of its own, which can be stopped."""
    words = [str(Path(sys.executable).with_name("embodiment_bridge")), "peer", "maeden", "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        host, _, port = process.stdout.readline().split()[-1].rpartition(":")
        yield process, SimpleNamespace(host=host, port=int(port))
    finally:
        process.kill()
        process.communicate()


def test_server_that_stands_still_is_silent_until_it_goes_on(monkeypatch, agents):
    monkeypatch.setattr(link_module, "SILENT_S", 0.1)
    with stand_in() as (process, server):
        agent = agents(server, reply_timeout=2.0)
        agent.do("right")
        assert agent.link.silent == ""
        process.send_signal(signal.SIGSTOP)
        agent.link.write([Act("left")])
        agent.until(lambda: agent.link.silent)
        assert "answers nothing" in agent.link.silent
        process.send_signal(signal.SIGCONT)
        agent.until(lambda: isinstance(agent.of((Answer, NoReply))[-1], Answer))
        assert agent.link.silent == ""
        agent.link.close()


def test_a_link_that_ends_in_place_of_an_answer(agents):
    with MaedenServer(period=0.01, fault="hang_up", fault_every=2) as server:
        agent = agents(server)
        agent.do("right")
        agent.link.write([Act("right")])
        agent.until(lambda: agent.of(Closed))
        with pytest.raises(LinkError):
            agent.link.read(0.1)


@pytest.mark.parametrize("build", ["T", "J3", "J4"])
def test_death_is_told_once_and_is_over(build, agents):
    with MaedenServer(build=build, period=0.01) as server:
        agent = agents(server)
        agent.link.write([Act("kill")])
        with pytest.raises(LinkOverError, match="DIE"):
            agent.until(lambda: False)
        assert not agent.of(Closed)


def test_listening_agent_acts_by_itself(agents):
    with MaedenServer(period=0.01) as server:
        agent = agents(server, pacing="listen")
        agent.until(lambda: len(agent.of(Answer)) > 5)
        assert {answer.command for answer in agent.of(Answer)[1:]} == {Act("wait")}


def test_fifty_agents_lose_no_packet():
    with MaedenServer(period=0.02) as server:
        agents = [Agent(server, dialect="json") for _ in range(AGENTS)]
        deadline = time.monotonic() + THREAD
        wanted = 0
        while wanted <= COMMANDS:
            for agent in agents:
                agent.told += agent.link.read(0.0)
            assert time.monotonic() < deadline
            if all(len(agent.of(Answer)) > wanted for agent in agents):
                wanted += 1
                for agent in agents:
                    assert agent.link.write([Act("right")])
        for agent in agents:
            answers = agent.of(Answer)[1:]
            assert [answer.command for answer in answers[:COMMANDS]] == [Act("right")] * COMMANDS
            assert not agent.of((Malformed, NoReply, Closed))
            agent.link.close()
        assert sorted(server.simulation.world.agents) == list(range(AGENTS))


def test_unknown_fault_is_refused():
    with pytest.raises(ConfigError, match="flood"):
        MaedenServer(fault="flood")
