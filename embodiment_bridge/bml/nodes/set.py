# SPDX-License-Identifier: Apache-2.0
"""``set``: writes a value on the blackboard."""

from typing import ClassVar

from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.fields.field import BlackboardKey, Scalar
from embodiment_bridge.bml.nodes.node import Leaf, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType
from embodiment_bridge.bml.nodes.timing import EITHER, SUCCEEDS, Lengths, Timing, exactly


@attributes
class Set(Leaf):
    """Writes a value on the blackboard; None takes the key away."""

    TYPE: ClassVar[str] = "set"
    key: str
    value: Value


class SetType(NodeType[Set]):
    """A key and its value."""

    name = "set"
    meaning = "writes a value on the blackboard"
    made = Set
    fields = (
        BlackboardKey("key", "of a value on the blackboard", required=True),
        Scalar("value", required=True),
    )

    def label(self, node: Set) -> str:
        return f"{node.key} = {'null' if node.value is None else repr(node.value)}"

    def timing(self, node: Set, below: list[Timing], lengths: Lengths) -> Timing:
        """The blackboard may be full."""
        return exactly(0.0, SUCCEEDS, EITHER)


TYPE = SetType()
