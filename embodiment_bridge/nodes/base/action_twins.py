# SPDX-License-Identifier: Apache-2.0
"""Detects two nodes that serve one action, such as two robots without namespaces: every goal goes to both."""

from rclpy.node import Node

from embodiment_bridge.nodes.base.deferred_action import DeferredActionServer

GOAL = "/_action/send_goal"


class ActionTwins:
    """Checks whether another node serves an action of ``node``."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._before: set[str] = set()
        self._told: set[str] = set()

    def look(self) -> list[str]:
        """One line per doubled action. A node that was just replaced is seen once and not reported."""
        doubled = {
            name: number for name in self._names() if (number := self._node.count_services(name + GOAL)) > 1
        }
        lasting = {name: number for name, number in doubled.items() if name in self._before}
        lines = {
            name: f"{number} nodes serve the action {name}: a goal goes to each; two robots need two namespaces"
            for name, number in lasting.items()
        }
        for name in lasting.keys() - self._told:
            self._node.get_logger().error(lines[name])
        self._before, self._told = set(doubled), set(lasting)
        return list(lines.values())

    def _names(self) -> list[str]:
        servers = [one for one in self._node.waitables if isinstance(one, DeferredActionServer)]
        return [self._node.resolve_service_name(one.name) for one in servers]
