# SPDX-License-Identifier: Apache-2.0
"""Fed with the recorded commands in the same world, the stand-in sends what the simulator sent, byte for byte."""

import pytest
from maeden_recordings import WORLDS, packets, read_transcript

from embodiment_bridge.grid.world import DeadReckoning
from embodiment_bridge.protocols.maeden.events import Ending
from embodiment_bridge.standins.maeden.cycle import Simulation
from embodiment_bridge.standins.maeden.world import World, rules_of

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
        for time in range(max([*self.commands, *self.joins]) + 1):
            for role, first in self.joins.get(time, ()):
                _, lines = self.simulation.join(role)
                compared.append((first, "\n".join(lines[1:])))
            sent = self.simulation.cycle(self.commands.get(time, {}))
            compared += [
                (self.expected[time, number], "\n".join(sent.get(number, [])))
                for number in self.commands.get(time, {})
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
