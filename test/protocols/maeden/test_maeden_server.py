# SPDX-License-Identifier: Apache-2.0
"""The stand-in of Maeden: its clients, and that it says what the simulator said, byte for byte."""

import json
import socket
import time
from itertools import pairwise
from types import SimpleNamespace

import pytest
from maeden_recordings import WORLDS, packets, read_transcript
from waiting import until

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.grid.world import DeadReckoning
from embodiment_bridge.protocols.maeden.events import Ending
from embodiment_bridge.standins.maeden import server as server_module
from embodiment_bridge.standins.maeden.cycle import Simulation
from embodiment_bridge.standins.maeden.server import MAX_GUESTS, MAX_LEFT, MaedenServer
from embodiment_bridge.standins.maeden.world import World, rules_of

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


CASES = [
    ("text2013", "objects"),
    ("text2013", "narrows"),
    ("text2013", "die_quicksand"),
    ("text2013", "die_energy"),
    ("text2013", "two_starts"),
    ("text201701", "objects"),
    ("json2018", "objects"),
    ("json2018", "narrows"),
    ("json2018", "raygun"),
    ("json2018", "die_quicksand"),
    ("json2018", "die_energy"),
]
SEEN = [  # in worlds that are drawn from what the agent saw
    ("text2013", "eat"),
    ("text201701", "eat"),
    ("json_j4", "eat"),
    ("json2018", "eat"),
    ("text2013", "key_door"),
    ("text201701", "key_door"),
    ("json2018", "key_door"),
    ("text2013", "hammer_rock"),
    ("json2018", "hammer_rock"),
    ("text2013", "die_kill"),
    ("json2018", "die_kill"),
    ("text2013", "end_for_other"),
    ("json_j4", "end_for_other"),
    ("json2018", "end_for_other"),
    ("text2013", "end_for_other_busy"),
    ("json2018", "end_for_other_busy"),
]
HEARD = [  # where the agents saw too little of the world to draw it all
    ("text2013", "messages", 10),
    ("text2013", "odd_messages", 4),
    ("text2013", "two_agents", 3),
    ("text201701", "two_agents", 3),
    ("text2013", "helper", 0),
]
RULES = {"json_j4": "json_j3"}  # the folder's name is not that of the dialect
ACTIONS = {"f": "forward", "b": "backward", "l": "left", "r": "right"}
UNANSWERED = 2  # cycles after the last answer in which a command that ended in a word was done


def in_order(turns):
    """The turns, with late answers where they belong, if there is one for each command (a packet, or last words)."""
    answers = [event for _, told in turns for event in told]
    if not len(turns) <= len(answers) <= len(turns) + 1 or isinstance(answers[0], Ending):
        return turns
    told = [*([answer] for answer in answers[: len(turns) - 1]), answers[len(turns) - 1 :]]
    return [(command, events) for (command, _), events in zip(turns, told, strict=True)]


class Played:
    """A recording and a simulation side by side."""

    def __init__(self, build, name, text=""):
        world, talks = read_transcript(build, name)
        text = text or (WORLDS / world).read_text()
        self.simulation = Simulation(World(text, rules_of(RULES.get(build, build))))
        self.talks = [talks[f"A{number}"] for number in range(len(talks)) if f"A{number}" in talks]
        self.joins, self.commands, self.expected = {}, {}, {}
        for number, talk in enumerate(self.talks):
            self._plan(number, talk)

    def _plan(self, number, talk):
        first = packets(talk.first)[0]
        last = first.world_time
        self.joins.setdefault(last, []).append((talk.role, first.raw))
        for command, told in in_order(talk.turns):
            answer = packets(told)
            words = [event.word for event in told if isinstance(event, Ending)]
            if not answer and not words:
                continue
            last = answer[0].world_time if answer else last + UNANSWERED
            self.commands.setdefault(last, {})[number] = command
            lines = [word for word in words if word != "END"]
            if answer and not self._dies_in_words(words):
                lines.append(answer[0].raw)
            self.expected[last, number] = "\n".join(lines)

    def _dies_in_words(self, words):
        return "DIE" in words and self.simulation.world.rules.dialect == "T"

    def play(self):
        """(what was recorded, what the simulation says) for each packet."""
        compared = []
        for cycle in range(max([*self.commands, *self.joins]) + 1):
            for role, first in self.joins.get(cycle, ()):
                _, lines = self.simulation.join(role)
                compared.append((first, "\n".join(lines[1:])))
            sent = self.simulation.cycle(self.commands.get(cycle, {}))
            compared += [
                (self.expected[cycle, number], "\n".join(sent.get(number, [])))
                for number in self.commands.get(cycle, {})
            ]
        return compared


def in_capitals(said):
    """With the words of endings as the codec tells them."""
    return "\n".join(line.upper() if line in ("die", "success") else line for line in said.split("\n"))


@pytest.mark.parametrize(("build", "name"), CASES)
def test_says_what_the_simulator_said(build, name):
    compared = Played(build, name).play()
    assert len(compared) > 3
    for recorded, said in compared:
        assert in_capitals(said) == recorded


def seen_world(build, name):
    """A world file of what an agent saw first in each cell; walls round it."""
    _, talks = read_transcript(build, name)
    track, cells = DeadReckoning(), {}
    for command, events in [("", talks["A0"].first), *talks["A0"].turns]:
        letter = command.split('"')[3][:1] if command.startswith("{") else command[:1]
        for percept in packets(events)[:1]:
            track.answered(ACTIONS.get(letter, ""), percept.ok)
            for row, things in enumerate(percept.view):
                for column, cell in enumerate(things):
                    lying = [thing for thing in cell if not thing.isdigit()]
                    cells.setdefault(track.pose.cell(row - 1, column - 2), "".join(lying[:1]) or " ")
    cells[0, 0] = "B"
    xs, ys = [x for x, _ in cells], [y for _, y in cells]
    columns, rows = range(min(xs) - 1, max(xs) + 2), range(max(ys) + 1, min(ys) - 2, -1)
    lines = ["".join(cells.get((x, y), " ") for x in columns) for y in rows]
    return "\n".join(["seen", f"{len(columns)} {len(rows)}", *lines])


@pytest.mark.parametrize(("build", "name"), SEEN)
def test_says_the_same_in_a_world_drawn_from_what_was_seen(build, name):
    compared = Played(build, name, seen_world(build, name)).play()
    assert len(compared) > 3
    for recorded, said in compared:
        assert in_capitals(said) == recorded


@pytest.mark.parametrize(("build", "name", "count"), HEARD)
def test_meets_and_hears_whom_the_agent_met_and_heard_and_from_the_same_direction(build, name, count):
    world = seen_world(build, name)
    food = world[:-1] + "+"  # somewhere; without food nobody is told anything
    compared = Played(build, name, food).play()
    pairs = [[packet.split("\n") for packet in pair] for pair in compared]
    assert sum(recorded[5] != "()" for recorded, _ in pairs) == count
    for recorded, said in pairs:
        assert (said[4], said[5], said[7]) == (recorded[4], recorded[5], recorded[7])
