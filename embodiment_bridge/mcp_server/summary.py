# SPDX-License-Identifier: Apache-2.0
"""Tells the person who has to agree to a document all that it does, so that nothing is cut off unseen."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from embodiment_bridge.bml.nodes.loop import Loop
from embodiment_bridge.bml.nodes.node import Node
from embodiment_bridge.bml.reading.reader import read
from embodiment_bridge.robot.checking import text_of
from embodiment_bridge.robot.values import Check

WHOLE: Final = 2000  # characters of a document that is shown as it is
LOG: Final = 60  # characters of the text of a log node, which moves and says nothing
ABOUT: Final = ("pointer", "name", "extra", "kind", "action_key")  # of a node, no part of what it does


def summary(written: Mapping[str, object], check: Check) -> str:
    """How much a document is, then a short one itself; of a longer one all nodes, each with how often it is done."""
    text = text_of(written)
    document = read(text).document
    if document is None:
        return text
    nodes, metres, done = 0, 0.0, dict[str, float]()
    todo: list[tuple[Node, float]] = [(document.root, 1.0)]
    while todo:
        node, times = todo.pop()
        nodes += 1
        told, far = _told(node)
        metres += far * times if far else 0.0
        done[told] = done.get(told, 0.0) + times
        if isinstance(node, Loop):
            times *= node.count if node.count >= 0 else math.inf
        todo.extend((one, times) for one in reversed(node.below))
    time = f"takes {seconds(check.expected)}, at most {seconds(check.longest)}"
    head = f"{nodes} nodes, {time}, distances of {number(metres)} m"
    if len(text) > WHOLE:
        text = "; ".join(
            f"{number(times)} x {told}" if times != 1.0 else told for told, times in done.items()
        )
    return f"a document of {head}: {text}"


def seconds(value: float | None) -> str:
    """A time for a text."""
    return "an unknown time" if value is None else f"{value:.3g} s" if math.isfinite(value) else "no end"


def number(value: float) -> str:
    """A count or a length for a text."""
    return f"{value:g}" if math.isfinite(value) else "endless"


def _told(node: Node) -> tuple[str, float]:
    """What a node does itself, with all its arguments, and the distance in m among these."""
    given = {one.name: getattr(node, one.name) for one in fields(node) if one.name not in ABOUT}
    plain = {one.name: one.default for one in fields(node)}
    own = {
        key: value for key, value in given.items() if value not in (plain[key], {}) and not _is_below(value)
    }
    if node.type_name == "log" and len(str(own.get("text", ""))) > LOG:
        own["text"] = f"{own['text'][:LOG]}... ({len(own['text'])} characters)"
    parameters = own.get("parameters", {})
    far = parameters.get("distance", 0.0) if isinstance(parameters, Mapping) else 0.0
    words = json.dumps(own, ensure_ascii=False, default=str) if own else ""
    return f"{node.type_name} {words}".rstrip(), abs(far) if isinstance(far, int | float) else 0.0


def _is_below(value: object) -> bool:
    first = value[0] if isinstance(value, tuple | list) and value else value
    return isinstance(first, Node)
