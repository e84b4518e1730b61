# SPDX-License-Identifier: Apache-2.0
"""What the monitor knows, as messages: entities, field, game, scene graph, markers and the picture they make."""

import math
import sys
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time
from embodiment_bridge.msg import SceneNode
from monitor_stage import BALL, SHORT, fed, nao, rsmp, simspark, slt
from visualization_msgs.msg import Marker

from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.soccer_monitor import messages
from embodiment_bridge.protocols.soccer_monitor.marker_messages import (
    NameMarkers,
    SceneMarkers,
    field_markers,
)
from embodiment_bridge.protocols.soccer_monitor.messages import ObjectMessages, Things, scene_graph
from embodiment_bridge.protocols.soccer_monitor.model import MonitorModel
from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail, Foul
from embodiment_bridge.protocols.soccer_monitor.scene.shapes import (
    BOX,
    CYLINDER,
    SPHERE,
    color_of,
    solid_of,
)

sys.path.insert(0, str(Path(__file__).parents[3] / "tools/marker_picture"))

from draw_monitor import markers_of, picture

STAMP = Time(sec=3, nanosec=4)
TURNED = "(SLT 0 -1 0 0 1 0 0 0 0 0 1 0 3 4 0.4 1)"  # x to the right is -y: it looks along x
FIELD = (
    "(FieldLength 30)(FieldWidth 20)(GoalWidth 2.1)(GoalDepth 0.6)(GoalHeight 0.8)(BallRadius 0.042)"
    "(FreeKickDistance 2)"
)
GAME = f"{FIELD}(play_modes A B)(team_left red)(team_right blue)(half 2)(play_mode 1)(score_left 3)(time 9.5)"


def things_of(model):
    return Things(model.game).look(model.graph, model.objects, model.field.get("ball_radius"))


def test_entities_of_simspark_look_along_x():
    model = fed(simspark(BALL + nao("Left", 7, TURNED), game=GAME))
    array = ObjectMessages("map").entities(things_of(model), STAMP)
    ball, player = array.entities
    assert (array.header.frame_id, array.header.stamp, ball.id, ball.kind) == ("map", STAMP, "ball", "ball")
    assert (ball.pose.position.x, ball.pose.position.y, ball.size.z) == (1.0, 2.0, 0.084)
    assert (player.id, player.kind, player.visible) == ("player_left_7", "player", True)
    assert {p.key: p.value for p in player.properties} == {"team": "red", "number": "7", "side": "left"}
    turn = player.pose.orientation
    assert rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w)) == pytest.approx((0, 0, 0))


def test_entities_of_rsmp_know_their_side_by_the_name_of_the_team():
    graph = f"(nd TRF{slt()}(nd DSC(agent blue 3)(nd TRF{slt(8)}))(nd DSC(agent other 4)(nd TRF{slt(9)})))"
    model = fed(rsmp(graph, game="(team_left <LEFT>)(team_right blue)"))
    names = [thing.name for thing in things_of(model)]
    assert names == ["right_3", "team_other_4"]
    assert messages.game_state(model.game, STAMP).team_left == ""


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e308", "-1e308", "1e999"])
@pytest.mark.parametrize("place", range(16))
def test_no_number_does_harm(value, place):
    numbers = ["1", "0", "0", "0", "0", "1", "0", "0", "0", "0", "1", "0", "0", "0", "0", "1"]
    numbers[place] = value
    matrix = f"(SLT {' '.join(numbers)})"
    for graph in (nao("Left", 1, matrix), f"(nd TRF {matrix}{nao('Left', 1, matrix)}{BALL})"):
        model = fed(simspark(graph))
        for thing in things_of(model):
            assert all(map(math.isfinite, (*thing.position, *thing.orientation)))
        for marker in markers_of(model):
            assert math.isfinite(marker.pose.position.x + marker.pose.orientation.w)
        scene_graph(model.graph, float(value), STAMP, "map")


def test_what_is_nowhere_is_left_out():
    model = fed(simspark(BALL + nao("Left", 1, slt(float("nan"))) + nao("Left", 2, slt(1))))
    assert [thing.name for thing in things_of(model)] == ["ball", "left_2"]


