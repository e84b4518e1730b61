# SPDX-License-Identifier: Apache-2.0
"""Nodes whose children are not built yet, and how a canonical node comes from one."""

from dataclasses import dataclass, field
from typing import NamedTuple, Union

from embodiment_bridge.bml.conditions import Condition, Value
from embodiment_bridge.bml.document import (
    Body,
    Box,
    Composite,
    Delay,
    Finally,
    Guard,
    Loop,
    Node,
    Start,
    Subtree,
    Timeout,
)
from embodiment_bridge.bml.reading.fields import Raw


class Begin(NamedTuple):
    """What ``start`` says: which sound, which word of it, and how many s later."""

    at: str
    mark: str = ""
    offset_s: float = 0.0


class Common(NamedTuple):
    """The keys of every node: ``times`` executed (``loop`` or ``repeat``), ``duration_s`` of one."""

    name: str
    times: int
    duration_s: float | None
    timeout_s: float | None = None
    condition: Condition | None = None
    start: Begin | None = None


class Choice(NamedTuple):
    """How a selector goes through its children."""

    reactive: bool = False
    random: bool = False
    weights: tuple[float, ...] = ()


@dataclass(slots=True)
class Draft:
    """A node with children; ``implied_sequence`` is a loop that was given several children.

    ``ref`` and ``args`` are those of a subtree.
    """

    kind: str
    pointer: str
    common: Common
    succeed_on_one: bool
    fail_on_all: bool
    extra: Raw
    implied_sequence: bool = False
    choice: Choice = field(default_factory=Choice)
    ref: str = ""
    args: dict[str, Value] = field(default_factory=dict)
    cleanup: list[Union["Draft", Node]] = field(default_factory=list)
    children: list[Union["Draft", Node]] = field(default_factory=list)
    node: Node | None = None


def build(draft: Draft) -> None:
    """Make ``draft.node`` from the children, which have been built before."""
    children, cleanup = _built(draft.children), _built(draft.cleanup)
    if draft.kind == "loop":
        node = _loop(draft, children)
    elif draft.kind == "subtree":
        node = repeated(_subtree(draft, children[0]), draft.common)
    else:
        node = repeated(_composite(draft, children), draft.common)
    draft.node = guarded(node, draft.common, cleanup[0] if cleanup else None)


def _built(parts: list[Draft | Node]) -> tuple[Node, ...]:
    nodes = (part.node if isinstance(part, Draft) else part for part in parts)
    return tuple(node for node in nodes if node is not None)


def wrapped(node: Node, common: Common) -> Node:
    """A leaf with everything round it that its keys ask for: start(guard(timeout(loop(box(node)))))."""
    return guarded(repeated(node, common), common)


def repeated(node: Node, common: Common) -> Node:
    """The node with its time box and its loop round it: loop(box(node))."""
    if common.duration_s and not isinstance(node, (Body, Delay)):  # those carry it themselves
        node = Box(pointer=node.pointer, name=node.name, duration_s=common.duration_s, child=node)
    if common.times != 1:
        node = Loop(pointer=node.pointer, name=node.name, count=common.times, child=node)
    return node


def guarded(node: Node, common: Common, cleanup: Node | None = None) -> Node:
    """The node with its time-out, its clean-up condition and start round it: start(guard(finally(timeout(node))))."""
    pointer, name = node.pointer, node.name
    if common.timeout_s is not None:
        node = Timeout(pointer=pointer, name=name, timeout_s=common.timeout_s, child=node)
    if cleanup is not None:
        node = Finally(pointer=pointer, name=name, child=node, cleanup=cleanup)
    if common.condition is not None:
        node = Guard(pointer=pointer, name=name, condition=common.condition, child=node)
    if common.start is not None:
        at, mark, offset_s = common.start
        node = Start(pointer=pointer, name=name, at=at, mark=mark, offset_s=offset_s, child=node)
    return node


def _subtree(draft: Draft, child: Node) -> Node:
    return Subtree(
        pointer=draft.pointer,
        name=draft.common.name,
        extra=draft.extra,
        ref=draft.ref,
        args=draft.args,
        child=child,
    )


def _composite(draft: Draft, children: tuple[Node, ...]) -> Node:
    return Composite(
        pointer=draft.pointer,
        name=draft.common.name,
        extra=draft.extra,
        kind=draft.kind,
        children=children,
        succeed_on_one=draft.succeed_on_one,
        fail_on_all=draft.fail_on_all,
        reactive=draft.choice.reactive,
        random=draft.choice.random,
        weights=draft.choice.weights,
    )


def _loop(draft: Draft, children: tuple[Node, ...]) -> Node:
    """A node of type loop: its ``duration`` is that of one iteration, so the box is inside."""
    pointer, name = draft.pointer, draft.common.name
    child = children[0] if children and not draft.implied_sequence else None
    if child is None:
        child = Composite(pointer=pointer, name=name, kind="sequence", children=children)
    if draft.common.duration_s:
        child = Box(pointer=pointer, name=name, duration_s=draft.common.duration_s, child=child)
    return Loop(
        pointer=pointer,
        name=name,
        extra=draft.extra,
        count=draft.common.times,
        child=child,
        succeed_on_one=draft.succeed_on_one,
        fail_on_all=draft.fail_on_all,
    )
