# SPDX-License-Identifier: Apache-2.0
"""The tree as it stands, as a list that a viewer can draw."""

from dataclasses import dataclass

from embodiment_bridge.behaviour.engine.journal import Origin
from embodiment_bridge.behaviour.engine.node import Node


@dataclass(frozen=True, slots=True)
class SnapshotNode:
    """One node: where it comes from, its status, and the index of its parent in the list (-1: the root)."""

    origin: Origin
    status: str
    parent: int


def snapshot(root: Node | None) -> list[SnapshotNode]:
    """All nodes, parents before children, children in order; empty without a tree."""
    found: list[SnapshotNode] = []
    todo: list[tuple[Node, int]] = [] if root is None else [(root, -1)]
    while todo:
        node, parent = todo.pop()
        index = len(found)
        found.append(SnapshotNode(node.origin, node.status.value, parent))
        todo.extend((child, index) for child in reversed(node.children))
    return found
