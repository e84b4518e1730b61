# SPDX-License-Identifier: Apache-2.0
"""``log``: a line for the journal of the run."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from embodiment_bridge.bml.base.conditions import KEY
from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import short
from embodiment_bridge.bml.fields.field import Object, Text
from embodiment_bridge.bml.fields.values import Raw, Values
from embodiment_bridge.bml.nodes.node import Leaf, attributes
from embodiment_bridge.bml.nodes.node_type import NodeType
from embodiment_bridge.bml.nodes.timing import SUCCEEDS, Lengths, Timing, exactly

# Braces that stand for themselves, a key, or a brace that is neither.
_PART = re.compile(rf"\{{\{{|\}}\}}|\{{({KEY.pattern})\}}|[{{}}]")


def filled(text: str, shown: Callable[[str], str]) -> str:
    """The text with ``shown(key)`` in the place of each ``{key}``, and ``{{`` and ``}}`` as one brace each."""
    return _PART.sub(lambda found: shown(found[1]) if found[1] else found[0][0], text)


@dataclass(frozen=True)
class Template(Text):
    """A text in which ``{key}`` stands for a value of the blackboard."""

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
    """Notes ``text`` with the values of the blackboard in it."""

    TYPE: ClassVar[str] = "log"
    text: str


class LogType(NodeType[Log]):
    """A line of text."""

    name = "log"
    meaning = "a line for the journal of the run"
    made = Log
    fields = (
        Template(
            "text", "{key} is a value of the blackboard, {{ and }} a brace", required=True, longest="max_text"
        ),
    )

    def label(self, node: Log) -> str:
        return node.text

    def timing(self, node: Log, below: list[Timing], lengths: Lengths) -> Timing:
        return exactly(0.0, SUCCEEDS, SUCCEEDS)


TYPE = LogType()
