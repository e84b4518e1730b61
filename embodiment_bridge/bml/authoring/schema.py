# SPDX-License-Identifier: Apache-2.0
"""The JSON Schema of what strict reading takes, from the types of nodes.

A type is selected by if/then: each fault gives one error at its place.
"""

from typing import Final

from embodiment_bridge.bml.base.conditions import GROUPS, KEY, LARGEST, OPERATORS
from embodiment_bridge.bml.fields.field import LIMITS, Object, Text
from embodiment_bridge.bml.nodes.loop import COUNT
from embodiment_bridge.bml.nodes.registry import TYPES, WRAPPERS, WRAPPERS_OF, WRITTEN, AnyType
from embodiment_bridge.bml.reading.envelope import VERSIONS

CONDITION: Final = {"$ref": "#/$defs/condition"}
CONDITIONS: Final = {
    "type": "array",
    "items": CONDITION,
    "minItems": 1,
    "maxItems": LIMITS.max_condition_parts,
}
SCALAR: Final = {"$ref": "#/$defs/scalar"}


def schema() -> Object:
    """The whole schema."""
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
            "child": {"$ref": "#/$defs/node", "properties": {"version": False}},
            "children": {
                "type": "array",
                "items": {"$ref": "#/$defs/child"},
                "maxItems": LIMITS.max_children,
            },
            "version": {"description": "version of the language, at the root only", "enum": list(VERSIONS)},
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
        "version": {"$ref": "#/$defs/version"},
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
