# SPDX-License-Identifier: Apache-2.0
"""ROS time of percepts: the node's clock, or simulated time that this node itself publishes on /clock."""

from builtin_interfaces.msg import Time
from rclpy.node import Node
from rosgraph_msgs.msg import Clock

from embodiment_bridge.nodes.base.qos import profile

NANOSECONDS = 1_000_000_000


class BodyClock:
    """``stamp`` is called once per event, at the edge. With ``publish`` the body's own time becomes /clock.

    A simulator that starts again begins at zero; /clock goes on from where it was, so that it never runs backwards.
    """

    def __init__(self, node: Node, publish: bool) -> None:
        self._node = node
        self._publisher = node.create_publisher(Clock, "/clock", profile("sensor")) if publish else None
        self._last = 0
        self._offset = 0

    def stamp(self, seconds: float | None) -> Time:
        """The stamp of an event that the body says happened at ``seconds`` of its own clock."""
        if self._publisher is None:
            now: Time = self._node.get_clock().now().to_msg()
            return now
        if seconds is not None:
            self._advance(round(seconds * NANOSECONDS))
            self._publisher.publish(Clock(clock=self._time()))
        return self._time()

    def destroy(self) -> None:
        """Take /clock off the graph."""
        if self._publisher is not None:
            self._node.destroy_publisher(self._publisher)

    def _advance(self, body_time: int) -> None:
        if body_time + self._offset < self._last:
            self._offset = self._last - body_time
        self._last = body_time + self._offset

    def _time(self) -> Time:
        return Time(sec=self._last // NANOSECONDS, nanosec=self._last % NANOSECONDS)
