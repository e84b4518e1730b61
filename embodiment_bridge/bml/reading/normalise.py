# SPDX-License-Identifier: Apache-2.0
"""From JSON values to the canonical tree, without recursion, noting every problem on the way.

Strategy: a walk in the order of the text reads the values of every node. A leaf is whole at once; a node
with children becomes a draft that waits for them. Then the drafts are built from the last to the first, so
that the children of a node are there when it is built.
"""

from dataclasses import dataclass, field
from typing import Any, Union

from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import short
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes import children
from embodiment_bridge.bml.nodes.children import CHILD_KEYS, Child, Reference
from embodiment_bridge.bml.nodes.node import Node
from embodiment_bridge.bml.nodes.registry import (
    ENTRIES,
    KEYS,
    WRITTEN,
    AnyType,
    AnyWrapper,
    spelled,
)
from embodiment_bridge.bml.reading.subtrees import Subtrees, filled_in

# A clean-up in a place where there can be none: leaving it out would leave the robot as the author meant to
# prevent, so it is an error in either mode.
UNSAFE_TO_IGNORE = frozenset({"finally"})

Parts = list[Union["Draft", Node]]
Wrapping = tuple[AnyWrapper, Any]


@dataclass(slots=True)
class Draft:
    """A node whose children are not built yet; ``wrappings`` go round it, those of a node as the list it will be in."""

    type: AnyType
    head: dict[str, Any]
    found: dict[str, Any]
    wrappings: list[Wrapping]
    children: Parts = field(default_factory=list)
    node: Node | None = None

    def build(self) -> None:
        """Make ``node`` from the children, which have been built before."""
        bare = self.type.node(self.head, self.found, _built(self.children))
        self.node = wrapped(bare, self.wrappings)


def _built(parts: Parts) -> tuple[Node, ...]:
    nodes = (part.node if isinstance(part, Draft) else part for part in parts)
    return tuple(node for node in nodes if node is not None)


def wrapped(node: Node, wrappings: list[Wrapping]) -> Node:
    """A node with everything round it that its keys ask for."""
    for wrapper, wanted in wrappings:
        node = wrapper.around(node, _built(wanted)[0] if isinstance(wanted, list) else wanted)
    return node


def normalise(root: Child, values: Values, subtrees: Subtrees) -> Node | None:
    """The canonical tree of a node; None when there are errors (they are noted in ``values.problems``)."""
    walk = _Walk(values, subtrees)
    tops = walk.read(root)
    if values.problems.fatal or not tops:
        return None
    for draft in reversed(walk.drafts):
        draft.build()
    top = tops[0]
    return top.node if isinstance(top, Draft) else top


