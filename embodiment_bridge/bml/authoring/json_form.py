# SPDX-License-Identifier: Apache-2.0
"""Writes a canonical tree as JSON, and describes that JSON by a JSON Schema.

Both come from the fields of the node types.

A type is selected by if/then: each fault gives one error at its place.
"""

import json
from typing import Final

from embodiment_bridge.bml.base.conditions import GROUPS, KEY, LARGEST, OPERATORS
from embodiment_bridge.bml.fields.field import LIMITS, Object, Text
from embodiment_bridge.bml.nodes.loop import COUNT, LOOP, Loop
from embodiment_bridge.bml.nodes.node import Document, Node, preorder
from embodiment_bridge.bml.nodes.registry import (
    TYPES,
    WRAPPERS,
    WRAPPERS_OF,
    WRITTEN,
    AnyType,
    AnyWrapper,
    type_of,
)
from embodiment_bridge.bml.reading.envelope import AT_THE_ROOT, SCHEMA, VERSIONS

# From the canonical tree back to JSON.
#
# A loop or box that reading made for a key is written as that key again, so that a document that strict
# reading takes comes back equal, pointers included. Subtrees are written as what names them.


def to_json(document: Document, *, indent: int | None = None) -> str:
    """Return the document as JSON text; ``indent`` is spaces per level, None for one line."""
    return json.dumps(to_data(document), ensure_ascii=False, allow_nan=False, indent=indent)


def to_data(document: Document) -> Object:
    """Return the document as JSON values, with the envelope where there is metadata besides the version."""
    written: dict[int, Object] = {}
    for node in reversed(preorder(document.root)):
        written[id(node)] = _object(node, written)
    root = written[id(document.root)]
    metadata = dict(document.metadata)
    if metadata.keys() <= {"version"}:
        return {**metadata, **root}
    return {**metadata, "action": root}


def _object(node: Node, written: dict[int, Object]) -> Object:
    """Return one node as JSON; the nodes that wrap it become its keys where that means the same."""
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
    """Return an object that can take the keys of a wrapper, so that reading puts the wrapper round all of it."""
    place = next(place for place, one in enumerate(WRAPPERS) if one.name == name)
    within = TYPES[inside["type"]]
    taken = (inside.keys() - within.own_keys) & _keys(WRAPPERS[place:])
    if taken or not WRAPPERS[place].suits(within):
        return {"type": "sequence", "behaviors": [inside]}
    return inside


def _keys(wrappers: tuple[AnyWrapper, ...]) -> set[str]:
    return {key for wrapper in wrappers for key in wrapper.keys}


CONDITION: Final = {"$ref": "#/$defs/condition"}
CONDITIONS: Final = {
    "type": "array",
    "items": CONDITION,
    "minItems": 1,
    "maxItems": LIMITS.max_condition_parts,
}
SCALAR: Final = {"$ref": "#/$defs/scalar"}


def schema() -> Object:
    """Return the whole schema."""
    names = sorted(WRITTEN)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "BML, the JSON behaviour language, as strict reading takes it",
        "$comment": (
            "Made by tools/bml_schema.py. A type is selected by if/then: each fault gives one error at its place. "
            "Limits are those of Limits(); nesting, unknown actions and URLs are checked elsewhere."
        ),
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"type": {"enum": names}},
                "required": ["type"],
                "allOf": [_selected(name) for name in names],
            },
            "child": {"$ref": "#/$defs/node", "properties": dict.fromkeys(AT_THE_ROOT, False)},
            "children": {
                "type": "array",
                "items": {"$ref": "#/$defs/child"},
                "maxItems": LIMITS.max_children,
            },
            "version": {"description": "version of the language, at the root only", "enum": list(VERSIONS)},
            SCHEMA: {
                "description": "where this schema is, for an editor; at the root only",
                "type": "string",
            },
            "name": Text("name", "for people, and for the target of stop").described(),
            "count": COUNT.described(),
            "scalar": {
                "description": "a value on the blackboard",
                "type": ["boolean", "number", "string", "null"],
                "maxLength": LIMITS.max_text,
                "if": {"type": "integer"},
                "then": {"minimum": -LARGEST, "maximum": LARGEST},
            },
            **_conditions(),
            **{f"key_{key}": told for wrapper in WRAPPERS for key, told in wrapper.schema_of_keys().items()},
            **{name: _node(TYPES[name]) for name in names},
        },
    }


def _selected(name: str) -> Object:
    chosen = {"properties": {"type": {"const": name}}, "required": ["type"]}
    return {"if": chosen, "then": {"$ref": f"#/$defs/{name}"}}


def _node(node_type: AnyType) -> Object:
    properties: Object = {
        "type": True,
        **{key: {"$ref": f"#/$defs/{key}"} for key in AT_THE_ROOT},
        "name": {"$ref": "#/$defs/name"},
    }
    constraints = list(node_type.constraints())
    for wrapper in WRAPPERS_OF[node_type.name]:
        properties |= {key: {"$ref": f"#/$defs/key_{key}"} for key in wrapper.schema_of_keys()}
        if len(wrapper.keys) > 1:  # several words for one thing
            first, *others = wrapper.keys
            excluded = {"properties": dict.fromkeys(others, False)}
            constraints.append({"if": {"required": [first]}, "then": excluded})
    properties |= {field.key: field.described() for field in node_type.fields}
    properties |= node_type.schema_of_children()
    required = ["type", *(field.key for field in node_type.fields if field.required)]
    return {
        "description": node_type.meaning,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
        **({"allOf": constraints} if constraints else {}),
    }


def _conditions() -> Object:
    return {
        "condition": {
            "description": "of values on the blackboard",
            "type": "object",
            "if": {"anyOf": [{"required": [kind]} for kind in GROUPS]},
            "then": {"$ref": "#/$defs/group"},
            "else": {"$ref": "#/$defs/compare"},
        },
        "group": {
            "description": "all, any or not of other conditions",
            "type": "object",
            "properties": {kind: CONDITION if kind == "not" else CONDITIONS for kind in GROUPS},
            "maxProperties": 1,
            "additionalProperties": False,
        },
        "compare": {
            "description": "a value of the blackboard compared with one in the document",
            "type": "object",
            "properties": {
                "key": {"type": "string", "pattern": f"^{KEY.pattern}$"},
                "op": {"enum": list(OPERATORS)},
                "value": True,
            },
            "required": ["key", "op"],
            "additionalProperties": False,
            "allOf": [
                _if_op(
                    {"const": "exists"}, then=_value({"type": "boolean"}), otherwise={"required": ["value"]}
                ),
                _if_op({"const": "in"}, then=_value({**CONDITIONS, "items": SCALAR})),
                _if_op({"enum": ["exists", "in"]}, otherwise=_value(SCALAR)),
            ],
        },
    }


def _value(schema: Object) -> Object:
    return {"properties": {"value": schema}}


def _if_op(op: Object, *, then: Object | None = None, otherwise: Object | None = None) -> Object:
    chosen: Object = {"if": {"properties": {"op": op}, "required": ["op"]}}
    return chosen | ({"then": then} if then else {}) | ({"else": otherwise} if otherwise else {})
