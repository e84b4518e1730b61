# SPDX-License-Identifier: Apache-2.0
"""Publishes `markers`: drawings of what a body knows and shows, while there are subscribers."""

from collections.abc import Mapping
from typing import Any, Final

from builtin_interfaces.msg import Time
from rclpy.node import Node
from visualization_msgs.msg import MarkerArray

from embodiment_bridge.nodes.base.outlet import Outlet
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.scene.markers import Key, Light, Scene, draw

PERIOD: Final = 100_000_000  # ns between drawings
STALE: Final = 1_000_000_000  # ns after which a message is out of date
DRAWN: Final = ("entities", "vision", "touch")


class MarkerPublisher:
    """Keeps the last message of each topic that is drawn; call it on the session's thread.

    It draws nothing without subscribers.
    """

    def __init__(self, node: Node, frame_prefix: str) -> None:
        self._base_frame = frame_prefix + "base_link"
        self._topic = Outlet(node, MarkerArray, "markers", profile("state"))
        self._lights: Mapping[str, Light] = {}
        self._latest: dict[str, Any] = {}
        self._drawn: set[Key] = set()
        self._last = -PERIOD

    @property
    def wanted(self) -> bool:
        """Whether there are subscribers."""
        return self._topic.wanted

    def update(self, topic: str, message: Any) -> None:
        """Keep a message that the body publishes; it must not be changed afterwards."""
        if topic in DRAWN:
            self._latest[topic] = message

    def show(self, lights: Mapping[str, Light]) -> None:
        """Set the state of the lights; from any thread."""
        self._lights = dict(lights)

    def publish(self, stamp: Time) -> None:
        """Draw, if it is time and there are subscribers."""
        now = _nanoseconds(stamp)
        if abs(now - self._last) < PERIOD:
            return
        self._last = now
        if not self.wanted:
            self._drawn = set()
            return
        fresh = {
            topic: message
            for topic, message in self._latest.items()
            if abs(now - _nanoseconds(message.header.stamp)) < STALE
        }
        scene = Scene(stamp, self._base_frame, lights=self._lights, **fresh)
        message, self._drawn = draw(scene, self._drawn)
        self._topic.publish(message)

    def destroy(self) -> None:
        """Take the topic off the graph."""
        self._topic.destroy()


def _nanoseconds(stamp: Time) -> int:
    return int(stamp.sec) * 1_000_000_000 + int(stamp.nanosec)
