# SPDX-License-Identifier: Apache-2.0
"""``stop``: ends the run, or another node."""

from typing import ClassVar

from embodiment_bridge.bml.base.problems import Problems, short
from embodiment_bridge.bml.fields.field import Text
from embodiment_bridge.bml.nodes.node import Leaf, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType, Surroundings
from embodiment_bridge.bml.nodes.timing import ENDS_RUN, SUCCEEDS, Lengths, Timing, exactly


@attributes
class Stop(Leaf):
    """Ends the whole run as STOPPED, or the node named ``target`` with success."""

    TYPE: ClassVar[str] = "stop"
    target: str = ""


class StopType(NodeType[Stop]):
    """The end of something."""

    name = "stop"
    meaning = "ends the run, or the node named by target"
    made = Stop
    fields = (Text("target", not_empty=True),)

    def label(self, node: Stop) -> str:
        return f"target {node.target}" if node.target else ""

    def check(self, node: Stop, around: Surroundings, problems: Problems) -> None:
        if node.target and node.target not in around.names:
            text = f"no node has the name {short(node.target)}"
            problems.warning(f"{node.pointer}/target", "UNKNOWN_TARGET", text)

    def timing(self, node: Stop, below: list[Timing], lengths: Lengths) -> Timing:
        end = SUCCEEDS if node.target else ENDS_RUN
        return exactly(0.0, end, end)

    def ends_node(self, node: Stop) -> str:
        return node.target


TYPE = StopType()
