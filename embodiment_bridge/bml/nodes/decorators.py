# SPDX-License-Identifier: Apache-2.0
"""Node types made for keys of other nodes: ``duration``, ``condition``, ``timeout``, ``retry`` and ``finally``."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

from embodiment_bridge.bml.base.conditions import Condition, describe
from embodiment_bridge.bml.base.problems import at
from embodiment_bridge.bml.fields.field import ConditionField, Count, Duration, Object, Seconds
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.children import Child
from embodiment_bridge.bml.nodes.node import Node, Wrapper, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType, WrapperType
from embodiment_bridge.bml.nodes.timing import FAILS, LEFT_OUT, NEVER, SUCCEEDS, Lengths, Timing, counted

DURATION = Duration(
    "duration", "s; length of one execution, 0 for its natural length", attribute="duration_s"
)


@attributes
class Box(Wrapper):
    """Runs ``child`` for exactly ``duration_s``: success is padded, overrun cut off as success, failure passes.

    Never round a Delay or a Body when it comes from reading: those carry their duration themselves.
    """

    TYPE: ClassVar[str] = "box"
    duration_s: float


class BoxType(WrapperType[Box]):
    """Describes a box inside the loop of its node."""

    name = "box"
    made = Box
    fields = (DURATION,)
    keys = ("duration",)
    halts_children = True

    def wanted(self, raw: Raw, pointer: str, values: Values) -> object:
        return super().wanted(raw, pointer, values) or None

    def details(self, node: Box) -> list[str]:
        return [f"duration {node.duration_s:g} s"]

    def timing(self, node: Box, below: list[Timing], lengths: Lengths) -> Timing:
        """Estimate success at the end of the box, unless the child fails (or ends the run) before."""
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


BOX = BoxType()


@attributes
class Guard(Wrapper):
    """Runs ``child`` if ``condition`` is met when its turn comes; else leaves it out."""

    TYPE: ClassVar[str] = "guard"
    condition: Condition


class GuardType(WrapperType[Guard]):
    """Describes a condition round a node."""

    name = "guard"
    made = Guard
    fields = (ConditionField("condition"),)
    keys = ("condition",)

    def details(self, node: Guard) -> list[str]:
        return [f"if {describe(node.condition)}"]

    def timing(self, node: Guard, below: list[Timing], lengths: Lengths) -> Timing:
        """Estimate an unknown duration, as the child may be left out."""
        (child,) = below
        expects = child.expects or LEFT_OUT
        return Timing(child.may | LEFT_OUT, child.usual | LEFT_OUT, expects, 0.0, None, child.max_s)


GUARD = GuardType()


@attributes
class Timeout(Wrapper):
    """Halts ``child`` when it has not ended after ``timeout_s``, and fails then."""

    TYPE: ClassVar[str] = "timeout"
    timeout_s: float


class TimeoutType(WrapperType[Timeout]):
    """Describes a time-out round a node with all its loops."""

    name = "timeout"
    made = Timeout
    fields = (
        Seconds(
            "timeout", "s; what has not ended by then is halted and fails", attribute="timeout_s", low=0.001
        ),
    )
    keys = ("timeout",)
    halts_children = True

    def details(self, node: Timeout) -> list[str]:
        return [f"timeout {node.timeout_s:g} s"]

    def timing(self, node: Timeout, below: list[Timing], lengths: Lengths) -> Timing:
        """Estimate failure at the time-out if the child has not ended by then."""
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


TIMEOUT = TimeoutType()


PAUSE_S = 0.5  # s from a failure to the next attempt, so that what fails at once is not begun in every tick


@dataclass(frozen=True)
class Attempts(Count):
    """Reads how often a failed node is tried again; -1 is for ever."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> int:
        if raw[key] == 0 and not isinstance(raw[key], bool):
            text = f"'{key}' is 0, allowed is -1 (for ever) or 1 to {values.limits.max_loop}"
            values.problems.error(at(pointer, key), "OUT_OF_RANGE", text)
            return 1
        return super().read(raw, pointer, key, values)


@attributes
class Retry(Wrapper):
    """Begins a failed ``child`` again, at most ``times`` times (-1: for ever), each ``PAUSE_S`` later."""

    TYPE: ClassVar[str] = "retry"
    times: int


class RetryType(WrapperType[Retry]):
    """Describes further attempts at a node with its time-out."""

    name = "retry"
    made = Retry
    fields = (
        Attempts(
            "retry",
            "how often it is begun again after a failure, -1 for ever; not after its time-out",
            attribute="times",
        ),
    )
    keys = ("retry",)

    def details(self, node: Retry) -> list[str]:
        return ["retried for ever" if node.times < 0 else f"retried {node.times} times"]

    def timing(self, node: Retry, below: list[Timing], lengths: Lengths) -> Timing:
        """Return the times of the first attempt, unless that may fail."""
        child = counted(below[0])
        if not child.usual & FAILS:
            return child
        if node.times < 0 and child.usual == FAILS and not isinstance(node.child, Timeout):
            return Timing(child.may & ~FAILS, NEVER, NEVER, inf, inf, inf)
        longest = inf if node.times < 0 else (node.times + 1) * (child.max_s + PAUSE_S)
        expected = None if child.expects == FAILS else child.expected_s
        return replace(child, expected_s=expected, max_s=longest)


RETRIED = RetryType()


CLEANUP_S = 2.0  # the longest that a clean-up may take, in s of the run


@attributes
class Finally(Wrapper):
    """Runs ``child``, then ``cleanup``, however ``child`` ended; the result is that of ``child``."""

    TYPE: ClassVar[str] = "finally"
    cleanup: Node

    @property
    def below(self) -> tuple[Node, ...]:
        return self.child, self.cleanup

    def with_below(self, nodes: tuple[Node, ...]) -> Node:
        return replace(self, child=nodes[0], cleanup=nodes[1])


class FinallyType(WrapperType[Finally]):
    """Describes a clean-up after a node with children."""

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
        """Estimate the child: the clean-up changes no result and is cut off after ``CLEANUP_S``."""
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


FINALLY = FinallyType()