def test_recorded_player_looks_to_where_its_trainer_turned_it(recordings):
    """The trainer had said (move -2 2 0.4 90): 90 degrees from the y axis is 180 from x."""
    model = MonitorModel(can_ask=False)
    for event in registry.codec("simspark_monitor").feed(
        (recordings / "simspark/monitor_3200.bin").read_bytes()
    ):
        model.take(event)
    player = next(thing for thing in things_of(model) if thing.name == "left_1")
    assert player.position == pytest.approx((-2.0, 2.0, 0.4), abs=0.01)
    assert abs(rpy_from_quaternion(player.orientation)[2]) == pytest.approx(math.pi, abs=0.01)


def test_field_and_game():
    model = fed(simspark("(nd)", game=GAME))
    field = messages.soccer_field(model.field, model.game.play_modes, STAMP, "map")
    assert (field.length, field.width, field.goal_width, field.goal_depth) == (30.0, 20.0, 2.1, 0.6)
    assert math.isnan(field.penalty_area_width)
    assert field.play_modes == ["A", "B"]
    state = messages.game_state(model.game, STAMP)
    assert (state.play_mode, state.play_time, state.team_right, state.score_left, state.score_right, state.half) == (
        "B", 9.5, "blue", 3, 0, 2
    )  # fmt: skip


def test_goal_of_rcssservermj_is_wider_than_deep():
    model = fed(rsmp("(nd)", game="(FieldLength 55)(GoalWidth 1)(GoalDepth 3.66)"))
    assert (model.field.get("goal_width"), model.field.get("goal_depth")) == (3.66, 1.0)


@pytest.mark.parametrize(
    ("foul", "expected"),
    [
        (Foul(7, 3, 1, 4), (7, 3, "illegal_attack", "left", "red", 4)),
        (Foul(None, 10, 2, 1), (-1, 10, "hand_foul", "right", "blue", 1)),
        (Foul(None, 99, 0, 2**40), (-1, 99, "", "", "", 2**31 - 1)),
    ],
)
def test_foul(foul, expected):
    model = fed(simspark("(nd)", game=GAME))
    told = messages.foul(model.game.foul(foul), STAMP)
    assert (told.index, told.type, told.name, told.side, told.team, told.number) == expected


def test_scene_graph_message_has_every_node_behind_its_parent():
    light = "(nd Light (setDiffuse 1 2 3 4))"
    box = "(nd SMN (setVisible 0)(load StdCapsule 1 2)(sSc 3 4 5)(sMat a))"
    model = fed(
        simspark(
            f"(nd BN (nd TRF {slt(1)}{light}{box})(nd DSC(ball)))(nd StaticMesh (load b)(sSc 1 1 1e300))"
        )
    )
    message = scene_graph(model.graph, None, STAMP, "map")
    kinds = [(node.kind, node.type, node.parent) for node in message.nodes]
    assert kinds == [
        (SceneNode.GROUP, "BN", -1), (SceneNode.TRANSFORM, "TRF", 0), (SceneNode.LIGHT, "Light", 1),
        (SceneNode.MESH, "SMN", 1), (SceneNode.OBJECT, "DSC", 0), (SceneNode.MESH, "StaticMesh", -1),
    ]  # fmt: skip
    mesh = message.nodes[3]
    assert (mesh.mesh, list(mesh.parameters), mesh.visible, list(mesh.materials)) == (
        "StdCapsule",
        [1, 2],
        False,
        ["a"],
    )
    assert (mesh.scale.x, mesh.scale.y, mesh.scale.z) == (3, 4, 5)
    assert list(message.nodes[1].matrix)[12] == 1.0
    assert list(message.nodes[2].colors)[:4] == [1, 2, 3, 4]
    assert math.isnan(message.server_time)


SOLIDS = {
    Detail(mesh="StdUnitBox", scale=(1, 2, 3)): (BOX, (1, 2, 3)),
    Detail(mesh="StdUnitSphere", scale=(0.11, 0.11, 0.11)): (SPHERE, (0.22, 0.22, 0.22)),
    Detail(mesh="StdUnitCylinder", scale=(0.05, 0.05, 1.83), parameters=()): (CYLINDER, (0.1, 0.1, 1.83)),
    Detail(mesh="StdUnitCylinder", scale=(0.2, 0.2, 0.02), parameters=(1.0, 1.0)): (
        CYLINDER,
        (0.4, 0.4, 0.02),
    ),
    Detail(mesh="StdCapsule", scale=(1, 1, 1), parameters=(0.015, 0.08)): (CYLINDER, (0.03, 0.03, 0.11)),
    Detail(mesh="models/naohead.obj", scale=(0.1, 0.1, 0.1)): (SPHERE, (0.13, 0.13, 0.13)),
    Detail(mesh="models/K9/tail.STL"): (SPHERE, (0.08, 0.08, 0.08)),
}


