# SPDX-License-Identifier: Apache-2.0
"""Things that are seen with noise: what several pictures agree on is believed, and nothing else moves it."""

import copy
import importlib
import math
from pathlib import Path

import pytest

from embodiment_bridge.scene.entities import GONE_IN_DOUBT, EntityMemory, Sighting
from embodiment_bridge.scene.tracking import ENOUGH, Track

PERIOD = 0.04
NOISE = 0.05**2


def looks(track, *pictures, begin=0.0):
    """What is believed after each picture of places; None: a picture without the thing."""
    places = [None if picture is None else (*picture, 0.0) for picture in pictures]
    believed = (
        track.look([] if at is None else [(at, NOISE)], begin + i * PERIOD) for i, at in enumerate(places)
    )
    return [copy.copy(guess) for guess in believed]  # it goes on


def test_a_thing_is_believed_when_enough_pictures_agree():
    found = looks(Track(moves=True), *[(1.0, 0.0)] * (ENOUGH + 1))
    assert [guess is not None for guess in found] == [False] * (ENOUGH - 1) + [True] * 2


def test_a_ghost_is_never_believed():
    assert looks(Track(moves=True), (1.0, 0.0), None, (9.0, 3.0), (1.0, 5.0), None, (4.0, 4.0)) == [None] * 6


def test_what_contradicts_does_not_move_it():
    track = Track(moves=True)
    looks(track, *[(1.0, 0.0)] * 20)
    kept = track.look([((30.0, 9.0, 0.0), NOISE), ((1.0, 0.0, 0.0), NOISE)], 20 * PERIOD)
    assert math.dist(kept.place, (1.0, 0.0, 0.0)) < 0.01
    assert track.look([((30.0, 9.0, 0.0), NOISE)], 21 * PERIOD) is None


def test_also_not_after_it_was_out_of_view_for_long():
    track = Track(moves=True)
    looks(track, *[(1.0, 0.0)] * 20)
    found = looks(track, *[None] * 100, (30.0, 9.0), (1.2, 0.0), begin=20 * PERIOD)
    assert found[-2] is None
    assert math.dist(found[-1].place, (1.2, 0.0, 0.0)) < 0.02


def test_it_is_sure_of_what_it_saw_often_and_follows_what_moves():
    track = Track(moves=True)
    found = looks(track, *[(1.0 + 0.02 * i, 0.0) for i in range(50)])
    assert found[-1].spread < 0.6 * math.sqrt(NOISE) < found[2].spread * 1.5
    assert math.dist(found[-1].place, (1.98, 0.0, 0.0)) < 0.02
    assert found[-1].speed[0] == pytest.approx(0.5, abs=0.05)


def test_a_kicked_ball_is_followed_after_a_few_pictures():
    track = Track(moves=True)
    looks(track, *[(0.0, 0.0)] * 20)
    found = looks(track, *[(0.2 * i, 0.0) for i in range(1, 9)], begin=20 * PERIOD)
    assert math.dist(found[5].place, (1.2, 0.0, 0.0)) < 0.1


def test_many_ghosts_take_no_room():
    track = Track(moves=False)
    for i in range(200):
        track.look([((0.0, 5.0 * i + 90.0 * j, 0.0), NOISE) for j in range(30)], i * PERIOD)
    assert len(track._guesses) < 10
    for i in range(200, 210):
        track.look([], i * PERIOD)
    assert track.idle


def sighting(x=1.0, spread=0.05, id_="ball"):
    return Sighting(id_, "ball", (x, 0.0, 0.1), (0.2, 0.2, 0.2), spread=spread)


def test_entities_say_how_sure_they_are_and_are_exact_without_noise():
    memory = EntityMemory()
    assert memory.look([sighting(spread=0.0)], 0.0, 0)[0].sighting == sighting(spread=0.0)
    memory.clear()
    for i in range(20):
        known = memory.look([sighting()], i * PERIOD, i)
    (ball,) = known
    assert ball.properties == (("spread", f"{ball.sighting.spread:.2f}"),)
    assert ball.sighting.spread < 0.05


def test_what_is_seen_with_noise_is_forgotten_later_and_its_track_with_it():
    memory = EntityMemory()
    for i in range(20):
        memory.look([sighting()], i * PERIOD, i)
    for i in range(20, 20 + GONE_IN_DOUBT - 1):
        assert memory.look([], i * PERIOD, i, lambda _: True)
    assert memory.look([], 50 * PERIOD, 50, lambda _: True) == []
    assert memory._tracks == {}


def test_names_without_end_are_kept_within_limits():
    memory = EntityMemory(limit=20)
    for i in range(100):
        memory.look([sighting(id_=f"player_{i // 5}_{j}") for j in range(20)], i * PERIOD, i)
    assert len(memory._tracks) <= 60


def test_a_new_clock_is_a_new_world():
    memory = EntityMemory()
    for i in range(20):
        memory.look([sighting()], 100.0 + i * PERIOD, i)
    for i in range(ENOUGH):
        known = memory.look([sighting(x=8.0)], 1.0 + i * PERIOD, i)
    assert known[0].position[0] == pytest.approx(8.0)


@pytest.fixture
def game(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    return importlib.import_module("noisy_game")


@pytest.mark.parametrize(("ball", "close"), [("still", 0.06), ("kicked", 0.12)])
def test_a_game_by_the_noise_of_the_server(game, ball, close):
    found = game.play(40.0, getattr(game, ball), 0.01)
    ordered = sorted(found.ball)
    assert ordered[len(ordered) // 2] < close
    assert sum(error < 0.3 for error in ordered) > 0.95 * len(ordered)
    assert (found.jumps, found.wrong_landmarks) == (0, 0)
    assert found.goals == {"goal", "own_goal"}
    assert game.play(40.0, getattr(game, ball), 0.0).jumps > 3  # without doubt the same game has these
