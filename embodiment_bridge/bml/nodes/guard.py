# SPDX-License-Identifier: Apache-2.0
"""The key ``condition``: a node that may be left out."""

from typing import ClassVar

from embodiment_bridge.bml.base.conditions import Condition, describe
from embodiment_bridge.bml.fields.field import ConditionField
from embodiment_bridge.bml.nodes.node import Wrapper, attributes
from embodiment_bridge.bml.nodes.node_type import WrapperType
from embodiment_bridge.bml.nodes.timing import LEFT_OUT, Lengths, Timing


@attributes
class Guard(Wrapper):
    """``child`` if ``condition`` is met when its turn comes; else it is left out."""

    TYPE: ClassVar[str] = "guard"
    condition: Condition


class GuardType(WrapperType[Guard]):
    """A condition round a node."""

    name = "guard"
    made = Guard
    fields = (ConditionField("condition"),)
    keys = ("condition",)

    def details(self, node: Guard) -> list[str]:
        return [f"if {describe(node.condition)}"]

    def timing(self, node: Guard, below: list[Timing], lengths: Lengths) -> Timing:
        """Its duration is not known, as it may be left out."""
        (child,) = below
        expects = child.expects or LEFT_OUT
        return Timing(child.may | LEFT_OUT, child.usual | LEFT_OUT, expects, 0.0, None, child.max_s)


TYPE = GuardType()
