# SPDX-License-Identifier: Apache-2.0
"""The key ``timeout``: a node that fails when it takes too long."""

from dataclasses import dataclass
from typing import ClassVar

from embodiment_bridge.bml.fields.field import Seconds
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.node import Node, Wrapper
from embodiment_bridge.bml.nodes.node_type import WrapperType
from embodiment_bridge.bml.nodes.timing import FAILS, NEVER, Lengths, Timing, counted

TIMEOUT = Seconds(
    "timeout", "s; what has not ended by then is halted and fails", attribute="timeout_s", low=0.001
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeout(Wrapper):
    """``child``, which is halted and fails when it has not ended after ``timeout_s``."""

    TYPE: ClassVar[str] = "timeout"
    timeout_s: float


class TimeoutType(WrapperType[Timeout]):
    """A time-out round a node with all its loops."""

    name = "timeout"
    made = Timeout
    fields = (TIMEOUT,)
    keys = ("timeout",)
    cuts_short = True

    def wanted(self, raw: Raw, pointer: str, values: Values) -> float | None:
        """See WrapperType."""
        return TIMEOUT.read(raw, pointer, "timeout", values)

    def around(self, node: Node, wanted: float) -> Node:
        """See WrapperType."""
        return Timeout(pointer=node.pointer, name=node.name, timeout_s=wanted, child=node)

    def details(self, node: Timeout) -> list[str]:
        """See NodeType."""
        return [f"timeout {node.timeout_s:g} s"]

    def timing(self, node: Timeout, below: list[Timing], lengths: Lengths) -> Timing:
        """Failure when it has not ended by then."""
        child, timeout = counted(below[0]), node.timeout_s
        late = FAILS if child.max_s > timeout else 0
        expects, expected = child.expects, child.expected_s
        if expects == NEVER or (expected is not None and expected > timeout):
            expects, expected = FAILS, timeout
        return Timing(
            may=child.may | late,
            usual=late if child.min_s > timeout else child.usual | late,
            expects=expects,
            min_s=min(child.min_s, timeout),
            expected_s=expected,
            max_s=min(child.max_s, timeout),
        )


TYPE = TimeoutType()