@pytest.mark.parametrize("detail", SOLIDS)
def test_solid_of_a_mesh(detail):
    solid = solid_of(detail)
    assert solid.form == SOLIDS[detail][0]
    assert solid.size == pytest.approx(SOLIDS[detail][1])


@pytest.mark.parametrize(
    "detail",
    [
        Detail(),
        Detail(mesh="StdUnitBox", visible=False),
        Detail(mesh="models/skybox.obj"),
        Detail(mesh="StdUnitBox", scale=(math.nan, 1, 1)),
        Detail(mesh="StdUnitBox", scale=(0, 1, 1)),
        Detail(mesh="StdUnitBox", scale=(1e9, 1, 1)),
    ],
)
def test_nothing_is_drawn_for(detail):
    assert solid_of(detail) is None


def test_colors():
    assert color_of(Detail(color=(2.0, -1.0, math.nan, 0.5))) == (1.0, 0.0, 0.5, 0.5)
    left, right = (
        color_of(Detail(materials=("matNum1", side, "naowhite"))) for side in ("matLeft", "matRight")
    )
    assert left[2] > left[0]
    assert right[0] > right[2]


def test_only_what_moved_is_drawn_again():
    model = fed(simspark(BALL + nao("Left", 1, slt(3))))
    drawing = SceneMarkers("map")
    drawing.build(model.graph, model.objects)
    every = drawing.all(model.graph, STAMP)
    assert {marker.ns for marker in every} == {"scene", "player_left_1"}
    assert drawing.moved(model.graph, STAMP) == []
    model.take(simspark(f"(nd {slt(5, 6)}(nd StaticMesh))(nd(nd(nd(nd)))(nd(nd)))", "RDS"))
    (moved,) = drawing.moved(model.graph, STAMP)
    assert (moved.pose.position.x, moved.pose.position.y) == (5.0, 6.0)
    model.take(simspark(f"(nd {slt(float('inf'))}(nd StaticMesh))(nd(nd(nd(nd)))(nd(nd)))", "RDS"))
    assert drawing.moved(model.graph, STAMP) == []


def test_mesh_files_are_used_where_they_are_and_nowhere_else(tmp_path):
    (tmp_path / "meshes/models").mkdir(parents=True)
    (tmp_path / "meshes/models/soccerball.obj").write_text("")
    (tmp_path / "secret.obj").write_text("")
    names = ("../secret.obj", "x" * 5000, "nul\0.obj", "/etc/hostname", "models")
    others = "".join(f"(nd TRF {slt()}(nd StaticMesh (load {name})))" for name in names)
    model = fed(simspark(BALL + others))
    drawing = SceneMarkers("map", str(tmp_path / "meshes"))
    drawing.build(model.graph, model.objects)
    ball, *found = drawing.all(model.graph, STAMP)
    assert ball.type == Marker.MESH_RESOURCE
    assert ball.mesh_resource == (tmp_path / "meshes/models/soccerball.obj").as_uri()
    assert [marker.type for marker in found] == [Marker.SPHERE] * len(names)


def test_names_stand_over_the_players():
    model = fed(simspark(BALL + nao("Left", 7, slt(3, 4)), game=GAME))
    names = NameMarkers("map")
    (marker,) = names.draw(things_of(model), STAMP)
    assert (marker.text, marker.pose.position.x, marker.pose.position.y) == ("red 7", 3.0, 4.0)
    model.take(simspark(BALL + nao("Left", 7, slt(5, 4)) + nao("Right", 2, slt(6, 4)), game=GAME))
    drawn = names.draw(things_of(model), STAMP)
    assert [(m.text, m.pose.position.x, m.id) for m in drawn] == [("red 7", 5.0, 0), ("blue 2", 6.0, 1)]
    assert names.draw([], STAMP) == []


