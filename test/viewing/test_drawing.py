# SPDX-License-Identifier: Apache-2.0
"""What is put into the scene, without a browser: the scene says which nodes it has."""

import math
import socket
import urllib.request
from pathlib import Path

import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Point, Pose, PoseStamped, Quaternion, Vector3
from nav_msgs.msg import MapMetaData, OccupancyGrid
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA, Header, String
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.urdf import read_urdf
from embodiment_bridge.viewing.marker_board import MOST, MOST_POINTS, MarkerBoard
from embodiment_bridge.viewing.page import Page
from embodiment_bridge.viewing.robot_shape import RobotShape
from embodiment_bridge.viewing.robot_view import SETTLE_S, RobotView

URDF = Path(__file__).parents[2] / "urdf"


@pytest.fixture
def page():
    page = Page("127.0.0.1", 0)
    yield page
    page.close()


def marker(kind=Marker.CUBE, id_=1, frame="map", **fields):
    made = Marker(header=Header(frame_id=frame), ns="test", id=id_, type=kind, **fields)
    made.scale = fields.get("scale", Vector3(x=0.1, y=0.2, z=0.3))
    made.color = fields.get("color", ColorRGBA(r=1.0, a=1.0))
    return made


def array(*markers):
    return MarkerArray(markers=list(markers))


def node(page, name):
    return page.scene.get_handle_by_name(name)


class TestPage:
    def test_is_served_on_its_address_only(self, page):
        with urllib.request.urlopen(page.url, timeout=30.0) as answer:
            assert b"<html" in answer.read(1000).lower()
        assert page.url.startswith("http://127.0.0.1:")
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(("127.0.0.2", int(page.url.rpartition(":")[2])), timeout=5.0)

    def test_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            with pytest.raises(ConfigError, match=f"127.0.0.1:{port}.*port 0 takes a free"):
                Page("127.0.0.1", port)

    @pytest.mark.parametrize("host", ["192.0.2.1", "no such host", "a" * 300])
    def test_host_that_is_not_of_this_machine(self, host):
        with pytest.raises(ConfigError, match="parameters host and port"):
            Page(host, 0)

    def test_asks_no_public_host_for_a_tunnel(self, page):
        handlers = page._server._websock_server._incoming_handlers
        assert not [kind for kind in handlers if "Share" in kind.__name__]


class TestRobotShape:
    @pytest.mark.parametrize("name", ["t1", "k1", "ant", "nao", "mock", "desk_humanoid"])
    def test_every_shape_is_there(self, page, name):
        robot = read_urdf(URDF / f"{name}.urdf")
        shape = RobotShape(page.scene, "/robot", robot)
        for link in robot.links.values():
            for number in range(len(link.visuals)):
                assert node(page, f"{shape.paths[link.name]}/visual{number}") is not None, link.name

    def test_joints_turn(self, page):
        robot = read_urdf(URDF / "t1.urdf")
        shape = RobotShape(page.scene, "/robot", robot)
        head = node(page, shape.paths["neck"])
        shape.move({"AAHead_yaw": 0.5, "Head_pitch": math.nan, "no_such": 1.0})
        assert list(head.wxyz) == pytest.approx([math.cos(0.25), 0.0, 0.0, math.sin(0.25)])

    def test_stands_on_its_soles(self, page):
        shape = RobotShape(page.scene, "/robot", read_urdf(URDF / "t1.urdf"))
        assert shape.lowest() == pytest.approx(-0.6735, abs=0.005)


