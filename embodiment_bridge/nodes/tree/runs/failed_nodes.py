# SPDX-License-Identifier: Apache-2.0
"""Why there may be no body: nodes of this namespace that could not be configured or activated."""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from embodiment_bridge.nodes.base.bridge_node import REFUSALS
from embodiment_bridge.nodes.base.qos import profile


class FailedNodes:
    """Listens to /diagnostics until ``destroy``: once a second each node says there what is wrong with it."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._folder = node.get_namespace().rstrip("/") + "/"
        self._reasons: dict[str, str] = {}
        self._topic = node.create_subscription(DiagnosticArray, "/diagnostics", self._take, profile("state"))

    def __str__(self) -> str:
        """``/mock_body: not configured: ...``; empty if no node said so."""
        return "; ".join(f"{name}: {reason}" for name, reason in self._reasons.items())

    def destroy(self) -> None:
        """Take the topic off the graph."""
        self._node.destroy_subscription(self._topic)

    def _take(self, message: DiagnosticArray) -> None:
        for status in message.status:
            folder, _, name = status.name.rpartition("/")
            if f"{folder}/" != self._folder or name == self._node.get_name():
                continue
            if status.level == DiagnosticStatus.ERROR and status.message.startswith(REFUSALS):
                self._reasons[status.name] = status.message
            else:
                self._reasons.pop(status.name, None)