def test_field_without_a_size_is_not_drawn():
    assert (
        field_markers(fed(simspark("(nd)", game="(FieldLength nan)(FieldWidth 20)")).field, STAMP, "map")
        == []
    )
    assert (
        field_markers(fed(simspark("(nd)", game="(FieldLength 1e9)(FieldWidth 20)")).field, STAMP, "map")
        == []
    )


@pytest.mark.parametrize("protocol", SHORT)
def test_every_marker_of_a_recording_is_one_that_viewers_take(protocol):
    model = MonitorModel(can_ask=False)
    for event in registry.codec(protocol).feed(SHORT[protocol].read_bytes()):
        model.take(event)
    markers = markers_of(model)
    assert len(markers) > 20
    keys = {(marker.ns, marker.id) for marker in markers}
    assert len(keys) == len(markers)
    for marker in markers:
        turn = marker.pose.orientation
        assert math.hypot(turn.x, turn.y, turn.z, turn.w) == pytest.approx(1.0)
        assert marker.scale.x > 0.0
        assert marker.type == Marker.LINE_LIST or min(marker.scale.y, marker.scale.z) > 0.0
        assert all(
            math.isfinite(v) for v in (marker.pose.position.x, marker.pose.position.y, marker.pose.position.z)
        )


def test_picture_shows_field_ball_and_players(tmp_path):
    graph = BALL + nao("Left", 1, slt(-5, 3, 0.4)) + nao("Right", 2, slt(6, -4, 0.4))
    view = picture(fed(simspark(graph, game=GAME)))
    scale = 1000 / 35.0

    def color(x, y):
        height = int(25.0 * scale)
        return view.pixels[int(height / 2 - y * scale), int(500 + x * scale)].tolist()

    grass = color(-10, -5)
    assert grass[1] > 2 * grass[0]
    assert min(color(0.02, 8)) > 0.9  # the middle line
    assert min(color(-14.98, 5)) > 0.9
    left, right = color(-5, 3), color(6, -4)
    assert left[2] > 2 * left[0]
    assert right[0] > 2 * right[2]
    ball = color(1, 2)
    assert ball[0] > 0.9
    assert ball[2] < 0.3
    view.write(tmp_path / "picture.png")
    data = (tmp_path / "picture.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    start = data.index(b"IDAT") + 4
    raw = zlib.decompress(data[start : data.index(b"IEND") - 8])
    assert len(raw) == view.pixels.shape[0] * (3 * view.pixels.shape[1] + 1)


def test_messages_that_are_filled_in_again_say_what_is_new():
    model = fed(simspark(BALL + nao("Left", 7, slt(3, 4)), game="(time 1)"))
    messages = ObjectMessages("map")
    before = {
        e.id: {p.key: p.value for p in e.properties}
        for e in messages.entities(things_of(model), STAMP).entities
    }
    assert before["player_left_7"]["team"] == "left"  # its name is not known yet
    messages.pose(things_of(model)[1], STAMP)
    model.take(simspark(f"(nd(nd))(nd(nd {slt(5, 6)}(nd(nd)))(nd(nd)))", "RDS", game="(team_left red)"))
    later = Time(sec=9)
    ball, player = messages.entities(things_of(model), later).entities
    assert (ball.seen, player.seen) == (later, later)
    assert {p.key: p.value for p in player.properties}["team"] == "red"
    assert (player.pose.position.x, player.pose.position.y) == (5.0, 6.0)
    pose = messages.pose(things_of(model)[1], later)
    assert (pose.header.frame_id, pose.header.stamp, pose.pose.position.x) == ("map", later, 5.0)


def test_game_is_news_when_more_than_its_clocks_changed():
    told = [
        "(time 9.5)(play_mode 1)(score_left 0)",
        "(time 9.54)",
        "(time 9.9)(pass_mode_score_wait_left 3.5)",
        "(time 10.02)",
        "(time 10.04)(score_left 1)",
        "(time 10.06)(team_left red)",
    ]
    model = fed(simspark("(nd)", game=GAME))
    news = []
    for text in told:
        model.take(simspark("(nd)", kind="RDS", game=text))
        news.append(messages.news(model.game))
    changes = [a != b for a, b in pairwise(news)]
    assert changes == [False, False, True, True, False]  # GAME has named that team already
