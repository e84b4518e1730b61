# SPDX-License-Identifier: Apache-2.0
"""A grid: its map, dead reckoning, and ways through it that are as cheap as can be."""

import random
from heapq import heappop, heappush

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from maeden_recordings import STREAMS, WORLDS, packets, read_transcript

from embodiment_bridge.grid import planner
from embodiment_bridge.grid.planner import STEP_COST, TURN_COST, search_nearest, search_to
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


PRICE = {"forward": STEP_COST, "left": TURN_COST, "right": TURN_COST}


def least(start, goal, free):
    """Dijkstra's cost of a way, by the book."""
    best, todo = {}, [(0, start)]
    while todo:
        cost, pose = heappop(todo)
        if pose.place == goal:
            return cost
        if best.setdefault(pose, cost) < cost:
            continue
        for action, price in (("left", TURN_COST), ("right", TURN_COST), ("forward", STEP_COST)):
            after = pose.moved(action)
            if after.place in free and after not in best:
                heappush(todo, (cost + price, after))
    return None


def way_of(search, most=1000):
    while not search.advance(most):
        pass
    return search.way


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), share=st.floats(0.2, 1.0), heading=st.sampled_from(Heading))
def test_ways_are_open_and_as_cheap_as_can_be(seed, share, heading):
    start = GridPose(0, 0, heading)
    dice = random.Random(seed)
    free = {(x, y) for x in range(-5, 6) for y in range(-5, 6) if dice.random() < share} | {(0, 0)}
    goal = dice.randint(-5, 5), dice.randint(-5, 5)
    way = way_of(search_to(start, goal, lambda place: 0 if place in free else None))
    expected = least(start, goal, free)
    if expected is None:
        assert way is None
        return
    pose, cost = start, 0
    for action in way:
        pose = pose.moved(action)
        cost += STEP_COST if action == "forward" else TURN_COST
        assert pose.place in free
    assert pose.place == goal
    assert cost == expected


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), in_front=st.booleans(), nearest=st.booleans())
def test_ways_are_as_cheap_as_can_be_where_cells_differ_in_price(seed, in_front, nearest):
    """Against a search that knows no tricks, for a cell, up to a cell, and for the nearest of three."""
    dice = random.Random(seed)
    prices = {(x, y): dice.choice([0, 0, 2, None]) for x in range(-4, 5) for y in range(-4, 5)}
    places = sorted(set(prices) - {(0, 0)})
    goals = set(dice.sample(places, 3 if nearest else 1))
    if nearest:
        search = search_nearest(START, goals.__contains__, prices.get)
    else:
        search = search_to(START, *goals, prices.get, in_front=in_front)
    in_front = in_front and not nearest
    way, cheapest = way_of(search, dice.randint(1, 50)), by_the_book(prices, goals, in_front)
    if cheapest is None:
        assert way is None
        return
    pose, cost = START, 0
    for action in way:
        pose = pose.moved(action)
        cost += PRICE[action] + (prices[pose.place] if action == "forward" else 0)
    assert (pose.cell(1, 0) if in_front else pose.place) in goals
    assert cost == cheapest


def by_the_book(prices, goals, in_front):
    best, todo = {}, [(0, START)]
    while todo:
        cost, pose = heappop(todo)
        if (pose.cell(1, 0) if in_front else pose.place) in goals:
            return cost
        if best.setdefault(pose, cost) < cost:
            continue
        for action, price in PRICE.items():
            after = pose.moved(action)
            extra = prices.get(after.place) if action == "forward" else 0
            if extra is not None and after not in best and not (in_front and after.place in goals):
                heappush(todo, (cost + price + extra, after))
    return None


def test_way_in_front_of_a_door_faces_it():
    search = search_to(START, (0, 3), lambda place: None if place == (0, 3) else 0, in_front=True)
    assert way_of(search) == ["right", "forward", "forward"]


def test_in_front_of_what_is_ahead_nothing_is_left_to_do():
    assert way_of(search_to(START, (-1, 0), lambda place: None, in_front=True)) == []
    assert way_of(search_to(START, (1, 0), lambda place: None, in_front=True)) == ["left", "left"]


def test_no_way_and_nothing_to_do():
    assert way_of(search_to(START, (5, 5), lambda place: None)) is None
    assert way_of(search_to(START, (0, 0), lambda place: None)) == []
    assert way_of(search_nearest(START, lambda place: place[0] == 2, lambda place: 0))[-1] == "forward"


@pytest.mark.parametrize("most", [1, 7, 500])
def test_a_search_looks_at_no_more_poses_than_it_is_given(most):
    asked = []
    search = search_to(START, (40, 40), lambda place: asked.append(place) or (0 if place[0] < 30 else None))
    asked.clear()
    while not search.advance(most):
        assert len(asked) <= 4 * most
        asked.clear()
        if search._looked_at >= 5000:
            return
    raise AssertionError("it cannot be done: the goal lies behind a wall without end")


def test_a_search_in_a_world_without_end_ends(monkeypatch):
    monkeypatch.setattr(planner, "MOST_POSES", 3000)
    search = search_nearest(START, lambda place: False, lambda place: 0)
    assert search.advance(3000) is False
    assert search.advance(1) is True
    assert search.way is None
    assert search.advance(1) is True
