# SPDX-License-Identifier: Apache-2.0
"""The scene kept up to date: changes by place in the tree, what does not fit, what is nowhere, who is who."""

import gzip
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from monitor_stage import BALL, SHORT, decode, fed, nao, payloads, rsmp, simspark, slt

from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.soccer_monitor.commands import RequestFullState
from embodiment_bridge.protocols.soccer_monitor.model import ASK_AGAIN, MonitorModel
from embodiment_bridge.protocols.soccer_monitor.scene.events import MonitorState
from embodiment_bridge.protocols.soccer_monitor.scene.graph import SceneGraph, find_objects, poses
from embodiment_bridge.wire.codec import Malformed
from embodiment_bridge.wire.framing import frame

TREE = f"(nd TRF {slt(1)}(nd TRF {slt(0, 2)}(nd SMN (load StdUnitBox)))(nd SMN (load StdUnitSphere)))(nd)"
LARGE = {
    "simspark_monitor": ("simspark/monitor_3200.bin", "simspark/short_monitor.bin"),
    "rcsssmj_monitor": ("rcsssmj/monitor_rsmp.bin", "rcsssmj/short_monitor_rsmp.bin"),
}


def place(model, node):
    return tuple(model.graph.worlds()[node, 3, :3].tolist())


def test_places_are_those_of_all_transforms_above():
    model = fed(simspark(TREE))
    assert [place(model, node) for node in range(5)] == [
        (1, 0, 0), (1, 2, 0), (1, 2, 0), (1, 0, 0), (0, 0, 0)
    ]  # fmt: skip


def test_players_of_the_servers_master_are_found():
    """Its robots have jersey numbers, and its game state names the teams each time."""
    path = SHORT["rcsssmj_monitor"].with_name("master.bin.gz")
    events = registry.codec("rcsssmj_monitor").feed(gzip.decompress(path.read_bytes()))
    assert [type(event) for event in events] == [MonitorState] * 3
    model = fed(*events)
    found = find_objects(model.graph)
    assert {(player.team, player.number) for player in found.players} == {
        ("bridge", 2), ("bridge", 3), ("redside", 4), ("redside", 10)
    }  # fmt: skip
    assert model.in_step


def test_changes_are_taken_by_place_in_the_tree():
    model = fed(
        simspark(TREE),
        simspark(f"(nd(nd {slt(0, 5)}(nd))(nd SMN (setVisible 0)))(nd)", "RDS"),
    )
    assert model.in_step
    assert place(model, 2) == (1, 5, 0)
    assert model.graph.details[3].visible is False
    assert model.graph.details[3].mesh == "StdUnitSphere"
    model.take(simspark(f"(nd TRF {slt(9)}(nd(nd))(nd))(nd)", "RDS"))
    assert place(model, 2) == (9, 5, 0)


@pytest.mark.parametrize(
    "changes",
    [
        "(nd)",
        "(nd(nd(nd))(nd))(nd)(nd)",
        "(nd(nd)(nd))(nd)",
        "(nd(nd(nd)(nd))(nd))(nd)",
        "",
        "(nd(nd(nd))(nd)(nd))",
    ],
)
def test_changes_of_another_shape_are_not_taken_and_everything_is_asked_for(changes):
    model = fed(simspark(TREE))
    assert model.take(simspark(changes, "RDS")) == [RequestFullState()]
    assert (model.in_step, model.mismatches) == (False, 1)
    assert place(model, 2) == (1, 2, 0)
    assert model.take(simspark("(nd(nd(nd))(nd))(nd)", "RDS")) == []  # asked once
    assert not model.in_step
    assert model.take(simspark(TREE)) == []
    assert model.in_step


def test_it_asks_again_when_the_answer_is_lost_too():
    model = fed(simspark(TREE))
    lost = simspark("(nd)", "RDS")
    asked = [index for index in range(2 * ASK_AGAIN + 1) if model.take(lost)]
    assert asked == [0, ASK_AGAIN, 2 * ASK_AGAIN]


