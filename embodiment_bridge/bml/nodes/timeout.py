# SPDX-License-Identifier: Apache-2.0
"""The key ``timeout``: a node that fails when it takes too long."""

from typing import ClassVar

from embodiment_bridge.bml.fields.field import Seconds
from embodiment_bridge.bml.nodes.node import Wrapper, attributes
from embodiment_bridge.bml.nodes.node_type import WrapperType
from embodiment_bridge.bml.nodes.timing import FAILS, NEVER, Lengths, Timing, counted


@attributes
class Timeout(Wrapper):
    """``child``, which is halted and fails when it has not ended after ``timeout_s``."""

    TYPE: ClassVar[str] = "timeout"
    timeout_s: float


class TimeoutType(WrapperType[Timeout]):
    """A time-out round a node with all its loops."""

    name = "timeout"
    made = Timeout
    fields = (
        Seconds(
            "timeout", "s; what has not ended by then is halted and fails", attribute="timeout_s", low=0.001
        ),
    )
    keys = ("timeout",)
    cuts_short = True

    def details(self, node: Timeout) -> list[str]:
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
