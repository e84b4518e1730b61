# SPDX-License-Identifier: Apache-2.0
"""The key ``duration``: a time box."""

from typing import ClassVar

from embodiment_bridge.bml.fields.field import Duration
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.node import Wrapper, attributes
from embodiment_bridge.bml.nodes.node_type import WrapperType
from embodiment_bridge.bml.nodes.timing import NEVER, SUCCEEDS, Lengths, Timing, counted

DURATION = Duration(
    "duration", "s; length of one execution, 0 for its natural length", attribute="duration_s"
)


@attributes
class Box(Wrapper):
    """``child`` for exactly ``duration_s``: success is padded, overrun is stopped as success, failure passes.

    Never round a Delay or a Body when it comes from reading: those carry their duration themselves.
    """

    TYPE: ClassVar[str] = "box"
    duration_s: float


class BoxType(WrapperType[Box]):
    """A box inside of the loop of its node."""

    name = "box"
    made = Box
    fields = (DURATION,)
    keys = ("duration",)
    cuts_short = True

    def wanted(self, raw: Raw, pointer: str, values: Values) -> object:
        return super().wanted(raw, pointer, values) or None

    def details(self, node: Box) -> list[str]:
        return [f"duration {node.duration_s:g} s"]

    def timing(self, node: Box, below: list[Timing], lengths: Lengths) -> Timing:
        """Success at its end, unless the child fails (or ends the run) before."""
        child, duration = counted(below[0]), node.duration_s
        can_overrun = SUCCEEDS if child.max_s > duration else 0
        usual = child.usual | can_overrun
        expects, expected = child.expects, child.expected_s
        if expects in (NEVER, SUCCEEDS) or (expected is not None and expected > duration):
            expects, expected = SUCCEEDS, duration
        return Timing(
            may=child.may | can_overrun,
            usual=usual,
            expects=expects,
            min_s=min(child.min_s, duration) if usual & ~SUCCEEDS else duration,
            expected_s=expected,
            max_s=duration if usual & SUCCEEDS else child.max_s,
        )


TYPE = BoxType()
