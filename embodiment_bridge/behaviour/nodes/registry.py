# SPDX-License-Identifier: Apache-2.0
"""How a running node is made of a node of a document: each module of this folder says it for its types."""

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import Any, Final, TypeVar

from embodiment_bridge.behaviour import nodes
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.bml.nodes.node import Node as Written

W = TypeVar("W", bound=Written)
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
    """All makers, by type."""
    for module in pkgutil.iter_modules(nodes.__path__, f"{nodes.__name__}."):
        importlib.import_module(module.name)
    return _MAKERS
