# SPDX-License-Identifier: Apache-2.0
"""ROS time of percepts: that of the node's clock, or simulated time that this node publishes on /clock."""

from collections.abc import Sequence

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from embodiment_bridge.nodes.base.outlet import Outlet
from embodiment_bridge.nodes.base.packed import PackedOutlet
from embodiment_bridge.nodes.base.qos import profile

NANOSECONDS = 1_000_000_000


class BodyClock:
    """Gives the stamp of each event; call ``stamp`` once per event. With ``publish`` the body's time becomes /clock.

    A simulator that restarts begins at zero; /clock continues from its last value, so that it never runs backwards.
    """

    def __init__(self, node: Node, publish: bool) -> None:
        self._node = node
        self._topic: PackedOutlet[str] | None = None
        if publish:
            self._topic = PackedOutlet(Outlet(node, Clock, "/clock", profile("sensor")), _message)
        self._last = 0
        self._offset = 0

    def stamp(self, seconds: float | None) -> Time:
        """The stamp of an event at ``seconds`` of the body's own clock."""
        if self._topic is None:
            now: Time = self._node.get_clock().now().to_msg()
            return now
        if seconds is not None:
            self._advance(round(seconds * NANOSECONDS))
            if self._topic.wanted:
                self._topic.publish("", (), self._time())
        return self._time()

    def destroy(self) -> None:
        """Remove /clock from the graph."""
        if self._topic is not None:
            self._topic.destroy()

    def _advance(self, body_time: int) -> None:
        if body_time + self._offset < self._last:
            self._offset = self._last - body_time
        self._last = body_time + self._offset

    def _time(self) -> Time:
        return Time(sec=self._last // NANOSECONDS, nanosec=self._last % NANOSECONDS)


def _message(shape: str, numbers: Sequence[float], stamp: Time) -> Clock:
    return Clock(clock=stamp)