class TestMarkers:
    @pytest.fixture
    def board(self, page):
        return MarkerBoard(page.scene, "m", {"map": "", "base_link": "/robot0"}.get)

    @pytest.mark.parametrize(
        ("made", "kind"),
        [
            (marker(Marker.CUBE), "BoxHandle"),
            (marker(Marker.SPHERE), "IcosphereHandle"),
            (marker(Marker.CYLINDER), "CylinderHandle"),
            (marker(Marker.TEXT_VIEW_FACING, text="hello"), "LabelHandle"),
            (marker(Marker.LINE_LIST, points=[Point(), Point(x=1.0)] * 2), "LineSegmentsHandle"),
            (marker(Marker.LINE_STRIP, points=[Point(), Point(x=1.0), Point(y=1.0)]), "LineSegmentsHandle"),
            (marker(Marker.POINTS, points=[Point()]), "PointCloudHandle"),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_kinds(self, page, board, made, kind):
        board.take(array(made), 0.0)
        assert type(node(page, "/m1")).__name__ == kind

    @pytest.mark.parametrize(
        "made",
        [
            marker(Marker.MESH_RESOURCE),
            marker(77),
            marker(scale=Vector3(x=0.0, y=1.0, z=1.0)),
            marker(scale=Vector3(x=math.nan, y=1.0, z=1.0)),
            marker(pose=Pose(position=Point(x=math.inf))),
            marker(Marker.LINE_LIST, points=[Point()]),
            marker(Marker.LINE_LIST, points=[Point(), Point(x=math.nan)]),
            marker(Marker.LINE_STRIP),
            marker(Marker.POINTS),
        ],
    )
    def test_what_cannot_be_drawn_is_left_out(self, page, board, made):
        board.take(array(made), 0.0)
        assert node(page, "/m1") is None

    def test_move_keeps_the_node(self, page, board):
        board.take(array(marker()), 0.0)
        first = node(page, "/m1")
        turned = Quaternion(z=2.0, w=0.0)  # of any length
        board.take(array(marker(pose=Pose(position=Point(x=2.0), orientation=turned))), 0.1)
        assert node(page, "/m1") is first
        assert list(first.position) == [2.0, 0.0, 0.0]
        assert list(first.wxyz) == [0.0, 0.0, 0.0, 1.0]

    def test_other_look_is_drawn_anew(self, page, board):
        board.take(array(marker()), 0.0)
        board.take(array(marker(Marker.SPHERE)), 0.1)
        assert type(node(page, "/m1")).__name__ == "IcosphereHandle"

    def test_frame_of_a_link(self, page, board):
        board.take(array(marker(frame="base_link")), 0.0)
        assert node(page, "/robot0/m1") is not None

    def test_delete_and_delete_all(self, page, board):
        board.take(array(marker(id_=1), marker(id_=2), marker(id_=3)), 0.0)
        board.take(array(marker(id_=2, action=Marker.DELETE)), 0.0)
        assert [node(page, f"/m{n}") is not None for n in (1, 2, 3)] == [True, False, True]
        board.take(array(Marker(action=Marker.DELETEALL)), 0.0)
        assert [node(page, f"/m{n}") for n in (1, 2, 3)] == [None] * 3

    def test_lifetime(self, page, board):
        board.take(array(marker(id_=1, lifetime=Duration(sec=1)), marker(id_=2)), 10.0)
        board.expire(10.9)
        assert node(page, "/m1") is not None
        board.take(array(marker(id_=1, lifetime=Duration(sec=1))), 10.9)
        board.expire(11.5)
        assert node(page, "/m1") is not None
        board.expire(12.0)
        assert node(page, "/m1") is None
        assert node(page, "/m2") is not None

    def test_names_that_come_and_go_use_the_same_nodes(self, page, board):
        for number in range(50):
            board.take(array(marker(id_=number)), 0.0)
            board.take(array(marker(id_=number, action=Marker.DELETE)), 0.0)
        assert node(page, "/m2") is None
        assert board._slots == 1

    def test_limits(self, page, board):
        board.take(array(*(marker(id_=number) for number in range(MOST + 5))), 0.0)
        assert len(board._drawn) == MOST
        board.clear()
        board.take(array(marker(Marker.POINTS, points=[Point()] * (MOST_POINTS + 5))), 0.0)
        assert len(board._drawn["test", 1].look[-1]) == 3 * MOST_POINTS


class TestRobotView:
    def test_robot_stands_until_a_pose_is_known(self, page):
        view = RobotView(page, 0, "robot")
        view.take("robot_description", String(data=(URDF / "t1.urdf").read_text()))
        assert node(page, "/robot0").position[2] == pytest.approx(0.6735, abs=0.005)
        pose = PoseStamped(pose=Pose(position=Point(x=1.0, z=0.3)))
        view.take("pose", pose)
        assert list(node(page, "/robot0").position) == pytest.approx([1.0, 0.0, 0.3])
        pose.pose.position.x = math.nan
        view.take("pose", pose)
        assert node(page, "/robot0").position[0] == 1.0

    def test_joint_states_before_and_after_the_description(self, page):
        view = RobotView(page, 0, "robot")
        view.take("joint_states", JointState(name=["AAHead_yaw"], position=[1.0]))
        view.take("robot_description", String(data=(URDF / "t1.urdf").read_text()))
        head = node(page, view._node_of("any/prefix/neck"))
        assert head.wxyz[3] == pytest.approx(math.sin(0.5))
        view.take("joint_states", JointState(name=["AAHead_yaw"], position=[0.0]))
        assert head.wxyz[3] == 0.0

    def test_bad_description_is_refused(self, page):
        view = RobotView(page, 0, "robot")
        with pytest.raises(ConfigError):
            view.take("robot_description", String(data="<robot"))

    def test_map_lies_where_its_origin_says(self, page):
        view = RobotView(page, 0, "robot")
        info = MapMetaData(width=4, height=2, resolution=0.5, origin=Pose(position=Point(x=-1.0)))
        view.take("map", OccupancyGrid(header=Header(frame_id="map"), info=info, data=[0] * 8))
        assert list(node(page, "/map").position)[:2] == [0.0, 0.5]

    def test_nothing_is_drawn_before_its_place_is_known(self, page):
        view = RobotView(page, 0, "robot")
        view.published = frozenset({"pose", "robot_description"})
        view.take("markers", array(marker(frame="neck")))
        view.refresh(0.0)
        view.take("robot_description", String(data=(URDF / "t1.urdf").read_text()))
        view.refresh(2.0 * SETTLE_S)
        assert not node(page, "/robot0").visible
        assert "nothing has come on pose" in view._html["status"].content
        assert node(page, "/marker0_1") is None
        view.take("pose", PoseStamped(pose=Pose(position=Point(x=1.0), orientation=Quaternion(w=1.0))))
        view.refresh(2.0 * SETTLE_S + 1.0)
        assert node(page, "/robot0").visible
        assert node(page, f"{view._node_of('neck')}/marker0_1") is not None
        assert "nothing has come" not in view._html["status"].content

    def test_robot_whose_place_is_never_told_stands_at_the_origin(self, page):
        view = RobotView(page, 0, "robot")
        view.take("robot_description", String(data=(URDF / "t1.urdf").read_text()))
        view.refresh(0.0)
        assert not node(page, "/robot0").visible
        view.published = frozenset({"robot_description"})
        view.refresh(SETTLE_S)
        assert node(page, "/robot0").visible

    def test_body_without_description_is_a_disc(self, page):
        view = RobotView(page, 0, "robot")
        view.take("pose", PoseStamped(pose=Pose(position=Point(x=1.0), orientation=Quaternion(w=1.0))))
        view.refresh(1.0)
        assert node(page, "/robot0/disc") is not None
        view.take("robot_description", String(data=(URDF / "mock.urdf").read_text()))
        view.refresh(2.0)
        assert node(page, "/robot0/disc") is None
