# SPDX-License-Identifier: Apache-2.0
"""Publishes `body_status`: on change, and once a second."""

from builtin_interfaces.msg import Time
from rclpy.node import Node

from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.msg import BodyStatus
from embodiment_bridge.nodes.base.qos import profile

POSTURES = {"unknown": BodyStatus.UNKNOWN, "standing": BodyStatus.STANDING}
POSTURES |= {"fallen": BodyStatus.FALLEN, "walking": BodyStatus.WALKING}
EVERY = 1  # s


class BodyStatusPublisher:
    """Publishes the state of the runner; call it on the session's thread after each step.

    ``torque`` and ``reason`` are for bodies whose joints may be without torque, ``moved`` is False while nothing moves
    the body and its posture is not known.
    """

    def __init__(self, node: Node, runner: MotionRunner) -> None:
        self._node = node
        self._runner = runner
        self._publisher = node.create_publisher(BodyStatus, "body_status", profile("latched"))
        self.torque = True
        self.moved = True
        self.reason = ""
        self._told: tuple[object, ...] = ()

    def publish(self, stamp: Time) -> None:
        """Publish if the status has changed or a second has passed."""
        posture = POSTURES[self._runner.status if self.moved else "unknown"]
        stopped = self._runner.stopped
        remark = self._runner.remark
        now = (posture, stopped, self.torque, self.reason, remark, stamp.sec // EVERY)
        if now == self._told:
            return
        self._told = now
        message = BodyStatus(posture=posture, torque=self.torque, stopped=stopped)
        message.reason = self.reason or ("stopped by the stop service" if stopped else remark)
        message.header.stamp = stamp
        self._publisher.publish(message)

    def destroy(self) -> None:
        """Remove the topic from the graph."""
        self._node.destroy_publisher(self._publisher)