def test_a_server_that_cannot_be_asked_is_waited_for():
    model = fed(simspark(TREE), can_ask=False)
    assert model.take(simspark("(nd)", "RDS")) == []
    assert not model.in_step


def test_what_came_broken_is_asked_for_again():
    model = fed(simspark(TREE))
    assert model.take(Malformed(0, "a reason")) == [RequestFullState()]
    assert not model.in_step


def test_what_is_nan_is_nowhere_until_it_is_told_again():
    model = fed(simspark(f"(nd TRF {slt(1)}(nd TRF {slt(1)}))"))
    model.take(simspark(f"(nd {slt(float('nan'))}(nd))", "RDS"))
    assert model.in_step
    assert not np.isfinite(model.graph.worlds()).all()
    model.take(simspark(f"(nd {slt(4)}(nd))", "RDS"))
    assert place(model, 1) == (5, 0, 0)


def test_ball_and_players_of_simspark_are_told_by_mesh_and_materials():
    model = fed(simspark(BALL + nao("Left", 1, slt(3)) + nao("Right", 11, slt(4)) + nao("Team", 2, slt(5))))
    assert place(model, model.objects.ball) == (1, 2, 0.04)
    assert [
        (p.side, p.team, p.number, place(model, p.node)[0], p.forward_y) for p in model.objects.players
    ] == [
        ("left", "", 1, 3.0, True),
        ("right", "", 11, 4.0, True),
    ]


def test_ball_and_players_of_rsmp_are_told_by_name():
    graph = (
        f"(nd TRF{slt()}(nd DSC(ball)(nd TRF{slt(7)}(nd SMN (load StdUnitSphere))))"
        f"(nd DSC(agent blue 3)(nd TRF{slt(8)}(nd TRF{slt(1)}(nd SMN (load x.STL)(sMat matLeft)))))"
        f"(nd DSC(agent a b 4)(nd TRF{slt(9)})(nd))(nd DSC(agent c x)(nd TRF{slt()}))(nd DSC(agent d 5)))"
    )
    model = fed(rsmp(graph))
    assert place(model, model.objects.ball) == (7, 0, 0)
    assert [(p.team, p.number, place(model, p.node)[0], p.forward_y) for p in model.objects.players] == [
        ("blue", 3, 8.0, False),
        ("a b", 4, 9.0, False),
    ]
    assert model.time_s == 1.0


def test_game_is_put_together_from_what_changed():
    model = fed(
        simspark(
            "(nd)",
            game="(play_modes A B)(time 0)(half 1)(score_left 0)(score_right 0)(play_mode 0)(team_left x)",
        ),
        simspark("(nd)", "RDS", "(time 3)(play_mode 1)"),
        simspark("(nd)", "RDS", "(time 4)(score_right 2)"),
    )
    game = model.game
    assert (game.state.time_s, game.play_mode, game.state.score_right, game.team("left")) == (4, "B", 2, "x")
    assert game.side("x") == "left"
    model.take(simspark("(nd)", "RDS", "(play_mode 77)"))
    assert game.play_mode == "77"


def test_game_of_the_last_connection_is_forgotten():
    model = fed(simspark("(nd)", game="(play_modes A)(team_left x)(score_left 3)(FieldLength 30)"))
    model.lost()
    assert (model.in_step, model.game.team("left"), model.game.play_modes) == (False, "", ())
    model.take(simspark("(nd)", game="(FieldLength 40)(time 0)"))
    assert (model.game.state.score_left, model.field.get("length")) == (None, 40.0)


def apply_all(protocol, path):
    """The model after a whole recording, and how many messages and whole scenes it had."""
    model, scenes, full = MonitorModel(can_ask=False), 0, 0
    for event in registry.codec(protocol).feed(path.read_bytes()):
        assert isinstance(event, MonitorState), event
        model.take(event)
        scenes += event.scene is not None
        full += event.scene.full
        assert model.in_step
    return model, scenes, full


