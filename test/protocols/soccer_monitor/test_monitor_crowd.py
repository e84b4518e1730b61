# SPDX-License-Identifier: Apache-2.0
"""The full game of the benchmark is one: 22 players of two teams, whose changes fit their scene; read in both ways."""

import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from monitor_stage import decode, fed

from embodiment_bridge.protocols.soccer.list_fields import BadListError
from embodiment_bridge.protocols.soccer_monitor.graph_reader import read_by_tokens, read_graph, read_quickly

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from crowd import crowd, message

game = cache(crowd)


def test_all_players_are_there_and_all_of_them_move():
    scene, changes = game()
    first, *rows = decode(
        "simspark_monitor",
        message(scene, "RSG", 0.0).decode(),
        *(message(g, "RDS", 1.0).decode() for g in changes),
    )
    model = fed(first, *rows)
    assert (model.in_step, model.mismatches) == (True, 0)
    assert {(p.side, p.number) for p in model.objects.players} == {
        (side, number) for side in ("left", "right") for number in range(1, 12)
    }
    assert all(len(row.scene.matrices) > 400 for row in rows)
    places = [
        tuple(model.graph.worlds()[player.node, 3, :2].round(3).tolist()) for player in model.objects.players
    ]
    assert len(set(places)) == 22


def test_changes_are_as_large_as_those_of_22_robots_that_walk():
    _, changes = game()
    sizes = [len(graph) for graph in changes]
    assert min(sizes) > 22 * 3200
    words = {word for graph in changes for word in graph.replace(")", " ").split()}
    assert len(words) > 10_000  # nothing that could be remembered


@pytest.mark.parametrize("index", [0, 7, -1])
def test_both_ways_read_the_same(index):
    scene, changes = game()
    for text in (scene, changes[index]):
        assert read_quickly(text) == read_by_tokens(text)


SPOILT = st.sampled_from(
    ["", " ", "  ", "(", ")", "nan", "-inf", "x", "1e", "_", "e5", "\t", ".", "-", "(nd)", "(SLT ", "9" * 20]
)


@given(places=st.lists(st.tuples(st.integers(0, 73_000), st.integers(0, 12), SPOILT), min_size=1, max_size=2))
def test_damaged_changes_are_read_alike_in_both_ways_or_refused(places):
    text = game()[1][3]
    for at, length, spoilt in places:
        text = text[:at] + spoilt + text[at + length :]
    try:
        quick = read_quickly(text)
    except BadListError:
        with pytest.raises(BadListError):
            read_graph(text)
        return
    if quick is not None:
        assert repr(quick) == repr(read_by_tokens(text))
