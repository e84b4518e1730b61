# SPDX-License-Identifier: Apache-2.0
"""The viewer as a node: when it subscribes, how it ends, what it refuses."""

import socket
import threading
import time
from contextlib import closing, contextmanager

import msgspec.msgpack
import pytest
import viser
import websocket
from embodiment_bridge.msg import TreeSnapshot
from rclpy.lifecycle import TransitionCallbackReturn
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState
from waiting import GRAPH

from embodiment_bridge.launching.executables import viewer
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.viewing.page import Page

TOPIC = "/shown/joint_states"

CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": (1.0, 0.0, 0.0, 0.0), "position": (1.0, 0.0, 0.0), "fov": 1.0,
    "near": 0.1, "far": 100.0, "image_height": 100, "image_width": 100,
    "look_at": (0.0, 0.0, 0.0), "up_direction": (0.0, 0.0, 1.0),
}  # fmt: skip


@contextmanager
def frozen_tab(url):
    """What a page does at first: it says where its camera is. It reads nothing."""
    protocol = f"viser-v{viser.__version__}"
    address = url.replace("http", "ws")
    with closing(websocket.create_connection(address, subprotocols=[protocol], timeout=30.0)) as page:
        page.send_binary(msgspec.msgpack.encode(CAMERA))
        yield page


@contextmanager
def visitor(url):
    """What a page does, as far as the server can tell: it reads, and answers pings."""
    with frozen_tab(url) as page:
        page.settimeout(0.1)
        left = threading.Event()
        reader = threading.Thread(target=read, args=(page, left), name="page")
        reader.start()
        try:
            yield page
        finally:
            left.set()
            reader.join()


def read(page, left):
    """Read until ``left`` is set, or the server has closed the page."""
    while not left.is_set():
        try:
            page.recv()
        except websocket.WebSocketTimeoutException:
            continue
        except (websocket.WebSocketConnectionClosedException, OSError):
            return


def others(stage):
    return stage.brain.count_subscribers(TOPIC)


def test_subscribes_while_a_page_is_open(stage):
    assert others(stage) == 0
    with visitor(stage.viewer.url):
        stage.until(lambda: others(stage) == 1)
        stage.until(lambda: stage.brain.count_subscribers("/shown/behavior_tree/tree") == 1)
        with visitor(stage.viewer.url):
            stage.until(lambda: stage.viewer.diagnose()[2]["visitors"] == 2)
            assert others(stage) == 1
    stage.until(lambda: others(stage) == 0)


def test_a_document_that_ended_unseen_does_not_run_on_the_next_page(stage):
    (driver,) = stage.viewer._drivers
    tree = stage.brain.create_publisher(TreeSnapshot, "behavior_tree/tree", profile("state"))

    def runs():
        tree.publish(TreeSnapshot(run_id="1", state="RUNNING"))
        return driver._state == "RUNNING"

    with visitor(stage.viewer.url):
        stage.until(lambda: others(stage) == 1)
        stage.until(runs)
    while others(stage):  # also after the last picture
        tree.publish(TreeSnapshot(run_id="1", state="RUNNING"))
        time.sleep(0.01)
    with visitor(stage.viewer.url):
        stage.until(lambda: driver._state == "")
        stage.until(lambda: others(stage) == 1)
        assert driver._state == ""


def test_nothing_is_drawn_while_nobody_looks(stage):
    assert stage.viewer.diagnose()[1:] == (
        "no visitors",
        {"url": stage.viewer.url, "visitors": 0, "refused": 0, "pictures": 0},
    )
    with visitor(stage.viewer.url):
        stage.until(lambda: stage.viewer.diagnose()[2]["pictures"] > 3)
        assert stage.viewer.diagnose()[1] == "shown"


def test_ends_and_comes_back_while_a_page_is_open(stage):
    first = stage.viewer.url
    with visitor(first):
        stage.until(lambda: others(stage) == 1)
        assert stage.call(stage.viewer.trigger_deactivate) == TransitionCallbackReturn.SUCCESS
        assert stage.viewer.url == ""
        stage.until(lambda: others(stage) == 0)
    assert stage.call(stage.viewer.trigger_activate) == TransitionCallbackReturn.SUCCESS
    with visitor(stage.viewer.url):
        stage.until(lambda: others(stage) == 1)


def test_page_that_does_not_answer_holds_up_nothing():
    before = set(threading.enumerate())
    page = Page("127.0.0.1", 0)
    deadline = time.monotonic() + GRAPH
    with frozen_tab(page.url):
        while not page.visitors and time.monotonic() < deadline:
            time.sleep(0.01)
        assert page.visitors == 1
        page.close()
        assert set(threading.enumerate()) == before


def test_message_that_cannot_be_drawn_is_told_once(stage, caplog):
    with visitor(stage.viewer.url):
        stage.until(lambda: stage.viewer.diagnose()[1] == "shown" and "/shown" in stage.viewer._looks)
        for _ in range(3):
            stage.viewer._take("/shown", "local_grid", JointState, b"\0")  # nobody else publishes it
            stage.until(lambda: "local_grid" in stage.viewer.diagnose()[1])
        drawn = stage.viewer.diagnose()[2]["pictures"]
        stage.until(lambda: stage.viewer.diagnose()[2]["pictures"] > drawn + 2)
    assert sum("not drawn" in record.message for record in caplog.records) == 1


def test_all_robots_of_a_namespace():
    with Runtime() as runtime:
        values = [Parameter("port", value=0), Parameter("namespaces", value=["*"])]
        node = runtime.add(viewer(context=runtime.context, namespace="team", parameter_overrides=values))
        for name in ("team/player1", "team/player2", "elsewhere", "teams"):
            node.create_publisher(JointState, f"/{name}/joint_states", profile("sensor"))
        runtime.spin(lambda: node.url)
        with visitor(node.url):
            runtime.spin(lambda: node.count_subscribers("/team/player2/joint_states") == 1)
            assert node._names == ["/team/player1", "/team/player2"]


@pytest.mark.parametrize("host", ["192.0.2.1", "127.0.0.1"])
def test_place_that_cannot_be_had(host, capfd):
    with socket.create_server(("127.0.0.1", 0)) as other, Runtime() as runtime:
        values = {"host": host, "port": other.getsockname()[1]}
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        node = runtime.add(viewer(context=runtime.context, parameter_overrides=overrides))
        runtime.spin(lambda: node.refused)
        assert node.url == ""
    assert "not activated: parameters host and port: no page on" in capfd.readouterr().err