@pytest.mark.parametrize("protocol", SHORT)
def test_short_recordings_apply_without_mismatch(protocol):
    model, scenes, full = apply_all(protocol, SHORT[protocol])
    assert (model.mismatches, scenes > 40, full > 3) == (0, True, True)
    assert len(model.objects.players) > 1


EXPECTED = {
    "simspark/monitor_3200.bin": (715, 13, 1),
    "simspark/short_monitor.bin": (75, None, None),
    "rcsssmj/monitor_rsmp.bin": (266, 7, 0),
    "rcsssmj/short_monitor_rsmp.bin": (50, None, None),
}


@pytest.mark.parametrize(("protocol", "name"), [(p, name) for p, names in LARGE.items() for name in names])
def test_large_recordings_apply_without_mismatch(recordings, protocol, name):
    model, scenes, full = apply_all(protocol, recordings / name)
    assert model.mismatches == 0
    for found, expected in zip((scenes, full, len(model.objects.players)), EXPECTED[name], strict=True):
        assert expected is None or found == expected


@given(data=st.data())
@pytest.mark.parametrize("protocol", SHORT)
def test_damaged_recordings_are_survived(protocol, data):
    messages = payloads(SHORT[protocol])[:6]
    codec, model = registry.codec(protocol), MonitorModel(can_ask=True)
    for message in messages:
        damaged = bytearray(message)
        for _ in range(data.draw(st.integers(0, 2))):
            at = data.draw(st.integers(0, len(damaged) - 1))
            damaged[at : at + data.draw(st.integers(0, 9))] = data.draw(
                st.sampled_from([b"", b"(", b")", b"nan", b"(nd)", b"x"])
            )
        for event in codec.feed(frame(bytes(damaged) or b" ")):
            model.take(event)
            model.graph.worlds()
    for event in codec.feed(frame(messages[0])):
        model.take(event)
    assert model.in_step


def test_poses_have_no_scale_and_no_mirror():
    turn = math.radians(30)
    rows = [
        [math.cos(turn), math.sin(turn), 0, 0],
        [-math.sin(turn), math.cos(turn), 0, 0],
        [0, 0, 1, 0],
        [1, 2, 3, 1],
    ]
    scaled = (np.diag([2.0, 3.0, 4.0, 1.0]) @ np.array(rows)).tolist()
    mirrored = (np.diag([-1.0, -1.0, -1.0, 1.0]) @ np.array(rows)).tolist()
    places, turns = poses(np.array([rows, scaled, mirrored, np.zeros((4, 4)).tolist()]))
    expected = (0.0, 0.0, math.sin(turn / 2), math.cos(turn / 2))
    for index in range(3):
        assert turns[index] == pytest.approx(expected)
    assert places[1].tolist() == [1, 2, 3]
    assert np.isnan(turns[3]).all()


@given(axis=st.tuples(*[st.floats(-1, 1)] * 3), angle=st.floats(-3.1, 3.1))
def test_poses_are_the_turn_that_was_made(axis, angle):
    length = math.sqrt(sum(v * v for v in axis))
    if length < 1e-3:
        return
    x, y, z = (math.sin(angle / 2) * v / length for v in axis)
    w = math.cos(angle / 2)
    matrix = np.eye(4)
    matrix[:3, :3] = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    ).T
    found = poses(matrix[None])[1][0]
    assert abs(float(found @ np.array([x, y, z, w]))) == pytest.approx(1.0, abs=1e-9)


def test_empty_graph_is_a_graph():
    graph = SceneGraph()
    (event,) = decode("simspark_monitor", "((time 0))(RSG 0 1)()")
    assert graph.apply(event.scene)
    assert len(graph) == 0
    assert graph.worlds().shape == (0, 4, 4)
