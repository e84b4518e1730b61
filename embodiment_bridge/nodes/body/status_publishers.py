# SPDX-License-Identifier: Apache-2.0
"""Publishes the states of a body and of its link: `body_status` and `link_state`."""

import threading
import time

from builtin_interfaces.msg import Time
from rclpy.node import Node

from embodiment_bridge.link.session import LinkStatus, Phase
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.msg import BodyStatus, LinkState
from embodiment_bridge.nodes.base import watcher
from embodiment_bridge.nodes.base.qos import profile

POSTURES = {name: number for number, name in watcher.POSTURES.items()}
EVERY = 1  # s


class BodyStatusPublisher:
    """Publishes `body_status` on change and once a second; call it on the session's thread after each step.

    ``torque`` and ``reason`` are for bodies whose joints may be without torque, ``moved`` is False while nothing moves
    the body and its posture is not known.
    """

    def __init__(self, node: Node, runner: MotionRunner) -> None:
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


STARTING_S = 15.0  # s in which a peer that was started together with the node may still be missing


class LinkPublisher:
    """Publishes ``link_state`` on change; called on the session's thread.

    The log has one line per change that matters to people: joined, or why not; each reason is logged once, not per try.
    At first a peer that is not there yet is not a warning, because both may have been started together; if it
    stays away, its reason is logged once more, as a warning.
    A thread that ends after the topic is off the graph, as its peer did not let it go, tells nothing more.
    """

    def __init__(self, node: Node, topic: str = "link_state") -> None:
        self._node = node
        self._publisher = node.create_publisher(LinkState, topic, profile("latched"))
        self._there = threading.Lock()
        self._destroyed = False
        self._told = ""  # the reason of the last warning
        self._awaited = ""  # the last reason that was told while both may be starting
        self._phase = Phase.CLOSED  # of the last status
        self._begun = time.monotonic()  # 0 since it was joined

    def publish(self, status: LinkStatus) -> None:
        """Publish and log one status."""
        message = LinkState(
            state=int(status.phase),
            peer=status.peer,
            reason=status.reason,
            retry_in=status.retry_in,
            connects=status.connects,
        )
        with self._there:
            if self._destroyed:
                return
            message.header.stamp = self._node.get_clock().now().to_msg()
            self._publisher.publish(message)
        self._log(status)

    def destroy(self) -> None:
        """Take the topic off the graph."""
        with self._there:
            self._destroyed = True
            self._node.destroy_publisher(self._publisher)

    def _log(self, status: LinkStatus) -> None:
        if status.phase is Phase.READY:
            if self._phase is Phase.SILENT:
                self._node.get_logger().info(f"{status.peer} is heard again")
            elif self._phase is not Phase.READY:  # else it reports something else, such as a silent servo
                self._node.get_logger().info(f"joined {status.peer}")
            self._told, self._begun = "", 0.0
        elif status.phase is Phase.SILENT:
            self._node.get_logger().warning(f"{status.peer}: {status.reason}")
        elif status.phase is Phase.BACKOFF and status.reason != self._told:
            if self._begun and time.monotonic() - self._begun < STARTING_S:
                if status.reason != self._awaited:
                    self._node.get_logger().info(f"{status.reason}; waiting for it")
                    self._awaited = status.reason
                return
            self._node.get_logger().warning(f"{status.reason}; trying again until it works")
            self._told = status.reason
        self._phase = status.phase
