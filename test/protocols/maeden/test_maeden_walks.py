# SPDX-License-Identifier: Apache-2.0
"""Walks and explorations think bit by bit: no tick waits for a long way."""

import pytest

from embodiment_bridge.body.description import Skill
from embodiment_bridge.grid.pose import Heading
from embodiment_bridge.grid.world import beside
from embodiment_bridge.protocols.maeden import routine
from embodiment_bridge.protocols.maeden.conversation import Answer
from embodiment_bridge.protocols.maeden.events import Percept
from embodiment_bridge.protocols.maeden.routine import Operator, Progress, RoutineSkill
from embodiment_bridge.protocols.maeden.skills import GridSkills, explore, faced, walk_to
from embodiment_bridge.protocols.maeden.world import AgentWorld

TICK = 0.05
SIDE = 40
GO_TO = Skill("go_to", "native", ("legs",), 0.1, 0.0)
NOTHING = ((((),) * 5),) * 7


class Stage:
    """An agent that knows a square of free cells with walls round it, and a simulator that believes all it is told."""

    def __init__(self, walls=(), unseen=()):
        self.operator, self.world = Operator(), AgentWorld(Heading.E)
        known = self.world.map
        for x in range(-1, SIDE + 1):
            for y in range(-1, SIDE + 1):
                inside = 0 <= x < SIDE and 0 <= y < SIDE
                known.cells[x, y] = () if inside and (x, y) not in walls else ("*",)
        for place in unseen:
            del known.cells[place]
            known.edge.update(near for near in beside(place) if near in known.cells)
        known.bounds = (-1, -1), (SIDE, SIDE)
        self.told = []

    def deed(self, routine):
        return RoutineSkill(self.operator, routine(self.world, Progress()))

    def tick(self, deed, dt=TICK):
        """One step; what the agent is told is done at once."""
        deed.step(dt)
        for command in self.operator.next():
            self.told.append(command.action)
            percept = Percept(0, "T", "CONTINUE", "f", (), NOTHING, (), (), 2000, True, 1, "")
            self.world.track.answered(command.action, ok=True)
            self.operator.heard(Answer(0, percept, command, 0.0))


def to(place):
    return lambda world, share: walk_to(world, lambda: place, share)


def through(world, share):
    return explore(world, "", share)


@pytest.fixture
def slow(monkeypatch):
    monkeypatch.setattr(routine, "POSES_A_TICK", 20)


@pytest.mark.parametrize("routine", [to((SIDE - 1, SIDE - 1)), through])
def test_a_long_thought_takes_several_ticks_and_then_it_goes(slow, routine):
    corner = (SIDE - 1, SIDE - 1)
    walls = {(x, y) for x in range(2, SIDE, 4) for y in range(SIDE) if y != (0 if x % 8 == 2 else SIDE - 1)}
    stage = Stage(walls, unseen=[corner] if routine is through else [])
    deed = stage.deed(routine)
    for _ in range(20):
        stage.tick(deed)
    assert not deed.done
    assert not stage.told
    for _ in range(2000):
        stage.tick(deed)
    assert stage.told.count("forward") > 10 * SIDE // 4
    assert deed.done == (routine is not through)  # what it shall see there does not come
    assert not deed.failure
    if routine is not through:
        assert stage.world.pose.place == corner


def test_events_of_one_moment_are_one_tick(slow):
    stage = Stage()
    deed = stage.deed(to((SIDE // 2, SIDE // 2)))
    stage.tick(deed)
    for _ in range(1000):
        stage.tick(deed, dt=0.0)
    assert not stage.told


def test_a_cancel_ends_a_thought_at_once(slow):
    stage = Stage()
    deed = stage.deed(to((SIDE // 2, SIDE // 2)))
    stage.tick(deed)
    deed.stop()
    assert deed.done
    stage.tick(deed)
    assert not stage.told


def test_what_was_thought_of_another_place_is_thought_again(slow):
    stage = Stage()
    deed = stage.deed(to((20, 20)))
    stage.tick(deed)
    stage.world.track.answered("forward", ok=True)  # another skill
    for _ in range(300):
        stage.tick(deed)
    assert deed.done
    assert stage.world.pose.place == (20, 20)
    assert len(stage.told) == 19 + 20 + 1


def test_a_walk_goes_round_what_closes_its_way():
    stage = Stage()
    deed = stage.deed(to((20, 0)))
    for _ in range(5):
        stage.tick(deed)
    stage.world.map.cells[12, 0] = ("@",)
    for _ in range(30):
        stage.tick(deed)
    assert deed.done
    assert stage.world.pose.place == (20, 0)
    assert stage.told.count("forward") == 20 + 2


def test_a_walk_stops_before_what_came_to_its_goal():
    stage = Stage()
    deed = stage.deed(to((20, 0)))
    for _ in range(5):
        stage.tick(deed)
    stage.world.map.agents["7"] = (20, 0)
    for _ in range(30):
        stage.tick(deed)
    assert deed.done
    assert stage.world.pose.place == (19, 0)


def test_a_way_that_is_not_there_fails_the_walk():
    stage = Stage(walls=beside((30, 30)))
    deed = stage.deed(to((30, 30)))
    for _ in range(5):
        stage.tick(deed)
    assert deed.done
    assert "no way to (30, 30) is known" in deed.failure


@pytest.mark.parametrize(
    ("yaw", "told"), [(1.5, ["left"]), (-1.7, ["right"]), (0.3, []), (3.0, ["left", "left"])]
)
def test_a_yaw_alone_turns_in_place(yaw, told):
    stage = Stage()
    deed = GridSkills(stage.world, stage.operator, 1.0).starts["go_to"](GO_TO, {"yaw": yaw}, 0.0)
    for _ in range(6):
        stage.tick(deed)
    assert deed.done
    assert stage.told == told


@pytest.mark.parametrize("heading", list(Heading))
def test_a_heading_is_faced_where_a_way_ends(heading):
    stage = Stage()
    deed = stage.deed(lambda world, share: faced(world, to((3, 0))(world, share), heading))
    for _ in range(10):
        stage.tick(deed)
    assert deed.done
    assert not deed.failure
    assert stage.world.pose.place == (3, 0)
    assert stage.world.pose.heading == heading
    assert stage.told[3:] == {0: [], 1: ["left"], 2: ["left", "left"], 3: ["right"]}[heading]
