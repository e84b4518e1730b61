# SPDX-License-Identifier: Apache-2.0
"""The resource robot://camera.png: pictures of any camera as PNG, subscribed only while one is read."""

import base64
import struct
import zlib
from array import array

import anyio
import numpy as np
import pytest
from mcp.shared.exceptions import MCPError
from mcp_stage import async_until, connected
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Image
from waiting import GRAPH

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.mcp_server import picture
from embodiment_bridge.mcp_server.picture import TOPIC, pixels

URI = "robot://camera.png"
RED, GREEN = (250, 10, 20), (0, 200, 30)


def image(encoding: str, data: list[int], *, width: int = 2, height: int = 1, step: int = 0) -> Image:
    step = step or len(data) // height
    return Image(encoding=encoding, width=width, height=height, step=step, data=array("B", data))


@pytest.mark.parametrize(
    "shown",
    [
        image("rgb8", [*RED, *GREEN]),
        image("rgb8", [*RED, *GREEN, 7, 7], step=8),
        image("bgr8", [*reversed(RED), *reversed(GREEN)]),
        image("rgba8", [*RED, 255, *GREEN, 0]),
        image("bgra8", [*reversed(RED), 1, *reversed(GREEN), 2]),
    ],
    ids=["rgb8", "padded", "bgr8", "rgba8", "bgra8"],
)
def test_colours_of_all_encodings(shown) -> None:
    assert pixels(shown).tolist() == [[list(RED), list(GREEN)]]


def test_grey_is_as_much_of_each_colour() -> None:
    assert pixels(image("mono8", [3, 200])).tolist() == [[[3, 3, 3], [200, 200, 200]]]


def test_large_pictures_are_thinned_out() -> None:
    found = pixels(image("mono8", [number % 251 for number in range(2500)], width=2500))
    assert found.shape == (1, 834, 3)
    assert found[0, :3, 0].tolist() == [0, 3, 6]


@pytest.mark.parametrize(
    ("shown", "says"),
    [
        (image("32FC1", [0] * 8), "unknown encoding of a camera picture '32FC1'"),
        (image("rgb8", [0] * 5), "2 x 1 rgb8 has 5 bytes, a row 5"),
        (image("rgb8", [0] * 6, height=2, step=6), "2 x 2 rgb8 has 6 bytes"),
        (image("rgb8", [], width=0, height=0, step=1), "0 x 0"),
    ],
    ids=["depth", "short row", "rows missing", "empty"],
)
def test_pictures_that_cannot_be_shown(shown, says) -> None:
    with pytest.raises(CommandError, match=says):
        pixels(shown)


class Camera:
    """Publishes one picture again and again, best effort as drivers of cameras do, until it is closed."""

    def __init__(self, robot, shown: Image | None) -> None:
        self._robot, self._shown = robot, shown
        self.topic, self._timer = robot.on_graph(self._begin).result()

    def _begin(self, node):
        qos = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        topic = node.create_publisher(Image, TOPIC, qos)
        return topic, node.create_timer(0.05, lambda: self._shown and topic.publish(self._shown))

    def listeners(self) -> int:
        return self._robot.on_graph(lambda _: self.topic.get_subscription_count()).result(GRAPH)

    def close(self) -> None:
        self._robot.on_graph(lambda node: node.destroy_timer(self._timer)).result(GRAPH)
        self._robot.on_graph(lambda node: node.destroy_publisher(self.topic)).result(GRAPH)


def rows(png: bytes) -> np.ndarray:
    """The pixels of a PNG of ours."""
    width, height = struct.unpack(">II", png[16:24])
    begin = png.index(b"IDAT")
    length = struct.unpack(">I", png[begin - 4 : begin])[0]
    data = np.frombuffer(zlib.decompress(png[begin + 4 : begin + 4 + length]), np.uint8)
    return data.reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)


def test_a_picture_is_read_and_the_topic_left(robot) -> None:
    camera = Camera(robot, image("bgr8", [*reversed(RED), *reversed(GREEN)]))
    got = []

    async def do() -> None:
        async with connected(robot) as host:

            async def read() -> None:
                result = await host.client.read_resource(URI)
                assert result.contents[0].mime_type == "image/png"
                got.append(base64.b64decode(result.contents[0].blob))

            await async_until(lambda: robot.on_graph(lambda node: node.count_publishers(TOPIC)).result())
            assert camera.listeners() == 0
            async with anyio.create_task_group() as group:
                for _ in range(20):
                    group.start_soon(read)
            await async_until(lambda: camera.listeners() == 0)

    try:
        anyio.run(do)
    finally:
        camera.close()
    assert len(got) == 20
    assert rows(got[0]).tolist() == [[list(RED), list(GREEN)]]


async def refusal(robot) -> str:
    async with connected(robot) as host:
        with pytest.raises(MCPError) as raised:
            await host.client.read_resource(URI)
        return str(raised.value)


def test_a_body_without_a_camera_says_so(robot) -> None:
    async def do() -> None:
        await async_until(lambda: not robot.on_graph(lambda node: node.count_publishers(TOPIC)).result())
        said = await refusal(robot)
        assert f"nothing publishes {TOPIC} in {robot.namespace}" in said

    anyio.run(do)


@pytest.mark.parametrize(
    ("shown", "says"), [(None, "has sent no picture for 0.3 s"), (image("yuv", [0, 0]), "unknown encoding")]
)
def test_a_camera_that_is_silent_or_strange(robot, monkeypatch, shown, says) -> None:
    monkeypatch.setattr(picture, "PATIENCE", 0.3 if shown is None else GRAPH)
    camera = Camera(robot, shown)

    async def do() -> str:
        await async_until(lambda: robot.on_graph(lambda node: node.count_publishers(TOPIC)).result())
        return await refusal(robot)

    try:
        assert says in anyio.run(do)
    finally:
        camera.close()
