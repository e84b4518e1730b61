# SPDX-License-Identifier: Apache-2.0
"""Builds the tree that runs a document. Each module of this folder registers the makers of its types."""

import importlib
import math
import pkgutil
from collections.abc import Callable, Generator
from functools import cache
from typing import Any, Final, TypeVar

from embodiment_bridge.behaviour import nodes
from embodiment_bridge.behaviour.engine.context import RunContext
from embodiment_bridge.behaviour.engine.journal import Origin
from embodiment_bridge.behaviour.engine.loading import Loaded, Rejected
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.bml.nodes.node import Node as BmlNode
from embodiment_bridge.bml.nodes.registry import TYPES, kind_of, label_of
from embodiment_bridge.core.errors import ConfigError, unknown


def seconds_of(node: BmlNode, seconds: float) -> float:
    """Return the duration of a node, in s.

    Raises:
        Rejected: reading would not have let it pass.
    """
    if not (math.isfinite(seconds) and seconds >= 0):
        text = f"a duration is a finite number of seconds, 0 or more, not {seconds!r}"
        raise Rejected.because(node.pointer, "OUT_OF_RANGE", text)
    return seconds


W = TypeVar("W", bound=BmlNode)
Maker = Callable[[W, list[Node], int], Node]
"""Takes the node of the document, its running children, and inside of how many fetched documents it is."""

_MAKERS: Final[dict[str, Maker[Any]]] = {}


def makes(*types: str) -> Callable[[Maker[W]], Maker[W]]:
    """Register the maker of the nodes of these types."""

    def register(maker: Maker[W]) -> Maker[W]:
        _MAKERS.update(dict.fromkeys(types, maker))
        return maker

    return register


@cache
def makers() -> dict[str, Maker[Any]]:
    """Return all makers, by type."""
    for module in pkgutil.iter_modules(nodes.__path__, f"{nodes.__name__}."):
        importlib.import_module(module.name)
    return _MAKERS


MAX_NODES = 30_000  # limit of one tree: three times that of reading, as a node may get a loop and a box
SLICE = 500  # nodes that are made in one go, which takes some 4 ms; listing them takes a tenth of that


def build_in_slices(
    loaded: Loaded, context: RunContext, above: int = 0, nesting: int = 0
) -> Generator[None, None, Node]:
    """Make the tree of a document; it is not begun yet. Stops after each ``SLICE`` nodes, to let others have a turn.

    Args:
        loaded: the document. A node that is used in two places becomes two nodes.
        context: of the run that the tree belongs to.
        above: levels of the run's tree above this one.
        nesting: documents that this one is fetched inside of.

    Raises:
        Rejected: too deep, too many nodes, or a value that the reader would not have let pass.
    """
    entries = yield from _flatten(loaded.document.root, context.settings.max_depth - above)
    children: list[list[Node]] = [[] for _ in entries]
    root: Node | None = None
    made_by = makers()
    for index in range(len(entries) - 1, -1, -1):  # the last first: children are made before their parents
        node, parent, _ = entries[index]
        root = made_by[node.type_name](node, children[index][::-1], nesting)
        origin = Origin(node.pointer, kind_of(node), node.name, label_of(node), loaded.number)
        root.place(context, origin)
        root.name = node.name or origin.label or origin.kind  # for viewers
        children[index] = []
        if parent >= 0:
            children[parent].append(root)
        if index and index % SLICE == 0:
            yield
    if root is None:
        raise ConfigError("a document has a root")
    return root


def _flatten(root: BmlNode, max_depth: int) -> Generator[None, None, list[tuple[BmlNode, int, int]]]:
    """Return all nodes, parents before children, each with the place of its parent (-1: none) and its level."""
    entries: list[tuple[BmlNode, int, int]] = []
    todo: list[tuple[BmlNode, int, int]] = [(root, -1, 1)]
    while todo:
        node, parent, level = todo.pop()
        if node.type_name not in TYPES:
            raise Rejected.because(node.pointer, "UNKNOWN_TYPE", unknown("node type", node.type_name, TYPES))
        node = TYPES[node.type_name].canonical(node)
        if level > max_depth:
            raise Rejected.because(node.pointer, "TOO_DEEP", f"no level is left of {max_depth} for this tree")
        if len(entries) == MAX_NODES:
            raise Rejected.because(node.pointer, "TOO_MANY_NODES", f"a tree has at most {MAX_NODES} nodes")
        entries.append((node, parent, level))
        todo.extend((child, len(entries) - 1, level + 1) for child in reversed(node.below))
        if len(entries) % (10 * SLICE) == 0:
            yield
    return entries
