# SPDX-License-Identifier: Apache-2.0
"""Map and dead reckoning; walls are drawn, views are cut out of the drawing."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from maeden_recordings import STREAMS, WORLDS, packets, read_transcript

from embodiment_bridge.grid.pose import GridPose, Heading
from embodiment_bridge.grid.world import MOST_AGENTS, MOST_LYING, DeadReckoning, WorldMap, beside, raster_of

START = GridPose(0, 0, Heading.W)
ACTIONS = {"f": "forward", "b": "backward", "l": "left", "r": "right"}


def test_moves_and_turns():
    pose = START
    for action, place, heading in [
        ("forward", (-1, 0), "W"),
        ("left", (-1, 0), "S"),
        ("backward", (-1, 1), "S"),
        ("right", (-1, 1), "W"),
        ("right", (-1, 1), "N"),
        ("forward", (-1, 2), "N"),
        ("grab", (-1, 2), "N"),
    ]:
        pose = pose.moved(action)
        assert (pose.place, pose.heading.name) == (place, heading)


@given(
    st.integers(-9, 9), st.integers(-9, 9), st.sampled_from(Heading), st.integers(-9, 9), st.integers(-9, 9)
)
def test_offset_is_the_inverse_of_cell(x, y, heading, forward, right):
    pose = GridPose(x, y, heading)
    assert pose.offset(pose.cell(forward, right)) == (forward, right)


def read_world(path):
    """What is where, and the start, of a file; places are those of the map, start at (0, 0)."""
    rows = path.read_text().splitlines()[2:]
    ((sx, sy),) = [(x, y) for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol == "B"]
    return {(x - sx, sy - y): symbol for y, row in enumerate(rows) for x, symbol in enumerate(row)}


WALKED = [
    ("text2013", "objects"),
    ("text2013", "narrows"),
    ("text201701", "objects"),
    ("json2018", "objects"),
    ("json2018", "narrows"),
    ("json2018", "raygun"),
]


@pytest.mark.parametrize(("build", "name"), WALKED)
def test_recorded_walks_draw_the_walls_where_the_world_file_has_them(build, name):
    world, talks = read_transcript(build, name)
    drawn, known, track = read_world(WORLDS / world), WorldMap(), DeadReckoning()
    (talk,) = [talk for who, talk in talks.items() if who == "A0"]
    turns = [("", talk.first), *talk.turns]
    for command, events in turns:
        for percept in packets(events)[:1]:
            letter = command[:1] if command[:1] != "{" else command.split('"')[3][:1]
            track.answered(ACTIONS.get(letter, ""), percept.ok)
            track.check(percept.view, known)
            known.look(track.pose, percept.view, "0")
    assert track.sure
    assert len(known.cells) > 40
    for place, things in known.cells.items():
        assert ("*" in things) == (drawn.get(place) == "*"), place


def view_of(walls, pose):
    rows = [[pose.cell(row - 1, column - 2) for column in range(5)] for row in range(7)]
    return [[("*",) if place in walls else () for place in row] for row in rows]


WALLS = frozenset({(-3, 0), (-3, 1), (2, 2), (0, 3), (-1, -2), (1, -1), (-4, -2), (3, 0), (-2, 4), (2, -3)})


@pytest.mark.parametrize("done", [True, False])
def test_a_lost_answer_makes_the_pose_unsure_until_walls_tell(done):
    known, track = WorldMap(), DeadReckoning()
    known.look(START, view_of(WALLS, START), "0")
    track.lost("forward")
    assert not track.sure
    truth = START.moved("forward") if done else START
    track.check(view_of(WALLS, truth), known)
    assert track.pose == truth
    assert track.sure


def test_without_walls_the_pose_stays_unsure():
    known, track = WorldMap(), DeadReckoning()
    known.look(START, view_of((), START), "0")
    track.lost("left")
    for _ in range(6):
        track.check(view_of((), track.pose), known)
    assert track.settled
    assert not track.sure


def test_a_failed_step_does_not_move_and_a_turn_always_does():
    track = DeadReckoning()
    track.answered("forward", ok=False)
    assert track.pose == START
    track.answered("left", ok=False)
    assert track.pose.heading is Heading.S


def test_moved_by_nobody_it_looks_round_for_its_place():
    """The pose was wrong by one step though every answer came: the walls tell."""
    known, track = WorldMap(), DeadReckoning()
    known.look(START, view_of(WALLS, START), "0")
    truth = START.moved("forward")
    track.check(view_of(WALLS, truth), known)
    assert track.pose == truth


def test_map_keeps_things_and_moves_agents():
    known = WorldMap()
    view = [[() for _ in range(5)] for _ in range(7)]
    view[1][2], view[2][2], view[3][3] = ("0",), ("K", "1"), ("#",)
    known.look(START, view, "0")
    assert known.cells[-1, 0] == ("K",)
    assert known.agents == {"1": (-1, 0)}
    assert known.blocked((-2, 1), carrying=False)
    assert known.blocked((-1, 0), carrying=False)
    assert [(place, thing) for place, _, thing in known.things()] == [((-1, 0), "K"), ((-2, 1), "#")]
    view[2][2], view[4][4] = (), ("1",)
    known.look(START, view, "0")
    assert known.agents == {"1": (-3, 2)}
    assert [thing for _, _, thing in known.things()] == ["#"]


def test_narrows_block_who_carries_and_quicksand_everybody():
    known = WorldMap(cells={(1, 0): ("=",), (2, 0): ("Q",), (3, 0): ("+",)})
    assert [known.blocked((x, 0), carrying=False) for x in (1, 2, 3)] == [False, True, False]
    assert [known.blocked((x, 0), carrying=True) for x in (1, 2, 3)] == [True, True, False]


def test_a_bump_blocks_until_the_cell_looks_different():
    known = WorldMap(cells={(1, 0): ()})
    known.bump((1, 0))
    assert known.blocked((1, 0), carrying=False)
    known._see((1, 0), ("K",), set())
    assert not known.blocked((1, 0), carrying=False)


def test_raster_has_what_was_seen():
    raster = raster_of({(0, 0): (), (1, 0): ("*",), (1, 1): ("#", "K")}, ((0, 0), (2, 1)))
    assert (raster.origin, raster.width, raster.height) == ((0, 0), 3, 2)
    assert list(raster.data) == [0, 100, -1, -1, 100, -1]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_edge_is_what_lies_beside_the_unseen(seed):
    dice, known, pose = random.Random(seed), WorldMap(), START
    for _ in range(dice.randint(1, 12)):
        known.look(pose, view_of(WALLS, pose), "0")
        pose = pose.moved(dice.choice(["forward", "left", "right", "backward"]))
    assert known.edge == {place for place in known.cells if any(n not in known.cells for n in beside(place))}


def test_a_server_cannot_make_it_remember_any_number_of_agents_and_things():
    known, pose = WorldMap(), START
    for number in range(60):
        cell = (*(str(number * 100 + agent) for agent in range(1, 100)), "K", "weird")
        known.look(pose, [[cell] * 5 for _ in range(7)], "0")
        pose = pose._replace(x=pose.x + 7)
    assert len(known.agents) == MOST_AGENTS
    assert "5999" in known.agents
    assert len({place for place, _, _ in known.things()}) == MOST_LYING
    assert len(known.cells) == 60 * 35


def test_there_are_streams():
    assert len(STREAMS) > 100
