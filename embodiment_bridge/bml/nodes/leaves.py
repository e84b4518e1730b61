# SPDX-License-Identifier: Apache-2.0
"""Leaves that drive no channel of the body: delay, wait_until, set, log and stop."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import ClassVar

from embodiment_bridge.bml.base.conditions import KEY, Condition, Value, describe
from embodiment_bridge.bml.base.problems import Problems, at, short
from embodiment_bridge.bml.fields.field import (
    BlackboardKey,
    ConditionField,
    Duration,
    Flag,
    Object,
    Scalar,
    Seconds,
    Text,
)
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.node import Leaf, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType, Surroundings
from embodiment_bridge.bml.nodes.timing import EITHER, ENDS_RUN, FAILS, SUCCEEDS, Lengths, Timing, exactly


@dataclass(frozen=True)
class Wait(Duration):
    """Reads the duration; 0 in tolerant reading where it is not written."""

    def absent(self, raw: Raw, pointer: str, values: Values) -> float:
        text = "a delay without 'duration' is read as 0 s"
        values.problems.tolerated(pointer, "DURATION_MISSING", text)
        return 0.0


@attributes
class Delay(Leaf):
    """Waits, then succeeds or fails, as ``succeed`` says."""

    TYPE: ClassVar[str] = "delay"
    duration_s: float
    succeed: bool = True


class DelayType(NodeType[Delay]):
    """Describes ``delay``."""

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


DELAY = DelayType()


@attributes
class WaitUntil(Leaf):
    """Waits until ``until`` is met; after ``timeout_s`` (None: for ever) it ends with success if ``succeed``."""

    TYPE: ClassVar[str] = "wait_until"
    until: Condition
    timeout_s: float | None = None
    succeed: bool = False


class WaitUntilType(NodeType[WaitUntil]):
    """Describes ``wait_until``: a condition and a time-out."""

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
        """Estimate an unknown duration, as the time of the condition is unknown."""
        late = SUCCEEDS if node.timeout_s is None or node.succeed else FAILS
        longest = inf if node.timeout_s is None else node.timeout_s
        return Timing(SUCCEEDS | late, SUCCEEDS | late, SUCCEEDS, 0.0, None, longest)


WAIT_UNTIL = WaitUntilType()


@attributes
class Set(Leaf):
    """Writes a value on the blackboard; None takes the key away."""

    TYPE: ClassVar[str] = "set"
    key: str
    value: Value


class SetType(NodeType[Set]):
    """Describes ``set``: a key and its value."""

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
        """Estimate: ends at once; it fails if the blackboard is full."""
        return exactly(0.0, SUCCEEDS, EITHER)


SET = SetType()


# Braces that stand for themselves, a key, or a brace that is neither.
_PART = re.compile(rf"\{{\{{|\}}\}}|\{{({KEY.pattern})\}}|[{{}}]")


def filled(text: str, shown: Callable[[str], str]) -> str:
    """Return the text with ``shown(key)`` in the place of each ``{key}``, and ``{{`` and ``}}`` as one brace each."""
    return _PART.sub(lambda found: shown(found[1]) if found[1] else found[0][0], text)


@dataclass(frozen=True)
class Template(Text):
    """Reads a text in which ``{key}`` stands for a value of the blackboard."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> str:
        text = super().read(raw, pointer, key, values)
        alone = next((found for found in _PART.finditer(text) if found[0] in "{}"), None)
        if alone is not None:
            rest = short(text[alone.start() :])
            message = f"{rest} does not begin with a key in braces; a brace itself is written twice"
            values.problems.error(at(pointer, key), "BAD_KEY", message)
        return text

    def schema(self) -> Object:
        pattern = rf"^([^{{}}]|\{{\{{|\}}\}}|\{{{KEY.pattern}\}})*$"
        return {**super().schema(), "pattern": pattern}


@attributes
class Log(Leaf):
    """Logs ``text`` with the values of the blackboard in it; succeeds, or fails where it is told to."""

    TYPE: ClassVar[str] = "log"
    text: str
    succeed: bool = True


class LogType(NodeType[Log]):
    """Describes ``log``."""

    name = "log"
    meaning = "a line for the journal of the run"
    made = Log
    fields = (
        Template(
            "text", "{key} is a value of the blackboard, {{ and }} a brace", required=True, longest="max_text"
        ),
        Flag(
            "return",
            "whether it succeeds, default true; else the text is the reason of its failure",
            attribute="succeed",
            default=True,
        ),
    )

    def label(self, node: Log) -> str:
        return node.text

    def timing(self, node: Log, below: list[Timing], lengths: Lengths) -> Timing:
        end = SUCCEEDS if node.succeed else FAILS
        return exactly(0.0, end, end)


LOG = LogType()


@attributes
class Stop(Leaf):
    """Ends the whole run as STOPPED, or the node named ``target`` with success."""

    TYPE: ClassVar[str] = "stop"
    target: str = ""


class StopType(NodeType[Stop]):
    """Describes ``stop``."""

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


STOP = StopType()
