# SPDX-License-Identifier: Apache-2.0
"""Publishes pictures of a simulated world, painted on a thread of their own so that the robot does not wait."""

import threading
from array import array
from math import tan
from typing import Final

from builtin_interfaces.msg import Time
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import Header
from typing_extensions import override

from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.physics.assembly import EYE
from embodiment_bridge.physics.camera import Painter
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.simulation import Simulation

POLL_S: Final = 0.2  # after which the thread checks again whether it is to end
OPTICAL_FRAME: Final = "camera_optical_frame"


class CameraPublisher(OwnThread):
    """Publishes camera/image_raw and camera/camera_info until it is closed. On one thread: ``offer``.

    Args:
        node: configured.
        simulation: whose world is painted.
        values: camera (a name; the field of view is that of the robot's own eye, or the model's for others),
            camera_width, camera_height, camera_rate, field_of_view, frame_prefix.
    """

    def __init__(self, node: Node, simulation: Simulation, values: ParameterValues) -> None:
        super().__init__()
        self._node = node
        self._model = simulation.model
        self._camera = str(values["camera"])
        self._size = int(values["camera_width"]), int(values["camera_height"])
        self._view = float(values["field_of_view"]) if self._camera == EYE else None
        self._frame = f"{values['frame_prefix']}{OPTICAL_FRAME if self._camera == EYE else self._camera}"
        self._period = 1.0 / float(values["camera_rate"])
        self._data = mujoco.MjData(self._model)
        self._stamp = Time()
        self._due = 0.0
        self._wanted = threading.Event()  # set while a picture waits to be painted
        self._images = node.create_publisher(Image, "camera/image_raw", profile("sensor"))
        self._infos = node.create_publisher(CameraInfo, "camera/camera_info", profile("sensor"))
        self._start("camera")

    def offer(self, simulation: Simulation, seconds: float, stamp: Time) -> None:
        """Have the present state painted, if a picture is due, has listeners, and the last one is done."""
        if seconds < self._due - self._period:  # the clock went back
            self._due = seconds
        if seconds < self._due or self._wanted.is_set() or not self._images.get_subscription_count():
            return
        self._due = seconds + self._period
        self._stamp = stamp
        mujoco.mj_copyData(self._data, self._model, simulation.data)
        self._wanted.set()

    @override
    def close(self) -> None:
        super().close()
        self._node.destroy_publisher(self._images)
        self._node.destroy_publisher(self._infos)

    @override
    def _serve(self) -> None:
        try:
            with Painter(self._model, self._camera, *self._size, self._view) as painter:
                while not self._closing.is_set():
                    if self._wanted.wait(POLL_S):
                        self._publish(painter)
                        self._wanted.clear()
        except ConfigError as error:
            self._node.get_logger().error(f"no pictures: {error}")

    def _publish(self, painter: Painter) -> None:
        width, height = self._size
        header = Header(stamp=self._stamp, frame_id=self._frame)
        picture = painter.paint(self._data)
        image = Image(header=header, width=width, height=height, encoding="rgb8", step=3 * width)
        image.data = array("B", picture.tobytes())
        self._images.publish(image)
        self._infos.publish(_info(header, width, height, painter.height))


def _info(header: Header, width: int, height: int, angle: float) -> CameraInfo:
    """Of an ideal pinhole whose picture is ``angle`` rad high."""
    focal = 0.5 * height / tan(0.5 * angle)
    x, y = 0.5 * width, 0.5 * height
    info = CameraInfo(header=header, width=width, height=height, distortion_model="plumb_bob")
    info.d = [0.0] * 5
    info.k = [focal, 0.0, x, 0.0, focal, y, 0.0, 0.0, 1.0]
    info.r = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    info.p = [focal, 0.0, x, 0.0, 0.0, focal, y, 0.0, 0.0, 0.0, 1.0, 0.0]
    return info
