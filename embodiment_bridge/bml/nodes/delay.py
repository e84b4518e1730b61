# SPDX-License-Identifier: Apache-2.0
"""``delay``: waits."""

from dataclasses import dataclass
from typing import ClassVar

from embodiment_bridge.bml.fields.field import Duration, Flag
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.node import Leaf, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType
from embodiment_bridge.bml.nodes.timing import FAILS, SUCCEEDS, Lengths, Timing, exactly


@dataclass(frozen=True)
class Wait(Duration):
    """The duration; 0 in tolerant reading where it is not written."""

    def absent(self, raw: Raw, pointer: str, values: Values) -> float:
        text = "a delay without 'duration' is read as 0 s"
        values.problems.tolerated(pointer, "DURATION_MISSING", text)
        return 0.0


@attributes
class Delay(Leaf):
    """Waits; then success when ``succeed``."""

    TYPE: ClassVar[str] = "delay"
    duration_s: float
    succeed: bool = True


class DelayType(NodeType[Delay]):
    """A length of time."""

    name = "delay"
    meaning = "waits"
    made = Delay
    fields = (
        Wait("duration", "s", attribute="duration_s", required=True),
        Flag(
            "return",
            "whether it succeeds when the time is up, default true",
            attribute="succeed",
            default=True,
        ),
    )
    spellings = ("wait", "sleep")

    def title(self, node: Delay) -> str:
        return f"{node.duration_s:g} s" + ("" if node.succeed else ", then fails")

    def timing(self, node: Delay, below: list[Timing], lengths: Lengths) -> Timing:
        end = SUCCEEDS if node.succeed else FAILS
        return exactly(node.duration_s, end, end)


TYPE = DelayType()
