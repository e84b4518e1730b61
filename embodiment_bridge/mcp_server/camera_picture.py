# SPDX-License-Identifier: Apache-2.0
"""The newest picture of the body's camera as PNG. ``camera/image_raw`` is subscribed only while one is wanted."""

import asyncio
from collections.abc import Callable
from typing import Final

import anyio
import numpy as np
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from sensor_msgs.msg import Image

from embodiment_bridge.core.errors import CommandError, LinkError, unknown
from embodiment_bridge.mcp_server.picture import Pixels, png
from embodiment_bridge.robot.robot import Robot

TOPIC: Final = "camera/image_raw"
PATIENCE: Final = 10.0  # s for one picture; a busy computer takes some until it hears the camera
LONGEST_SIDE: Final = 1024  # pixels; of larger pictures each second, third, ... pixel is kept
CHANNELS: Final = {  # bytes of a pixel, and which of them are red, green, blue
    "rgb8": (3, (0, 1, 2)),
    "bgr8": (3, (2, 1, 0)),
    "rgba8": (4, (0, 1, 2)),
    "bgra8": (4, (2, 1, 0)),
    "mono8": (1, (0, 0, 0)),
}
# Matches cameras of either reliability.
QOS: Final = QoSProfile(history=HistoryPolicy.KEEP_LAST, depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class CameraPicture:
    """Pictures of one robot's camera; those who want one at the same time get the same."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._coming: asyncio.Task[bytes] | None = None

    async def read(self) -> bytes:
        """One picture as PNG.

        Raises:
            LinkError: the body has no camera, or it sends nothing within 10 s.
            CommandError: the picture has a form that cannot be shown.
        """
        if self._coming is None or self._coming.done():
            self._coming = asyncio.get_running_loop().create_task(self._take())
            self._coming.add_done_callback(_look_at)
        return await asyncio.shield(self._coming)

    async def _take(self) -> bytes:
        number = await asyncio.wrap_future(self._robot.on_graph(lambda node: node.count_publishers(TOPIC)))
        if number == 0:
            raise LinkError(
                f"nothing publishes {TOPIC} in {self._robot.namespace}: this body shows no camera picture"
            )
        loop = asyncio.get_running_loop()
        image: asyncio.Future[Image] = loop.create_future()

        def take(message: Image) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(_settle, image, message)

        topic = await asyncio.wrap_future(self._robot.on_graph(_subscribe(take)))
        try:
            with anyio.move_on_after(PATIENCE):
                return await anyio.to_thread.run_sync(lambda message: png(pixels(message)), await image)
        finally:
            self._robot.on_graph(lambda node: node.destroy_subscription(topic))
        raise LinkError(f"{TOPIC} has sent no picture for {PATIENCE:g} s")


def pixels(image: Image) -> Pixels:
    """Rows of red, green, blue of a picture, with at most 1024 pixels a side.

    Raises:
        CommandError: its encoding is another than those of CHANNELS, or its data are too short.
    """
    known = CHANNELS.get(image.encoding)
    if known is None:
        raise CommandError(unknown("encoding of a camera picture", image.encoding[:40], CHANNELS))
    size, order = known
    width, height, step = int(image.width), int(image.height), int(image.step)
    if not width or not height or step < width * size or len(image.data) < step * height:
        raise CommandError(
            f"a camera picture of {width} x {height} {image.encoding} has {len(image.data)} bytes, a row {step}"
        )
    rows = np.frombuffer(image.data, np.uint8, step * height).reshape(height, step)[:, : width * size]
    each = -(-max(width, height) // LONGEST_SIDE)
    found: Pixels = rows.reshape(height, width, size)[::each, ::each, list(order)]
    return found


def _subscribe(take: Callable[[Image], None]) -> Callable[[Node], Subscription]:
    return lambda node: node.create_subscription(Image, TOPIC, take, QOS)


def _look_at(done: "asyncio.Task[bytes]") -> None:
    if not done.cancelled():
        done.exception()  # all who waited may have gone; asyncio would log that nobody looked


def _settle(image: "asyncio.Future[Image]", message: Image) -> None:
    if not image.done():
        image.set_result(message)
