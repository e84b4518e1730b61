# SPDX-License-Identifier: Apache-2.0
"""ROS time of percepts: that of the node's clock, or simulated time that this node publishes on /clock."""

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from embodiment_bridge.nodes.base.qos import profile

NANOSECONDS = 1_000_000_000


class BodyClock:
    """Gives the stamp of each event; call ``stamp`` once per event. With ``publish`` the body's time becomes /clock.

    A simulator that restarts begins at zero; /clock continues from its last value, so that it never runs backwards.
    """

    def __init__(self, node: Node, publish: bool) -> None:
        self._node = node
        self._publisher = node.create_publisher(Clock, "/clock", profile("sensor")) if publish else None
        self._last = 0
        self._offset = 0

    def stamp(self, seconds: float | None) -> Time:
        """The stamp of an event at ``seconds`` of the body's own clock."""
        if self._publisher is None:
            now: Time = self._node.get_clock().now().to_msg()
            return now
        if seconds is not None:
            self._advance(round(seconds * NANOSECONDS))
            self._publisher.publish(Clock(clock=self._time()))
        return self._time()

    def destroy(self) -> None:
        """Remove /clock from the graph."""
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)

    def _advance(self, body_time: int) -> None:
        if body_time + self._offset < self._last:
            self._offset = self._last - body_time
        self._last = body_time + self._offset

    def _time(self) -> Time:
        return Time(sec=self._last // NANOSECONDS, nanosec=self._last % NANOSECONDS)
