# SPDX-License-Identifier: Apache-2.0
"""Finding the children of a node: an array as a rule, an object in what is tolerated."""

from typing import Any, NamedTuple

from embodiment_bridge.bml.reading.fields import Fields, Raw
from embodiment_bridge.bml.reading.pointer import LONGEST_TOKEN, at

CHILD_KEYS = ("behaviors", "children")
_NODE_KEYS = frozenset({"type", "behaviors", "children", "behavior"})


class Child(NamedTuple):
    """A value that should be a node.

    ``name`` is the key under which it stood in an object of children; ``cleanup``: it stood under ``finally``;
    ``scope``: the subtree that it is part of.
    """

    pointer: str
    value: Any
    name: str = ""
    cleanup: bool = False
    scope: "Scope | None" = None


class Scope(NamedTuple):
    """Inside of a subtree: its arguments, and the documents that it is inside of, itself last."""

    args: dict[str, Any]
    chain: tuple[str, ...]


def find(raw: Raw, pointer: str, kind: str, fields: Fields) -> list[Child]:
    """The children of a composite, from ``behaviors`` or ``children``."""
    keys = [key for key in CHILD_KEYS if key in raw]
    if not keys:
        fields.problems.error(pointer, "MISSING_KEY", f"a {kind} needs the key 'behaviors' (or 'children')")
        return []
    if len(keys) == 2:
        text = "'behaviors' and 'children' mean the same; give one of them"
        fields.problems.error(pointer, "BOTH_CHILD_KEYS", text)
    return [child for key in keys for child in _under(raw[key], at(pointer, key), key, fields)]


def _under(value: Any, pointer: str, key: str, fields: Fields) -> list[Child]:
    if not isinstance(value, (dict, list)):
        fields.problems.error(pointer, "WRONG_TYPE", f"'{key}' must be an array of nodes")
        return []
    single = isinstance(value, dict) and not _NODE_KEYS.isdisjoint(value)
    if not single and len(value) > fields.limits.max_children:
        text = f"'{key}' has {len(value)} nodes, {fields.limits.max_children} is the limit"
        fields.problems.error(pointer, "TOO_MANY_CHILDREN", text)
        return []
    if isinstance(value, list):
        return [Child(f"{pointer}/{i}", item) for i, item in enumerate(value)]
    if single:
        text = f"'{key}' is one node, read as an array of it"
        fields.problems.tolerated(pointer, "OBJECT_CHILDREN", text)
        return [Child(pointer, value)]
    return _named(value, pointer, key, fields)


def _named(value: Raw, pointer: str, key: str, fields: Fields) -> list[Child]:
    """Children written as an object of name and node, in the order of the text."""
    if not all(isinstance(item, dict) for item in value.values()):
        fields.problems.error(pointer, "WRONG_TYPE", f"'{key}' must be an array of nodes")
        return []
    text = f"'{key}' is an object, read as an array of its values"
    fields.problems.tolerated(pointer, "OBJECT_CHILDREN", text)
    found = [Child(at(pointer, name), item, name) for name, item in value.items()]
    longest, far = min(fields.limits.max_name, LONGEST_TOKEN), fields.limits.max_pointer
    if any(len(child.name) > longest or len(child.pointer) > far for child in found):
        text = f"a name in '{key}' has more than {longest} characters, or its pointer more than {far}"
        fields.problems.error(pointer, "TOO_LONG", text)
        return []
    return found
