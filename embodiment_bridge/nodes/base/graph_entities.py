# SPDX-License-Identifier: Apache-2.0
"""Remembers what a node has on the graph, to remove what a failed configure added."""

from typing import Any, Final

from rclpy.node import Node

# Waitables come last: events of a publisher are waitables too, and end with it.
_KINDS: Final = ("publishers", "subscriptions", "services", "clients", "timers", "waitables")


class GraphEntities:
    """The publishers, services, actions and timers of a node at construction."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._before = {id(one) for kind in _KINDS for one in getattr(node, kind)}

    def take_off_new(self) -> None:
        """Destroy everything that was added since: publishers, services, actions, timers."""
        node = self._node
        for kind in _KINDS[:-1]:
            destroy = getattr(node, f"destroy_{kind[:-1]}")
            for one in self._new(kind):
                destroy(one)
        for action in self._new("waitables"):
            if hasattr(action, "destroy"):
                action.destroy()

    def _new(self, kind: str) -> list[Any]:
        return [one for one in getattr(self._node, kind) if id(one) not in self._before]
