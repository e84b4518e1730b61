# SPDX-License-Identifier: Apache-2.0
"""Publishes `odom`: where a body that moves is, and how fast."""

from math import cos, hypot, sin

from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry
from rclpy.node import Node

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.state_messages import pose
from embodiment_bridge.nodes.base.outlet import Outlet
from embodiment_bridge.nodes.base.qos import profile

FILTER_S = 0.1  # s, time constant of the velocity: places come with rounding or noise
FASTEST = 20.0  # m/s; what seems faster was put elsewhere
GAP_S = 0.5  # s without a place after which the velocity is not known


class OdometryPublisher:
    """The pose in ``odom``, which equals the frame of ``pose``, and the velocity in ``base_link``: m/s and rad/s.

    Bodies sense places and no velocities, so that of ``base_link`` is how its place changed, smoothed over 0.1 s.
    """

    def __init__(self, node: Node, prefix: str) -> None:
        self._odom, self._base = prefix + "odom", prefix + "base_link"
        self._publisher = Outlet(node, Odometry, "odom", profile("sensor"))
        self._last: BodyState | None = None
        self._velocity = (0.0, 0.0)  # along x and y of odom

    def publish(self, state: BodyState, stamp: Time) -> None:
        """Publish if there are subscribers and the body knows where it is; from the second place on."""
        if not self._publisher.wanted:
            self._last = None
            return
        if not state.has_base:
            return
        known = self._follow(state)
        if not known:
            return
        there = pose(state, stamp, self._odom)
        message = Odometry(header=there.header, child_frame_id=self._base)
        message.pose.pose = there.pose
        (vx, vy), c, s = self._velocity, cos(state.yaw), sin(state.yaw)
        twist = message.twist.twist
        twist.linear.x, twist.linear.y = c * vx + s * vy, c * vy - s * vx
        twist.angular.x, twist.angular.y, twist.angular.z = state.base_rates
        self._publisher.publish(message)

    def _follow(self, state: BodyState) -> bool:
        """Update the velocity; whether it is known."""
        last, self._last = self._last, state
        dt = 0.0 if last is None else state.time - last.time
        if last is None or not 0.0 <= dt <= GAP_S:
            self._velocity = (0.0, 0.0)
            return False
        if dt:
            now = [(new - old) / dt for new, old in zip(state.base_position, last.base_position, strict=True)]
            if hypot(*now[:2]) > FASTEST:
                self._velocity = (0.0, 0.0)
                return False
            share = dt / (FILTER_S + dt)
            x, y = self._velocity
            self._velocity = (x + share * (now[0] - x), y + share * (now[1] - y))
        return True

    def destroy(self) -> None:
        """Remove the topic from the graph."""
        self._publisher.destroy()
