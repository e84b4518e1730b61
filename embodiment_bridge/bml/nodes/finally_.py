# SPDX-License-Identifier: Apache-2.0
"""The key ``finally``: a clean-up that follows, however its node ended."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any, ClassVar

from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.fields.field import Object
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.children import Child
from embodiment_bridge.bml.nodes.node import Node, Wrapper, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType, WrapperType
from embodiment_bridge.bml.nodes.timing import NEVER, Lengths, Timing, counted

CLEANUP_S = 2.0  # the longest that a clean-up may take, in s of the run


@attributes
class Finally(Wrapper):
    """``child``, and after it, however it ended, ``cleanup``; the result is that of ``child``."""

    TYPE: ClassVar[str] = "finally"
    cleanup: Node

    @property
    def below(self) -> tuple[Node, ...]:
        return self.child, self.cleanup

    def with_below(self, nodes: tuple[Node, ...]) -> Node:
        return replace(self, child=nodes[0], cleanup=nodes[1])


class FinallyType(WrapperType[Finally]):
    """A clean-up behind a node with children."""

    name = "finally"
    made = Finally
    keys = ("finally",)

    def suits(self, other: NodeType[Any]) -> bool:
        return other.has_children

    def wanted(self, raw: Raw, pointer: str, values: Values) -> Child:
        return Child(at(pointer, "finally"), raw["finally"])

    def around(self, node: Node, wanted: Node) -> Node:
        return Finally(pointer=node.pointer, name=node.name, child=node, cleanup=wanted)

    def written(self, node: Finally, objects: Mapping[int, Object]) -> Object:
        return {"finally": objects[id(node.cleanup)]}

    def schema_of_keys(self) -> dict[str, Object]:
        meaning = "executed afterwards, however it ended"
        return {"finally": {"description": meaning, "$ref": "#/$defs/child"}}

    def timing(self, node: Finally, below: list[Timing], lengths: Lengths) -> Timing:
        """The clean-up changes no result and is cut off after ``CLEANUP_S``, but its own clean-ups take their time."""
        child, cleanup = counted(below[0]), counted(below[1])
        if child.expects == NEVER:
            expected: float | None = inf
        elif child.expected_s is None or (cleanup.expected_s is None and cleanup.expects != NEVER):
            expected = None
        else:
            expected = child.expected_s + min(cleanup.expected_s or 0.0, CLEANUP_S)
        return replace(
            child,
            min_s=child.min_s + min(cleanup.min_s, CLEANUP_S),
            expected_s=expected,
            max_s=child.max_s
            + min(cleanup.max_s, CLEANUP_S)
            + (self.halt_s(below) if cleanup.halt_s else 0.0),
        )

    def halt_s(self, below: list[Timing]) -> float:
        return below[0].halt_s + min(below[1].max_s, CLEANUP_S) + below[1].halt_s


TYPE = FinallyType()
