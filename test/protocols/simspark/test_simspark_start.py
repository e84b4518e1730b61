# SPDX-License-Identifier: Apache-2.0
"""Where players begin: each is put upright in a place of its own, before kick-off only, and again if it lies there."""

import math
from itertools import combinations

import pytest
from nao_stage import Nao

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.simspark.codec import Beam
from embodiment_bridge.protocols.simspark.joining import (
    LINE_UP,
    LOOK,
    SETTLE,
    TRIES,
    StartPlace,
)
from embodiment_bridge.standins.simspark.world import World


def beams(start, number=3, mode="BeforeKickOff", tilt=0.0, seconds=30.0):
    """(time, beam) of a player that joined at 5 s."""
    found = []
    for count in range(round(seconds / 0.02)):
        time = 5.0 + 0.02 * count
        beam = start.beam(number, mode, time, tilt)
        if beam is not None:
            found.append((time, beam))
    return found


def test_places_of_the_line_up_are_in_the_own_half_and_apart():
    assert sorted(LINE_UP) == list(range(1, 12))
    assert all(-15.0 < x < 0.0 and abs(y) < 10.0 for x, y, _ in LINE_UP.values())
    assert min(math.dist(a[:2], b[:2]) for a, b in combinations(LINE_UP.values(), 2)) >= 2.0
    assert all(math.hypot(x, y) > 2.0 for x, y, _ in LINE_UP.values())  # outside of the middle circle


def test_player_that_stands_is_beamed_once():
    ((time, beam),) = beams(StartPlace("line_up"))
    assert time == pytest.approx(5.0 + SETTLE, abs=0.03)
    assert beam == Beam(-10.0, 3.0, 0.0)


def test_player_that_lies_is_beamed_again_and_given_up_in_the_end():
    found = beams(StartPlace("line_up"), tilt=1.5)
    assert len(found) == TRIES
    assert found[1][0] - found[0][0] == pytest.approx(LOOK, abs=0.03)


@pytest.mark.parametrize(
    ("text", "mode"), [("server", "BeforeKickOff"), ("line_up", "PlayOn"), ("-1 1 0", "PlayOn")]
)
def test_player_that_must_not_or_shall_not_be_beamed_is_left_alone(text, mode):
    assert beams(StartPlace(text), mode=mode) == []


def test_own_place_is_in_metres_and_radians():
    ((_, beam),) = beams(StartPlace("-3.5 1 1.5708"))
    assert (beam.x, beam.y, beam.theta_deg) == pytest.approx((-3.5, 1.0, 90.0), abs=1e-3)


@pytest.mark.parametrize("bad", ["", "here", "1 2", "-1 2 x", "3 0 0", "-1 nan 0", "-1 0 inf", "-1 0 0 0"])
def test_place_that_cannot_be_is_refused(bad):
    with pytest.raises(ConfigError, match="start_pose is"):
        StartPlace(bad)


def test_restart_begins_anew():
    start = StartPlace("line_up")
    beams(start)
    start.restart()
    assert len(beams(start)) == 1


def test_team_stands_in_its_places_on_both_sides():
    world = World(noise=False)
    players = [
        Nao(world, number=number, team=team, start_pose="line_up")
        for team in ("a", "b")
        for number in (1, 5, 11)
    ]
    for _ in range(200):
        world.step()
        for player in players:
            player.percept()
    found = {(p.side, p.number): p for p in world.players}
    assert len(found) == len(players)
    for (side, number), player in found.items():
        sign = -1.0 if side == "right" else 1.0
        x, y, _ = LINE_UP[number]
        assert player.place[:2] == pytest.approx((sign * x, sign * y), abs=0.01)
    for nao in players:
        place = found[nao.converter._joining.side, nao.converter._joining.number].place
        assert nao.state.base_position == pytest.approx(place, abs=0.03)


def test_beam_is_sent_once_in_the_frame_of_its_cycle():
    nao = Nao(start_pose="line_up")
    while nao.state is None:
        nao.cycle()
    begin = nao.state.time
    nao.run(SETTLE - 0.04)
    assert nao.state.time < begin + SETTLE
    assert not any(b"(beam" in payload for payload in nao.sent)
    nao.run(0.2)
    assert sum(b"(beam -10 -3 0)" in payload for payload in nao.sent) == 1


def test_a_place_that_somebody_else_says_is_not_taken_back():
    nao = Nao(start_pose="line_up")
    while nao.state is None:
        nao.cycle()
    nao.converter._requests.begin_beaming(None, {"x": -3.0, "y": 2.0, "yaw": 0.0}, 0.0).step(0.02)
    nao.run(SETTLE + 0.5)
    assert [sum(word in payload for payload in nao.sent) for word in (b"(beam -3 2 0)", b"(beam -10")] == [
        1,
        0,
    ]
