# SPDX-License-Identifier: Apache-2.0
"""``wait_until``: waits until a condition is met."""

from math import inf
from typing import ClassVar

from embodiment_bridge.bml.base.conditions import Condition, describe
from embodiment_bridge.bml.fields.field import ConditionField, Flag, Seconds
from embodiment_bridge.bml.nodes.node import Leaf, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType
from embodiment_bridge.bml.nodes.timing import FAILS, SUCCEEDS, Lengths, Timing


@attributes
class WaitUntil(Leaf):
    """Waits until ``until`` is met; after ``timeout_s`` (None: for ever) it ends with success when ``succeed``."""

    TYPE: ClassVar[str] = "wait_until"
    until: Condition
    timeout_s: float | None = None
    succeed: bool = False


class WaitUntilType(NodeType[WaitUntil]):
    """A condition, and what a time-out is."""

    name = "wait_until"
    meaning = "waits until a condition is met"
    made = WaitUntil
    fields = (
        ConditionField("until", required=True),
        Seconds("timeout", "s; left out: it waits for ever", attribute="timeout_s", low=0.001),
        Flag("return", "whether it succeeds when the time is up, default false", attribute="succeed"),
    )

    def label(self, node: WaitUntil) -> str:
        if node.timeout_s is None:
            return describe(node.until)
        return f"{describe(node.until)}, at most {node.timeout_s:g} s" + (
            ", then succeeds" if node.succeed else ""
        )

    def timing(self, node: WaitUntil, below: list[Timing], lengths: Lengths) -> Timing:
        """Not known, as the time of the condition is not."""
        late = SUCCEEDS if node.timeout_s is None or node.succeed else FAILS
        longest = inf if node.timeout_s is None else node.timeout_s
        return Timing(SUCCEEDS | late, SUCCEEDS | late, SUCCEEDS, 0.0, None, longest)


TYPE = WaitUntilType()
