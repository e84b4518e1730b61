# SPDX-License-Identifier: Apache-2.0
"""Ways through a grid: as cheap as can be, and found bit by bit."""

import random
from heapq import heappop, heappush

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embodiment_bridge.grid import planner
from embodiment_bridge.grid.planner import STEP_COST, TURN_COST, search_nearest, search_to
from embodiment_bridge.grid.pose import GridPose, Heading

START = GridPose(0, 0, Heading.W)
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
