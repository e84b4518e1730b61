# SPDX-License-Identifier: Apache-2.0
"""Finding the children of a node: an array as a rule, an object in what is tolerated."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.base.problems import LONGEST_TOKEN, at
from embodiment_bridge.bml.fields.values import Raw, Values

CHILD_KEYS = ("behaviors", "children")
_NODE_KEYS = frozenset({"type", "behaviors", "children", "behavior"})


@dataclass(slots=True)
class Child:
    """Holds a value that should be a node.

    ``name`` is the key under which it stood in an object of children.
    """

    pointer: str
    value: Any
    name: str = ""


class Reference(NamedTuple):
    """Stands for a child that is the root of the document named ``ref``, with arguments."""

    ref: str
    args: dict[str, Value]


class Scope(NamedTuple):
    """Names where a node is read: arguments of its subtree, and the documents it is nested in, own last."""

    args: dict[str, Value]
    chain: tuple[str, ...]


def find(raw: Raw, pointer: str, kind: str, values: Values) -> list[Child]:
    """Return the children of a composite, from ``behaviors`` or ``children``."""
    usual, other = CHILD_KEYS
    if other not in raw:
        if usual in raw:
            return _under(raw, pointer, usual, values)
        values.problems.error(pointer, "MISSING_KEY", f"a {kind} needs the key 'behaviors' (or 'children')")
        return []
    if usual not in raw:
        return _under(raw, pointer, other, values)
    text = "'behaviors' and 'children' mean the same; give one of them"
    values.problems.error(pointer, "BOTH_CHILD_KEYS", text)
    return _under(raw, pointer, usual, values) + _under(raw, pointer, other, values)


def _under(raw: Raw, above: str, key: str, values: Values) -> list[Child]:
    value, pointer = raw[key], f"{above}/{key}"
    if not isinstance(value, (dict, list)):
        values.problems.error(pointer, "WRONG_TYPE", f"'{key}' must be an array of nodes")
        return []
    single = isinstance(value, dict) and not _NODE_KEYS.isdisjoint(value)
    if not single and len(value) > values.limits.max_children:
        text = f"'{key}' has {len(value)} nodes, {values.limits.max_children} is the limit"
        values.problems.error(pointer, "TOO_MANY_CHILDREN", text)
        return []
    if isinstance(value, list):
        return [Child(f"{pointer}/{i}", item) for i, item in enumerate(value)]
    if single:
        text = f"'{key}' is one node, read as an array of it"
        values.problems.tolerated(pointer, "OBJECT_CHILDREN", text)
        return [Child(pointer, value)]
    return _named(value, pointer, key, values)


def _named(value: Raw, pointer: str, key: str, values: Values) -> list[Child]:
    """Return children written as an object of name and node, in the order of the text."""
    if not all(isinstance(item, dict) for item in value.values()):
        values.problems.error(pointer, "WRONG_TYPE", f"'{key}' must be an array of nodes")
        return []
    text = f"'{key}' is an object, read as an array of its values"
    values.problems.tolerated(pointer, "OBJECT_CHILDREN", text)
    found = [Child(at(pointer, name), item, name) for name, item in value.items()]
    longest, far = min(values.limits.max_name, LONGEST_TOKEN), values.limits.max_pointer
    if any(len(child.name) > longest or len(child.pointer) > far for child in found):
        text = f"a name in '{key}' has more than {longest} characters, or its pointer more than {far}"
        values.problems.error(pointer, "TOO_LONG", text)
        return []
    return found
