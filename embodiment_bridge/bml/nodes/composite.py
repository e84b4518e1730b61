# SPDX-License-Identifier: Apache-2.0
"""Base class of sequence, selector and parallel."""

from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.fields.field import Field, Object
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.children import CHILD_KEYS, Child, find
from embodiment_bridge.bml.nodes.node import Node, attributes
from embodiment_bridge.bml.nodes.node_type import Given, NodeType
from embodiment_bridge.bml.nodes.policies import policies
from embodiment_bridge.bml.nodes.timing import SUCCEEDS, deciding_ends


@attributes
class Composite(Node):
    """``kind`` is sequence, selector or parallel; the policies are resolved (defaults filled in per kind).

    Only for selectors: ``reactive`` looks at the conditions of higher children again while a lower one runs;
    ``random`` tries the children in an order drawn by ``weights`` (empty: all the same).
    """

    kind: str
    children: tuple[Node, ...]
    succeed_on_one: bool = False
    fail_on_all: bool = False
    reactive: bool = False
    random: bool = False
    weights: tuple[float, ...] = ()

    @property
    def type_name(self) -> str:
        return self.kind

    @property
    def below(self) -> tuple[Node, ...]:
        return self.children

    def with_below(self, nodes: tuple[Node, ...]) -> Node:
        return replace(self, children=nodes)


class CompositeType(NodeType[Composite]):
    """Children under ``behaviors``. ``empty`` is how it ends without any."""

    made = Composite
    fields: ClassVar[tuple[Field, ...]] = policies()
    has_children = True
    empty = SUCCEEDS

    def children_in(self, raw: Raw, pointer: str, found: Given, values: Values) -> list[Child]:
        inner = find(raw, pointer, self.name, values)
        if not inner:
            outcome = "succeeds" if self.empty == SUCCEEDS else "fails"
            note_if_empty(raw, pointer, self.name, outcome, values)
        return inner

    def node(self, given: Given, children: tuple[Node, ...]) -> Composite:
        return Composite(kind=self.name, children=children, **given)

    def written(self, node: Composite, objects: Mapping[int, Object]) -> Object:
        return {
            **super().written(node, objects),
            "behaviors": [objects[id(child)] for child in node.children],
        }

    def details(self, node: Composite) -> list[str]:
        """See NodeType: the policies that are not the usual ones."""
        return list(map(str, NodeType.written(self, node, {}).values()))

    def deciding(self, node: Composite) -> int:
        """The ends of one child that end it at once."""
        return deciding_ends(node.succeed_on_one, node.fail_on_all)

    def constraints(self) -> list[Object]:
        either = {"if": {"required": ["children"]}, "then": {"properties": {"behaviors": False}}}
        return [{**either, "else": {"required": ["behaviors"]}}]

    def schema_of_children(self) -> dict[str, Object]:
        return {key: {"$ref": "#/$defs/children"} for key in CHILD_KEYS}

    @property
    def known_keys(self) -> frozenset[str]:
        return self.own_keys | {*CHILD_KEYS}


def note_if_empty(raw: Raw, pointer: str, kind: str, outcome: str, values: Values) -> None:
    """Note that a composite has no children."""
    for key in CHILD_KEYS:
        if raw.get(key) in ([], {}):
            text = f"a {kind} without children {outcome} at once"
            values.problems.warning(at(pointer, key), "EMPTY_COMPOSITE", text)
