# SPDX-License-Identifier: Apache-2.0
"""Pictures for a model as PNG.

The scene from above, and the newest picture of the body's camera, subscribed only while one is wanted.
"""

import asyncio
import math
import struct
import zlib
from collections.abc import Callable, Iterable
from typing import Final

import anyio
import numpy as np
from numpy.typing import NDArray
from rclpy.node import Node
from rclpy.qos import HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.subscription import Subscription
from sensor_msgs.msg import Image

from embodiment_bridge.core.errors import CommandError, LinkError, unknown
from embodiment_bridge.mcp_server.graph_thread import call_soon, of_graph, settle
from embodiment_bridge.robot.robot import Robot
from embodiment_bridge.robot.values import Pose, Thing

SIZE: Final = 480  # pixels of a side
LEAST: Final = 2.0  # m from the middle to an edge
MOST: Final = 50.0
MARGIN: Final = 1.15
MOST_THINGS: Final = 200
Colour = tuple[int, int, int]
Pixels = NDArray[np.uint8]  # rows of red, green, blue
FLOOR: Final = (245, 245, 240)
GRID: Final = (215, 215, 210)  # a line each metre, or each 10 m
ROBOT: Final = (30, 90, 200)
REMEMBERED: Final = (170, 170, 170)
COLOURS: Final = {
    "ball": (230, 110, 20),
    "player": (200, 40, 60),
    "wall": (90, 90, 90),
    "food": (40, 160, 60),
}
OTHER: Final = (120, 70, 150)


def png(width: int, height: int, rgb: bytes) -> bytes:
    """A picture of 8 bits per colour as a PNG file; ``rgb`` has its rows from the top, without padding."""
    rows = b"".join(b"\0" + rgb[3 * width * row : 3 * width * (row + 1)] for row in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def picture(pose: Pose | None, things: Iterable[Thing]) -> bytes:
    """The scene in ``map``: x to the right, y up, the robot in the middle, a grid line each metre (or 10 m)."""
    shown = [one for one in things if math.isfinite(one.x) and math.isfinite(one.y)][:MOST_THINGS]
    middle = pose or Pose(0.0, 0.0, 0.0)
    reach = max([LEAST, *(MARGIN * max(abs(one.x - middle.x), abs(one.y - middle.y)) for one in shown)])
    canvas = _Canvas(middle, min(reach, MOST))
    canvas.grid()
    for one in shown:
        colour = COLOURS.get(one.kind, OTHER) if one.visible else REMEMBERED
        canvas.disc(one.x, one.y, 5, colour)
    if pose is not None:
        canvas.disc(pose.x, pose.y, 9, ROBOT)
        for step in range(10, 26):
            away = step / canvas.scale
            canvas.disc(pose.x + away * math.cos(pose.yaw), pose.y + away * math.sin(pose.yaw), 2, ROBOT)
    return _png(canvas.pixels)


def _png(pixels: Pixels) -> bytes:
    height, width, _ = pixels.shape
    return png(width, height, pixels.tobytes())


class _Canvas:
    """Pixels of a square with ``reach`` m from its middle to each edge."""

    def __init__(self, middle: Pose, reach: float) -> None:
        self.pixels: Pixels = np.full((SIZE, SIZE, 3), FLOOR, np.uint8)
        self.scale = 0.5 * SIZE / reach  # pixels per m
        self._middle, self._reach = middle, reach

    def grid(self) -> None:
        step = 1 if self._reach <= 15.0 else 10
        for centre, is_column in ((self._middle.x, True), (self._middle.y, False)):
            first = math.ceil((centre - self._reach) / step)
            for number in range(first, math.floor((centre + self._reach) / step) + 1):
                pixel = self._column(number * step) if is_column else self._row(number * step)
                if 0 <= pixel < SIZE:
                    line = self.pixels[:, pixel] if is_column else self.pixels[pixel]
                    line[:] = GRID

    def disc(self, x: float, y: float, radius: int, colour: Colour) -> None:
        column, row = self._column(x), self._row(y)
        for line in range(max(row - radius, 0), min(row + radius + 1, SIZE)):
            half = math.isqrt(radius * radius - (line - row) ** 2)
            left, right = max(column - half, 0), min(column + half + 1, SIZE)
            if left < right:
                self.pixels[line, left:right] = colour

    def _column(self, x: float) -> int:
        return round(0.5 * SIZE + (x - self._middle.x) * self.scale)

    def _row(self, y: float) -> int:
        return round(0.5 * SIZE - (y - self._middle.y) * self.scale)


# The newest picture of the body's camera as PNG. ``camera/image_raw`` is subscribed only while one is wanted.

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
        number = await of_graph(self._robot.on_graph(lambda node: node.count_publishers(TOPIC)))
        if number == 0:
            raise LinkError(
                f"nothing publishes {TOPIC} in {self._robot.namespace}: this body shows no camera picture"
            )
        loop = asyncio.get_running_loop()
        image: asyncio.Future[Image] = loop.create_future()

        def take(message: Image) -> None:
            call_soon(loop, settle, image, message)

        topic = await of_graph(self._robot.on_graph(_subscribe(take)))
        try:
            with anyio.move_on_after(PATIENCE):
                return await anyio.to_thread.run_sync(lambda message: _png(pixels(message)), await image)
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
