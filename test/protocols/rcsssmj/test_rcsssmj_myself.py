# SPDX-License-Identifier: Apache-2.0
"""A recording that begins in the middle of a game plays as the player whose percepts it has."""

from dataclasses import replace

import pytest
from percept_stage import GAME, converter, message, percept

from embodiment_bridge.protocols.rcsssmj.events import AgentDetection, PointDetection, Vision

OWN_FOOT = PointDetection("rfoot", 1.06, -5.0, -82.0)  # of a T1 that stands, as its camera sees it
FEET = (OWN_FOOT, PointDetection("lfoot", 1.06, 5.0, -82.0))
BEFORE_ME = (PointDetection("head", 2.2, -8.0, 0.0), PointDetection("lfoot", 2.5, -10.0, -25.0))
THEIRS = replace(GAME, team_left="blue", team_right="red")


def seen(team, number, parts):
    return percept(vision=Vision((), (AgentDetection(team, number, parts),)), game_state=THEIRS)


def players(made, what):
    return [e.id for e in message(what, "entities", made).entities if e.kind == "player"]


@pytest.mark.parametrize(("team", "side"), [("blue", "left"), ("red", "right")])
def test_own_feet_tell_team_number_and_side(team, side):
    made = converter(transport="replay")
    what = seen(team, 7, FEET)
    assert players(made, what) == []
    assert message(what, "game_state", converter(transport="replay")).own_side == side


def test_feet_of_others_and_feet_in_a_game_that_is_played_tell_nothing():
    replayed, played = converter(transport="replay"), converter()
    assert players(replayed, seen("red", 7, BEFORE_ME)) == ["player_red_7"]
    assert message(seen("red", 7, BEFORE_ME), "game_state", converter(transport="replay")).own_side == ""
    assert players(played, seen("red", 7, FEET)) == ["player_red_7"]


@pytest.mark.parametrize(
    ("game", "side"),
    [
        (replace(GAME, team_left="blue", team_right=""), "left"),
        (THEIRS, ""),
        (replace(GAME, team_left="them", team_right="us"), "right"),
    ],
    ids=["one team", "two others", "as the parameter says"],
)
def test_game_of_one_team_is_one_of_that_team(game, side):
    what = percept(game_state=game)
    assert message(what, "game_state", converter(transport="replay")).own_side == side


def test_next_replay_begins_as_the_parameters_say():
    made = converter(transport="replay")
    message(seen("red", 7, FEET), "game_state", made)
    made.handshake()
    assert players(made, seen("red", 7, BEFORE_ME)) == ["player_red_7"]
