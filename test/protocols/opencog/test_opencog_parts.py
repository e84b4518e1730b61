# SPDX-License-Identifier: Apache-2.0
"""Small parts: the grid of what was seen, bodily needs, merged feelings, texts that are no XML."""

from math import inf, nan, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.opencog.router.wire import (
    AgentLoaded,
    AgentUnloaded,
    Feedback,
    read_feedback,
    read_text,
)
from embodiment_bridge.protocols.opencog.world.feelings import Merged, PhysiologyModel, Rates
from embodiment_bridge.protocols.opencog.world.visibility import LONGEST_SIGNAL, VisibilityGrid
from embodiment_bridge.protocols.opencog.xml.parts import Level


def cells(grid):
    """All cells of the next message, read as an OAC reads them."""
    message = grid.take()
    found = []
    for perception in message.perceptions if message else ():
        assert (perception.sensor, perception.subject) == ("visibility", "map")
        for part in perception.signal.split(";"):
            row, *columns = map(int, part.split(" "))
            assert columns
            for first, last in zip(columns[::2], columns[1::2], strict=True):
                found += [(row, column) for column in range(first, last + 1)]
    assert len(set(found)) == len(found)
    return set(found)


def test_signal_of_the_description():
    grid = VisibilityGrid(8, 0.0, 0.0, 8.0)
    for row, column in [(0, 1), (0, 3), (0, 4), (0, 5), (0, 6), (1, 1), (1, 2)]:
        grid.see(column + 0.5, row + 0.5)
    assert grid.take().perceptions[0].signal == "0 1 1 3 6;1 1 2"


def test_row_grows_with_y_and_column_with_x_from_the_smallest_corner():
    grid = VisibilityGrid(4, -2.0, -2.0, 4.0)
    grid.see(1.9, -1.9)
    assert cells(grid) == {(0, 3)}


def test_outside_of_the_map_is_no_cell():
    grid = VisibilityGrid(4, 0.0, 0.0, 4.0)
    for x, y in [(-0.1, 1.0), (4.0, 1.0), (1.0, 4.0), (1.0, -1e9)]:
        grid.see(x, y)
    grid.see_sector(100.0, 100.0, 0.0, 1.0, 5.0)
    assert cells(grid) == set()


PLACES = st.lists(st.tuples(st.floats(0, 7.9), st.floats(0, 7.9)), max_size=60)


@given(first=PLACES, second=PLACES)
def test_each_cell_is_told_once(first, second):
    grid = VisibilityGrid(8, 0.0, 0.0, 8.0)
    told = []
    for places in (first, second):
        for x, y in places:
            grid.see(x, y)
        told.append(cells(grid))
    expected = [{(int(y), int(x)) for x, y in places} for places in (first, second)]
    assert told == [expected[0], expected[1] - expected[0]]
    grid.refresh()
    assert cells(grid) == expected[0] | expected[1]


def test_sector_is_what_is_ahead():
    grid = VisibilityGrid(20, -10.0, -10.0, 20.0)
    grid.see_sector(0.0, 0.0, pi / 2, pi / 2, 3.0)
    seen = cells(grid)
    assert (11, 10) in seen
    assert (12, 9) in seen
    assert all(row >= 10 for row, _ in seen)
    assert max(row for row, _ in seen) == 12


def test_large_cells_of_another_grid_cover_several():
    grid = VisibilityGrid(4, 0.0, 0.0, 4.0)
    grid.see_cells([0, -1], 2, 2.0, (0.0, 0.0, 0.0))
    assert cells(grid) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    grid.see_cells([0], 1, 1.0, (0.0, 0.0, pi / 2), (3.0, 3.0, 0.0))
    assert cells(grid) == {(3, 2)}


@pytest.mark.parametrize(("width", "resolution"), [(0, 1.0), (1, 0.0), (1, inf), (1, nan), (1, -1.0)])
def test_grid_that_is_none(width, resolution):
    grid = VisibilityGrid(4, 0.0, 0.0, 4.0)
    grid.see_cells([0, 0], width, resolution, (0.0, 0.0, 0.0))
    assert grid.take() is None


def test_long_signals_come_in_pieces():
    grid = VisibilityGrid(1000, 0.0, 0.0, 1000.0)
    for row in range(0, 1000, 4):
        for column in range(0, 1000, 10):
            grid.see(column + 0.5, row + 0.5)
    message = grid.take()
    assert len(message.perceptions) > 2
    assert all(len(perception.signal) <= LONGEST_SIGNAL for perception in message.perceptions)


