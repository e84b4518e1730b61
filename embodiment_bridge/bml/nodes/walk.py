# SPDX-License-Identifier: Apache-2.0
"""Going through a canonical tree without recursion: documents may be deeper than Python's stack."""

from embodiment_bridge.bml.nodes.node import Node


def preorder(root: Node) -> list[Node]:
    """All nodes in the order of the text; backwards it has every node after the nodes below it."""
    nodes: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        nodes.append(node)
        below = node.below
        if below:
            todo.extend(below[::-1])
    return nodes
