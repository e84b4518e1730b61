# SPDX-License-Identifier: Apache-2.0
"""What is seen, remembered, forgotten."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.properties import FORGOTTEN
from embodiment_bridge.scene.entities import EntityMemory, Sighting


def thing(name, x=0.0):
    return Sighting(name, "thing", (x, 0.0, 0.0))


def summary(known):
    return [(k.sighting.id, k.seen_s, k.stamp, k.visible) for k in known]


def test_what_is_in_the_picture_is_visible():
    known = EntityMemory(5.0).look([thing("a"), thing("b")], 1.0, "one")
    assert summary(known) == [("a", 1.0, "one", True), ("b", 1.0, "one", True)]


def test_what_left_the_picture_is_remembered_as_it_was_last_seen():
    memory = EntityMemory(5.0)
    memory.look([thing("a", 1.0), thing("b", 2.0)], 1.0, "one")
    known = memory.look([thing("a", 3.0)], 2.0, "two")
    assert summary(known) == [("a", 2.0, "two", True), ("b", 1.0, "one", False)]
    assert [k.sighting.position[0] for k in known] == [3.0, 2.0]


@pytest.mark.parametrize(
    ("later", "remembered"), [(5.0, True), (5.001, False), (-0.1, False), (math.nan, False)]
)
def test_it_is_forgotten_after_its_time_and_when_the_clock_goes_back(later, remembered):
    memory = EntityMemory(5.0)
    memory.look([thing("a")], 10.0, "one")
    assert bool(memory.look([], 10.0 + later, "two")) is remembered


def test_time_counts_from_the_last_sight():
    memory = EntityMemory(5.0)
    for now in (0.0, 4.0, 8.0):
        memory.look([thing("a")], now, now)
    assert summary(memory.look([], 12.9, "x")) == [("a", 8.0, 8.0, False)]
    assert memory.look([], 13.1, "x") == []
    assert memory.look([], 12.9, "x") == []  # forgotten is forgotten


def test_no_memory_at_all():
    memory = EntityMemory(0.0)
    memory.look([thing("a")], 1.0, "one")
    assert memory.look([], 1.02, "two") == []


def test_seen_again_it_is_visible_again_and_there_once():
    memory = EntityMemory(5.0)
    memory.look([thing("a")], 1.0, "one")
    memory.look([], 2.0, "two")
    assert summary(memory.look([thing("a")], 3.0, "three")) == [("a", 3.0, "three", True)]


def test_twice_in_a_picture_is_one_thing_and_the_last_counts():
    (known,) = EntityMemory(5.0).look([thing("a", 1.0), thing("a", 2.0)], 1.0, "one")
    assert known.sighting.position[0] == 2.0


def test_clear_forgets():
    memory = EntityMemory(5.0)
    memory.look([thing("a")], 1.0, "one")
    memory.clear()
    assert memory.look([], 1.0, "one") == []


def test_when_there_is_no_room_the_longest_unseen_goes_first():
    memory = EntityMemory(5.0, limit=3)
    memory.look([thing("old")], 1.0, 1)
    memory.look([thing("newer")], 2.0, 2)
    known = memory.look([thing("a"), thing("b")], 3.0, 3)
    assert [k.sighting.id for k in known] == ["a", "b", "newer"]


def test_a_picture_of_too_much_is_cut():
    memory = EntityMemory(5.0, limit=3)
    known = memory.look((thing(str(i)) for i in range(100_000)), 1.0, 1)
    assert [k.sighting.id for k in known] == ["0", "1", "2"]


@given(
    st.lists(st.tuples(st.floats(0.0, 3.0), st.sets(st.sampled_from("abcdefgh"), max_size=5)), max_size=20)
)
def test_whatever_comes_limits_hold_and_the_picture_is_whole(pictures):
    memory = EntityMemory(2.0, limit=6)
    now = 0.0
    last_seen = {}
    for step, names in pictures:
        now += step
        known = memory.look([thing(name) for name in sorted(names)], now, now)
        last_seen |= dict.fromkeys(names, now)
        ids = [k.sighting.id for k in known]
        assert len(ids) == len(set(ids)) <= 6
        assert {k.sighting.id for k in known if k.visible} == names
        assert all(k.seen_s == last_seen[k.sighting.id] and now - k.seen_s <= 2.0 for k in known)
        assert [k.seen_s for k in known] == sorted((k.seen_s for k in known), reverse=True)


def test_out_of_view_it_stays_and_goes_when_its_place_is_empty_in_three_pictures():
    memory = EntityMemory()
    memory.look([thing("a")], 1.0, "one")
    known = memory.look([], 600.0, "x", lambda place: False)
    assert summary(known) == [("a", 1.0, "one", False)]
    looks = [summary(memory.look([], 601.0, "x", lambda place: True)) for _ in range(3)]
    assert looks == [[("a", 1.0, "one", False)]] * 2 + [[]]


def test_pictures_of_an_empty_place_count_in_a_row_only():
    memory = EntityMemory()
    memory.look([thing("a")], 1.0, "one")
    for step in range(6):  # two pictures of the empty place, then one of something else
        assert memory.look([], 2.0 + step, "x", lambda place, step=step: step % 3 < 2)


def forgotten(memory):
    return [(one.sighting.id, one.visible, one.sighting.properties) for one in memory.forgotten]


def test_what_leaves_unseen_is_said_to_be_forgotten_once():
    memory = EntityMemory(5.0, limit=2)
    memory.look([thing("old")], 1.0, 1)
    memory.look([thing("newer")], 2.0, 2)
    assert memory.forgotten == []
    memory.look([thing("a")], 3.0, 3)  # no room
    assert forgotten(memory) == [("old", False, (FORGOTTEN,))]
    memory.look([], 7.5, 4)  # too long ago
    assert forgotten(memory) == [("newer", False, (FORGOTTEN,))]
    memory.look([], 7.6, 5)
    assert memory.forgotten == []


def test_what_is_gone_is_not_said_to_be_forgotten():
    memory = EntityMemory(5.0)
    memory.look([thing("a")], 1.0, 1)
    for _ in range(3):
        known = memory.look([], 2.0, 2, lambda place: True)
        assert memory.forgotten == []
    assert known == []
    memory.look([thing("b")], 3.0, 3)
    memory.look([], 2.0, 4)  # another world
    assert memory.forgotten == []
