# SPDX-License-Identifier: Apache-2.0
"""The base class of the nodes of the canonical tree, and the document around the tree.

Every tolerated spelling has been rewritten before: a node-level ``loop``/``repeat`` is a ``Loop`` around the node,
``duration`` of anything but ``delay`` and the body leaves is a ``Box``; a node of type loop has its box inside.
Round those come, where the node has the keys, a ``Timeout``, then a ``Retry``, then a ``Finally``, then a ``Guard``
for ``condition``, then a ``Start``. ``pointer`` is the JSON pointer of the node in the text that was read; what was
made for a key has the pointer and the name of its node. In a subtree it is the pointer of the subtree node, ``#``,
the escaped name of the document, and the pointer there: ``/behaviors/1#greet/behaviors/0``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def attributes(cls: type[T]) -> type[T]:
    """Declare a class of nodes, which are not changed once they are made: the type checker sees to that.

    With ``frozen=True`` Python would too, but would need three times as long for each node.
    """
    return dataclass(slots=True, kw_only=True)(cls)


@attributes
class Node:
    """Serves as the base class of all nodes. ``extra`` holds keys that tolerant reading did not know."""

    TYPE: ClassVar[str] = ""
    pointer: str
    name: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def type_name(self) -> str:
        """The name of its type in the registry."""
        return self.TYPE

    @property
    def below(self) -> "tuple[Node, ...]":
        """The nodes directly below, in order."""
        return ()

    def with_below(self, nodes: "tuple[Node, ...]") -> "Node":
        """Return the same with other nodes below, as many as there are."""
        return self


@attributes
class Leaf(Node):
    """Serves as the base class of nodes that act themselves."""


@attributes
class Wrapper(Node):
    """Serves as the base class of nodes round one child."""

    child: Node

    @property
    def below(self) -> tuple[Node, ...]:
        return (self.child,)

    def with_below(self, nodes: tuple[Node, ...]) -> Node:
        return replace(self, child=nodes[0])


@dataclass(frozen=True, slots=True)
class Document:
    """Holds a whole behaviour: the tree, and the envelope's values (name, suspendable, req_time, ...).

    ``arguments``: by JSON pointer, the names of texts ``${name}`` that only a subtree with arguments could replace.
    ``partial``: there are errors in the text; the tree is but a list of the leaves without, to be checked.
    """

    root: Node
    metadata: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False


def preorder(root: Node) -> list[Node]:
    """Return all nodes in the order of the text; backwards it has every node after the nodes below it."""
    nodes: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        nodes.append(node)
        below = node.below
        if below:
            todo.extend(below[::-1])
    return nodes
