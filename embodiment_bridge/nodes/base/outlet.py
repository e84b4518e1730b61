# SPDX-License-Identifier: Apache-2.0
"""A publisher that knows whether it has subscribers, so that no message is built without one."""

import time
from typing import Final

from rclpy.node import Node
from rclpy.qos import QoSProfile

from embodiment_bridge.nodes.base.message_types import Message

LOOK_S: Final = 0.1  # asking the middleware takes 10 us, as much as a robot has for two topics in a percept


class Outlet:
    """One publisher. A new subscriber is seen after ``LOOK_S`` s at the latest, on the thread that asks."""

    def __init__(self, node: Node, message_type: type[Message], topic: str, qos: QoSProfile) -> None:
        self._node = node
        self._publisher = node.create_publisher(message_type, topic, qos)
        self._next_look = 0.0
        self._subscribed = False

    @property
    def wanted(self) -> bool:
        """Whether the topic has subscribers."""
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + LOOK_S
            self._subscribed = self._publisher.get_subscription_count() > 0
        return self._subscribed

    def publish(self, message: Message | bytes) -> None:
        """Publish a message, or its serialised bytes."""
        self._publisher.publish(message)

    def destroy(self) -> None:
        """Take the topic off the graph."""
        self._node.destroy_publisher(self._publisher)
