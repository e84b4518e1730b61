# SPDX-License-Identifier: Apache-2.0
"""One meaning for both sides on SimSpark too: a left and a right player do the same and see the same."""

import math

import pytest
from embodiment_bridge.srv import Beam
from nao_stage import Nao

from embodiment_bridge.protocols.simspark.convert import mirrored


def placed(side, **parameters):
    nao = Nao(**parameters)
    if side == "right":
        nao.world.game.teams["left"] = "others"
    nao.run(1.0)
    nao.converter.handle_request("beam", Beam.Request(x=-4.0, y=2.0, theta=math.radians(30.0)))
    return nao.run(2.0)


def test_same_request_and_the_same_place_in_the_frame_team():
    places = []
    for side in ("left", "right"):
        nao = placed(side, team_frame=True)
        assert nao.player.side == side
        assert nao.last("game_state").own_side == side
        assert nao.last("pose").header.frame_id == "team"
        assert nao.last("entities").header.frame_id == "team"
        assert nao.state.base_position[:2] == pytest.approx((-4.0, 2.0), abs=0.15)
        assert nao.state.yaw == pytest.approx(math.radians(30.0), abs=0.3)
        landmarks = {e.id: e.pose.position for e in nao.last("entities").entities if e.kind == "landmark"}
        goal = landmarks["landmark_G1R"]
        assert (goal.x, goal.y) == pytest.approx((15.0, 1.05), abs=0.3)
        places.append(set(landmarks))
    assert places[0] == places[1]


def test_without_the_parameter_a_right_player_is_in_the_map():
    nao = placed("right")
    assert nao.last("pose").header.frame_id == "map"
    assert nao.state.base_position[:2] == pytest.approx((4.0, -2.0), abs=0.15)


@pytest.mark.parametrize(("name", "other"), [("F1L", "F2R"), ("F2L", "F1R"), ("G1L", "G2R")])
def test_landmarks_are_named_by_their_place(name, other):
    assert mirrored(name) == other
    assert mirrored(other) == name


@pytest.mark.parametrize(
    ("true_pose", "side", "told"), [(True, "left", "left"), (True, "right", "right"), (False, "right", "")]
)
def test_a_recording_from_the_middle_of_a_game_tells_the_side_by_mypos(true_pose, side, told):
    live = placed(side, true_pose=true_pose)
    replayed = Nao(transport="replay")
    for _ in range(30):
        live.world.step()
        replayed.percept(live.talk.message())
    assert replayed.last("game_state").own_side == told
    assert replayed.state.base_position[:2] == pytest.approx(live.player.place[:2], abs=0.15)


def test_in_the_middle_of_the_field_mypos_tells_no_side():
    live = Nao(true_pose=True).run(1.0)
    live.player.put((0.1, 0.1, 0.4), 0.0)
    live.run(1.0)
    replayed = Nao(transport="replay")
    for _ in range(30):
        live.world.step()
        replayed.percept(live.talk.message())
    assert replayed.last("game_state").own_side == ""
