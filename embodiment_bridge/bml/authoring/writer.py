# SPDX-License-Identifier: Apache-2.0
"""From the canonical tree back to JSON.

A loop or box that reading made for a key is written as that key again, so that a document that strict
reading takes comes back equal, pointers included. Subtrees are written as what names them.
"""

import json

from embodiment_bridge.bml.fields.field import Object
from embodiment_bridge.bml.nodes.loop import TYPE as LOOP
from embodiment_bridge.bml.nodes.loop import Loop
from embodiment_bridge.bml.nodes.node import Document, Node
from embodiment_bridge.bml.nodes.registry import TYPES, WRAPPERS, AnyWrapper, type_of
from embodiment_bridge.bml.nodes.walk import preorder


def to_json(document: Document, *, indent: int | None = None) -> str:
    """The document as JSON text; ``indent`` is spaces per level, None for one line."""
    return json.dumps(to_data(document), ensure_ascii=False, allow_nan=False, indent=indent)


def to_data(document: Document) -> Object:
    """The document as JSON values, with the envelope where there is metadata besides the version."""
    written: dict[int, Object] = {}
    for node in reversed(preorder(document.root)):
        written[id(node)] = _object(node, written)
    root = written[id(document.root)]
    metadata = dict(document.metadata)
    if metadata.keys() <= {"version"}:
        return {**metadata, **root}
    return {**metadata, "action": root}


def _object(node: Node, written: dict[int, Object]) -> Object:
    """One node; what is round one goes into the keys of what is in it where that says the same."""
    if isinstance(node, Loop) and LOOP.is_key(node, written[id(node.child)]):
        return {**written[id(node.child)], "loop": node.count}
    node_type = type_of(node)
    values = node_type.written(node, written)
    if not node_type.is_written:
        return {**_fit(written[id(node.below[0])], node_type.name), **values}
    found: Object = {"type": node_type.name, "name": node.name} if node.name else {"type": node_type.name}
    found |= values
    if node.extra:
        found |= {key: value for key, value in node.extra.items() if key not in found and key != "name"}
    return found


def _fit(inside: Object, name: str) -> Object:
    """An object that can have the keys of a wrapper, so that reading puts it round all that is in there already."""
    place = next(place for place, one in enumerate(WRAPPERS) if one.name == name)
    within = TYPES[inside["type"]]
    taken = (inside.keys() - within.own_keys) & _keys(WRAPPERS[place:])
    if taken or not WRAPPERS[place].suits(within):
        return {"type": "sequence", "behaviors": [inside]}
    return inside


def _keys(wrappers: tuple[AnyWrapper, ...]) -> set[str]:
    return {key for wrapper in wrappers for key in wrapper.keys}
