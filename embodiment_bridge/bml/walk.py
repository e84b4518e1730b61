# SPDX-License-Identifier: Apache-2.0
"""Going through a canonical tree without recursion: documents may be deeper than Python's stack."""

from embodiment_bridge.bml.document import Box, Composite, Finally, Guard, Loop, Node, Start, Subtree, Timeout


def children_of(node: Node) -> tuple[Node, ...]:
    """The nodes directly below ``node``, in order."""
    if isinstance(node, Composite):
        return node.children
    if isinstance(node, (Loop, Box, Guard, Start, Timeout, Subtree)):
        return (node.child,)
    if isinstance(node, Finally):
        return node.child, node.cleanup
    return ()


def preorder(root: Node) -> list[Node]:
    """All nodes in the order of the text; backwards it has every node after the nodes below it."""
    nodes: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        nodes.append(node)
        todo.extend(reversed(children_of(node)))
    return nodes