class _Walk:
    """One walk over a document in the order of its text."""

    def __init__(self, values: Values, subtrees: Subtrees) -> None:
        self.drafts: list[Draft] = []
        self._values = values
        self._subtrees = subtrees
        self._problems = values.problems
        self._todo: list[tuple[Child, int, Parts]] = []

    def read(self, root: Child) -> Parts:
        """Read all nodes; the list has the root's, or nothing when that one is bad."""
        tops: Parts = []
        self._todo = [(root, 1, tops)]
        limits = self._values.limits
        left = limits.max_nodes
        while self._todo:
            child, depth, siblings = self._todo.pop()
            left -= 1
            if left < 0:
                text = f"the document has more than {limits.max_nodes} nodes"
                self._problems.error(child.pointer, "TOO_MANY_NODES", text)
                break
            if not isinstance(child.value, dict) or depth > limits.max_depth:
                self._note_unreadable(child)
                continue
            node = self._node(child, depth)
            if node is not None:
                siblings.append(node)
        return tops

    def _note_unreadable(self, child: Child) -> None:
        if not isinstance(child.value, dict):
            text = f"a node must be an object, not {short(child.value)}"
            self._problems.error(child.pointer, "WRONG_TYPE", text)
        else:
            text = f"nodes are nested deeper than {self._values.limits.max_depth}"
            self._problems.error(child.pointer, "TOO_DEEP", text)

    def _node(self, child: Child, depth: int) -> Draft | Node | None:
        raw, pointer, values, scope = child.value, child.pointer, self._values, child.scope
        if scope is not None:
            raw = filled_in(raw, pointer, scope, self._problems)
        name = self._type_name(raw, pointer)
        if name is None:
            self._note_below(self._below_unknown(raw, pointer), child, depth, [])
            return None
        node_type, keys, wrapping_keys, wrappers = ENTRIES[name]
        head: dict[str, Any] = {"pointer": pointer, "name": child.name}
        # Most keys of most nodes are not there: asking first saves a third of the time of a whole document.
        if "name" in raw:
            head["name"] = values.text(raw, pointer, "name", values.limits.max_name) or child.name
        wrappings: list[Wrapping] = []
        if not wrapping_keys.isdisjoint(raw):
            wrappings = [
                (wrapper, wanted)
                for wrapper in wrappers
                if (wrapper.keys[0] in raw or wrapper.keys[-1] in raw)
                and (wanted := wrapper.wanted(raw, pointer, values)) is not None
            ]
        if not keys.issuperset(raw):
            head["extra"] = self._extra(raw, pointer, node_type)
        found = node_type.values_in(raw, pointer, values)
        below = node_type.children_in(raw, pointer, found, values)
        if below is None:
            leaf = node_type.node(head, found, ())
            return wrapped(leaf, wrappings) if wrappings else leaf
        draft = Draft(node_type, head, found, wrappings)
        self.drafts.append(draft)
        for place in range(len(wrappings)):
            wrapper, wanted = wrappings[place]
            if isinstance(wanted, Child):  # to be read later than the children
                cleanup: Parts = []
                wrappings[place] = wrapper, cleanup
                self._note_below([wanted], child, depth, cleanup)
        self._note_below(below, child, depth, draft.children)
        return draft

    def _note_below(self, below: list[Child], above: Child, depth: int, into: Parts) -> None:
        """What is to be read next, in order."""
        for item in reversed(below):
            opened: Child | None
            if isinstance(item.value, Reference):
                opened = self._subtrees.open(item.value, item.pointer, above.scope, self._values)
            else:
                opened = item if above.scope is None else item._replace(scope=above.scope)
            if opened is not None:
                self._todo.append((opened, depth + 1, into))

    def _extra(self, raw: Raw, pointer: str, node_type: AnyType) -> Raw:
        """The keys that a node of this type does not have, each noted."""
        name, known = node_type.name, KEYS[node_type.name]
        also_known = node_type.also_known(raw)
        extra = {key: value for key, value in raw.items() if key not in known and key not in also_known}
        for key in extra:
            if key in UNSAFE_TO_IGNORE:
                text = f"a {name} has no '{key}', and leaving it out would be unsafe"
                self._problems.error(at(pointer, key), "UNSUPPORTED_EXTENSION", text)
            else:
                text = self._problems.unknown(f"key of {name}", key, known)
                self._problems.tolerated(at(pointer, key), "UNKNOWN_KEY", text)
        return extra

    def _type_name(self, raw: Raw, pointer: str) -> str | None:
        if "type" not in raw:
            return self._type_from_children(raw, pointer)
        text = raw["type"]
        if not isinstance(text, str):
            self._values.wrong_type(pointer, "type", text, "the name of a node type")
            return None
        if text in WRITTEN:
            return text
        name = spelled(text)
        where = at(pointer, "type")
        if name is not None:
            self._problems.tolerated(where, "TYPE_SPELLING", f"the type {short(text)} is read as '{name}'")
        else:
            message = self._problems.unknown("node type", text, WRITTEN)
            self._problems.error(where, "UNKNOWN_TYPE", message)
        return name

    def _type_from_children(self, raw: Raw, pointer: str) -> str | None:
        name = "sequence" if any(key in raw for key in CHILD_KEYS) else "loop" if "behavior" in raw else None
        if name is None:
            self._problems.error(pointer, "MISSING_TYPE", "a node without children needs the key 'type'")
        else:
            text = f"the key 'type' is missing; a node with such children is read as a {name}"
            self._problems.tolerated(pointer, "MISSING_TYPE", text)
        return name

    def _below_unknown(self, raw: Raw, pointer: str) -> list[Child]:
        """What is below a node of no known type: its nodes may have errors of their own."""
        below: list[Child] = []
        if any(key in raw for key in CHILD_KEYS):
            below = children.find(raw, pointer, "node", self._values)
        return below + [Child(at(pointer, key), raw[key]) for key in ("behavior", "finally") if key in raw]