@pytest.mark.parametrize(("tiles", "side"), [(0, 1.0), (2000, 1.0), (4, 0.0), (4, nan)])
def test_visibility_grid_that_cannot_be(tiles, side):
    with pytest.raises(ConfigError, match="visibility grid"):
        VisibilityGrid(tiles, 0.0, 0.0, side)


def needs(model, now):
    return {level.name: level.value for level in model.levels(now)}


def test_needs_grow_with_time():
    model = PhysiologyModel(Rates(hunger=0.01, thirst=0.5))
    assert needs(model, 100.0)["hunger"] == 0.0
    later = needs(model, 110.0)
    assert later["hunger"] == pytest.approx(0.1)
    assert later["thirst"] == 1.0  # and no more
    assert needs(model, 50.0)["hunger"] == pytest.approx(0.1)
    assert needs(model, 1e9)["hunger"] == pytest.approx(0.7)  # a clock that jumps is no hunger


def test_eating_and_battery_and_others():
    model = PhysiologyModel(Rates(hunger=1e-9))
    model.act({"hunger": 0.5, "thirst": nan, "nothing": 1.0})
    assert needs(model, 0.0) == {"hunger": 0.5, "thirst": 0.0}
    model.act({"hunger": -0.9})
    model.battery(0.25)
    model.battery(nan)
    model.told({"fitness": 7.0, "pain": 0.125, "bad": inf, "": 1.0})
    now = needs(model, 1.0)
    assert (now["hunger"], now["energy"], now["fitness"], now["pain"]) == (0.0, 0.25, 1.0, 0.125)
    assert "bad" not in now
    model.told({f"n{i}": 0.5 for i in range(1000)})
    assert len(needs(model, 2.0)) < 120
    model.told({"n999": 0.75})  # what is known already is never frozen
    assert needs(model, 3.0)["n999"] == 0.75


def test_what_is_neither_modelled_nor_measured_is_not_claimed():
    assert needs(PhysiologyModel(Rates(hunger=0.0, thirst=0.0)), 0.0) == {}
    model = PhysiologyModel()
    assert set(needs(model, 0.0)) == {"hunger", "thirst"}
    model.battery(0.5)
    assert needs(model, 1.0)["energy"] == 0.5


def test_feelings_are_merged():
    feelings = Merged()
    assert feelings.update([Level("fear", 0.5), Level("anger", 2.0)])
    assert feelings.update([Level("fear", 0.25)])
    assert not feelings.update([Level("fear", 0.25), Level("joy", nan)])
    assert (feelings.names, feelings.values) == (["fear", "anger"], [0.25, 1.0])
    feelings.update([Level(f"f{i}", 0.0) for i in range(1000)])
    assert len(feelings.names) == 100


TEXTS = [
    (b"SUCCESS LOAD 83965 83966", AgentLoaded("83965", "83966")),
    (b"SUCCESS UNLOAD 83965 83966\n", AgentUnloaded("83965", "83966")),
    (b"SUCCESS LOAD 83965", None),
    (b"SUCCESS", None),
    (b"", None),
    (b"\xff\0", None),
    (b"<oc:action-plan/>", None),
    (b"SUCCESS LOAD " + b"x" * 10_000 + b" y", None),
]


@pytest.mark.parametrize(("payload", "expected"), TEXTS)
def test_texts(payload, expected):
    assert read_text(payload) == expected


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (b'7***Fido entering "Playing Mode"', Feedback("7", 'Fido entering "Playing Mode"')),
        (b"a***b***c", Feedback("a", "b***c")),
        (b"hello", Feedback("", "hello")),
        (b"", Feedback("", "")),
        (b"\xff***x", Feedback("\ufffd", "x")),
    ],
)
def test_feedback(payload, expected):
    assert read_feedback(payload) == expected


def test_long_feedback_is_cut():
    assert len(read_feedback(b"1***" + b"x" * 1_000_000).text) < 4001


def test_with_many_names_the_longest_silent_one_makes_room():
    demands = Merged()
    demands.update(Level(f"d{n}", 0.1) for n in range(100))
    demands.update((Level("d0", 0.9), Level("goal", 0.5)))
    assert dict(zip(demands.names, demands.values, strict=True))["d0"] == 0.9
    assert demands.names[-1] == "goal"
    assert "d1" not in demands.names
    demands.update((Level("goal", 0.6),))
    assert demands.values[-1] == 0.6
