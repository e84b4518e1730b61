# SPDX-License-Identifier: Apache-2.0
"""Reads a BML document: from text to the canonical tree, without recursion, noting every problem on the way."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Union

from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.base.problems import Problem, Problems, at, short
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes import children
from embodiment_bridge.bml.nodes.children import CHILD_KEYS, Child, Reference, Scope
from embodiment_bridge.bml.nodes.composite import Composite
from embodiment_bridge.bml.nodes.node import Document, Node
from embodiment_bridge.bml.nodes.node_type import Given
from embodiment_bridge.bml.nodes.registry import (
    ENTRIES,
    KEYS,
    WRITTEN,
    AnyType,
    AnyWrapper,
    spelled,
)
from embodiment_bridge.bml.reading import json_values
from embodiment_bridge.bml.reading.envelope import opened
from embodiment_bridge.bml.reading.json_values import Parsed, parse
from embodiment_bridge.bml.reading.subtrees import Subtrees, filled_in, open_arguments
from embodiment_bridge.bml.reading.syntax import located
from embodiment_bridge.core.errors import ConfigError, unknown

# From JSON values to the canonical tree, without recursion, noting every problem on the way.
#
# Strategy: a walk in the order of the text reads the values of every node. A leaf is whole at once; a node
# with children becomes a draft that waits for them. Then the drafts are built from the last to the first, so
# that the children of a node are there when it is built.

# A clean-up in a place where there can be none: leaving it out would leave the robot as the author meant to
# prevent, so it is an error in either mode.
UNSAFE_TO_IGNORE = frozenset({"finally"})

Parts = list[Union["Draft", Node]]
Wrapping = tuple[AnyWrapper, Any]


class Level(NamedTuple):
    """Holds the children of one node that are still to be read: depth, subtree, and the list that they go to."""

    left: Iterator[Child]
    depth: int
    scope: Scope | None
    siblings: Parts


@dataclass(slots=True)
class Draft:
    """Holds a node whose children are not built yet.

    ``wrappings`` go round it, those of a node as the list it will be in.
    """

    type: AnyType
    given: Given
    wrappings: list[Wrapping]
    children: Parts
    node: Node | None = None

    def build(self) -> None:
        """Make ``node`` from the children, which have been built before."""
        self.node = wrapped(self.type.node(self.given, _built(self.children)), self.wrappings)


def _built(parts: Parts) -> tuple[Node, ...]:
    nodes = [part.node if isinstance(part, Draft) else part for part in parts]
    return tuple([node for node in nodes if node is not None])


def wrapped(node: Node, wrappings: list[Wrapping]) -> Node:
    """Return a node wrapped in all nodes that its keys ask for."""
    for wrapper, wanted in wrappings:
        node = wrapper.around(node, _built(wanted)[0] if isinstance(wanted, list) else wanted)
    return node


def normalise(root: Child, values: Values, subtrees: Subtrees) -> Document:
    """Return the canonical tree of a node; a partial one when there are errors (noted in ``values.problems``)."""
    walk = _Walk(values, subtrees)
    tops = walk.read(root)
    if values.problems.fatal or not tops:
        leaves = _leaves_without_errors(walk, tops, values.problems.listing())
        return Document(Composite(pointer="", kind="sequence", children=leaves), partial=True)
    for draft in reversed(walk.drafts):
        draft.build()
    return Document(_built(tops)[0], arguments=walk.arguments)


def _leaves_without_errors(walk: "_Walk", tops: Parts, problems: list[Problem]) -> tuple[Node, ...]:
    bad = {problem.pointer for problem in problems if problem.fatal}
    for _ in range(3):  # of a node, of a key of it, or of a value in that
        bad |= {pointer.rpartition("/")[0] for pointer in bad}
    parts = [*tops, *(part for draft in walk.drafts for part in draft.children)]
    return tuple(part for part in parts if isinstance(part, Node) and part.pointer not in bad)


class _Walk:
    """Walks over one document in the order of its text."""

    def __init__(self, values: Values, subtrees: Subtrees) -> None:
        self.drafts: list[Draft] = []
        self.arguments: dict[str, str] = {}
        self._values = values
        self._subtrees = subtrees
        self._problems = values.problems
        self._levels: list[Level] = []  # down to the node that is being read

    def read(self, root: Child) -> Parts:
        """Read all nodes; the list has the root's, or nothing when that one is bad."""
        top = Level(iter([root]), 1, None, [])
        levels = self._levels = [top]
        limits = self._values.limits
        left = limits.max_nodes
        while levels:
            level = levels[-1]
            for child in level.left:
                if isinstance(child.value, Reference):
                    self._open(child.value, child.pointer, level)
                    break
                left -= 1
                if left < 0:
                    text = f"the document has more than {limits.max_nodes} nodes"
                    self._problems.error(child.pointer, "TOO_MANY_NODES", text)
                    return top.siblings
                if not isinstance(child.value, dict) or level.depth > limits.max_depth:
                    self._note_unreadable(child)
                    continue
                node = self._node(child, level)
                if node is not None:
                    level.siblings.append(node)
                if levels[-1] is not level:
                    break  # its children are read first
            else:
                levels.pop()
        return top.siblings

    def _open(self, reference: Reference, pointer: str, level: Level) -> None:
        """Read the root of a subtree in the place of what refers to it."""
        opened = self._subtrees.open(reference, pointer, level.scope, self._values)
        if opened is not None:
            root, scope = opened
            self._levels.append(Level(iter([root]), level.depth, scope, level.siblings))

    def _note_unreadable(self, child: Child) -> None:
        if not isinstance(child.value, dict):
            text = f"a node must be an object, not {short(child.value)}"
            self._problems.error(child.pointer, "WRONG_TYPE", text)
        else:
            text = f"nodes are nested deeper than {self._values.limits.max_depth}"
            self._problems.error(child.pointer, "TOO_DEEP", text)

    def _node(self, child: Child, level: Level) -> Draft | Node | None:
        pointer, raw, name = child.pointer, child.value, child.name
        values = self._values
        if level.scope is not None:
            raw = filled_in(raw, pointer, level.scope, self._problems)
        kind = raw.get("type")
        if not isinstance(kind, str) or kind not in ENTRIES:
            kind = self._type_name(raw, pointer)
            if kind is None:
                self._note_below(self._below_unknown(raw, pointer), level, [])
                return None
        node_type, plain_keys, keys, wrappers = ENTRIES[kind]
        if "name" in raw:
            name = values.text(raw, pointer, "name", values.limits.max_name) or name
        wrappings: list[Wrapping] = []
        extra: Raw = {}
        if not plain_keys.issuperset(raw):  # which few nodes have
            wrappings = [
                (wrapper, wanted)
                for wrapper in wrappers
                if (wrapper.keys[0] in raw or wrapper.keys[-1] in raw)
                and (wanted := wrapper.wanted(raw, pointer, values)) is not None
            ]
            if not keys.issuperset(raw):
                extra = self._extra(raw, pointer, node_type)
        if level.scope is None:
            self.arguments.update(open_arguments(raw, pointer, extra))
        given = node_type.values_in(raw, pointer, values)
        below = node_type.children_in(raw, pointer, given, values)
        given["pointer"], given["name"], given["extra"] = pointer, name, extra
        if below is None:
            leaf = node_type.node(given, ())
            return wrapped(leaf, wrappings) if wrappings else leaf
        draft = Draft(node_type, given, wrappings, [])
        self.drafts.append(draft)
        for i, (wrapper, wanted) in enumerate(wrappings):
            if isinstance(wanted, Child):  # to be read later than the children
                cleanup: Parts = []
                wrappings[i] = wrapper, cleanup
                self._note_below([wanted], level, cleanup)
        self._note_below(below, level, draft.children)
        return draft

    def _note_below(self, below: list[Child], above: Level, into: Parts) -> None:
        """Put this before everything that was noted earlier, so that it is read first."""
        self._levels.append(Level(iter(below), above.depth + 1, above.scope, into))

    def _extra(self, raw: Raw, pointer: str, node_type: AnyType) -> Raw:
        """Return the keys that a node of this type does not have, each noted."""
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
        """Read below a node of unknown type: the nodes there may have errors of their own."""
        below: list[Child] = []
        if any(key in raw for key in CHILD_KEYS):
            below = children.find(raw, pointer, "node", self._values)
        return below + [Child(at(pointer, key), raw[key]) for key in ("behavior", "finally") if key in raw]


