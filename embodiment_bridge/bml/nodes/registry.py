# SPDX-License-Identifier: Apache-2.0
"""All types of nodes: each ``NodeType`` of this folder, and in which order keys put wrappers round a node."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from embodiment_bridge.bml import nodes
from embodiment_bridge.bml.nodes.node import Node
from embodiment_bridge.bml.nodes.node_type import NodeType, WrapperType

AnyType = NodeType[Any]
AnyWrapper = WrapperType[Any]

WRAPPING: Final = ("box", "loop", "timeout", "retry", "finally", "guard", "start")
"""From the inside out."""


def _found() -> Iterator[AnyType]:
    for module in pkgutil.iter_modules(nodes.__path__, f"{nodes.__name__}."):
        if module.name != __name__:
            names = vars(importlib.import_module(module.name)).values()
            yield from (found for found in names if isinstance(found, NodeType))


def _wrapper(name: str) -> AnyWrapper:
    found = TYPES[name]
    if not isinstance(found, WrapperType):
        raise TypeError(f"{name!r} goes round nothing")
    return found


TYPES: Final = {found.name: found for found in sorted(_found(), key=lambda found: found.name)}
"""By name, also those that are made for keys only."""

WRITTEN: Final = frozenset(name for name, found in TYPES.items() if found.is_written)
"""The names that stand under ``type``."""

WRAPPERS: Final = tuple(map(_wrapper, WRAPPING))
WRAPPERS_OF: Final = {
    name: tuple(wrapper for wrapper in WRAPPERS if wrapper.suits(found)) for name, found in TYPES.items()
}
"""The wrappers that the keys of a node of each type may ask for, from the inside out."""

_WRAPPING_KEYS: Final = {
    name: frozenset(key for wrapper in wrappers for key in wrapper.keys)
    for name, wrappers in WRAPPERS_OF.items()
}
KEYS: Final = {
    name: found.known_keys | _WRAPPING_KEYS[name] | {"type", "name"} for name, found in TYPES.items()
}
"""All keys that a node of each type may have."""


class Entry(NamedTuple):
    """Holds the keys of a node type for reading; ``plain_keys`` are those that do not wrap the node."""

    type: AnyType
    plain_keys: frozenset[str]
    keys: frozenset[str]
    wrappers: tuple[AnyWrapper, ...]


ENTRIES: Final = {
    name: Entry(TYPES[name], KEYS[name] - _WRAPPING_KEYS[name], KEYS[name], WRAPPERS_OF[name])
    for name in WRITTEN
}

_SPELLINGS: Final = {word: name for name, found in TYPES.items() for word in found.spellings}
# ``Beahvior`` is how the language's own description spells it.
_CLASS_SUFFIX: Final = re.compile(r"(behaviou?r|beahvior)$")


def type_of(node: Node) -> AnyType:
    """Return the type of a node."""
    return TYPES[node.type_name]


def kind_of(node: Node) -> str:
    """Return the node's type as people know it: sequence, loop, box, delay, body, emotion, player, ..."""
    return node.type_name


def label_of(node: Node) -> str:
    """Return the action of a leaf, in a few words, for journals."""
    return type_of(node).label(node)


def spelled(text: str) -> str | None:
    """Return the name of the type that ``text`` spells in tolerant reading (any case, or a class name), or None."""
    lower = text.lower()
    bare = _CLASS_SUFFIX.sub("", lower) or lower
    bare = _SPELLINGS.get(bare, bare)
    return bare if bare in WRITTEN else None