FULL_VOLUME = {"percent": 100.0, "unit": 1.0}


@dataclass(frozen=True, slots=True)
class Result:
    """Holds the document (None when a problem is fatal) and all problems, about in text order.

    At most ``Limits.max_problems`` problems, and one more that counts the others.

    readable: the document, or what of it can be read and so be checked against a body; None if the text is no JSON.
    text: the JSON that was read.
    """

    document: Document | None
    problems: list[Problem]
    readable: Document | None = None
    text: str = field(default="", compare=False, repr=False)

    def located(self, problems: list[Problem]) -> list[Problem]:
        """Return problems of the document with their lines and columns."""
        return located(problems, self.text)


def read(
    text: bytes | str,
    *,
    strict: bool = False,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    volume_scale: str = "percent",
    subtrees: Mapping[str, str | bytes] | None = None,
) -> Result:
    """Read a document; bad input never raises, it is a fatal problem.

    Args:
        text: JSON, as bytes (UTF-8) or text.
        strict: refuse the forms that are else rewritten with a warning.
        limits: bounds of size, nesting and values.
        volume_scale: ``percent`` when the document's volumes are 0 to 100, ``unit`` when they are 0 to 1; it
            is never guessed. The canonical tree has percent in either case.
        subtrees: texts of the documents that nodes of type ``subtree`` may name.

    Raises:
        ConfigError: ``volume_scale`` is something else.
    """
    if volume_scale not in FULL_VOLUME:
        raise ConfigError(unknown("volume scale", volume_scale, FULL_VOLUME))
    problems = Problems(strict=strict, most=limits.max_problems)
    values = Values(problems, limits, FULL_VOLUME[volume_scale])
    parsed = parse(text, problems, limits)
    if parsed is None:
        return Result(None, problems.listing())
    document = _document(parsed, values, Subtrees(subtrees or {}))
    listed = located(problems.listing(), parsed.text)
    return Result(None if problems.fatal else document, listed, document, parsed.text)


def metadata_of(text: bytes | str) -> dict[str, Any]:
    """Return the metadata in the envelope of a document, whether its tree is valid or not.

    Empty when the text is not JSON.
    """
    values = Values(Problems(), Limits(), FULL_VOLUME["percent"])
    parsed = parse(text, values.problems, values.limits)
    return {} if parsed is None else opened(parsed.value, values)[1]


def _document(parsed: Parsed, values: Values, subtrees: Subtrees) -> Document:
    if parsed.doubtful:
        json_values.find(parsed.value, values.problems, values.limits)
    root, metadata = opened(parsed.value, values)
    return replace(normalise(root, values, subtrees), metadata=metadata)
