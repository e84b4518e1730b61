# SPDX-License-Identifier: Apache-2.0
"""Nodes whose children are not built yet, and how a canonical node comes from one."""

from dataclasses import dataclass, field
from typing import NamedTuple, Union

from embodiment_bridge.bml.document import Body, Box, Composite, Delay, Loop, Node
from embodiment_bridge.bml.fields import Raw


class Common(NamedTuple):
    """The keys of every node: ``times`` executed (``loop`` or ``repeat``), ``duration_s`` of one."""

    name: str
    times: int
    duration_s: float | None


@dataclass(slots=True)
class Draft:
    """A composite or loop; ``implied_sequence`` is a loop that was given several children."""

    kind: str
    pointer: str
    common: Common
    succeed_on_one: bool
    fail_on_all: bool
    extra: Raw
    implied_sequence: bool = False
    children: list[Union["Draft", Node]] = field(default_factory=list)
    node: Node | None = None


def build(draft: Draft) -> None:
    """Make ``draft.node`` from the children, which have been built before."""
    children = tuple(child.node if isinstance(child, Draft) else child for child in draft.children)
    whole = tuple(child for child in children if child is not None)
    draft.node = _loop(draft, whole) if draft.kind == "loop" else _composite(draft, whole)


def wrapped(node: Node, common: Common) -> Node:
    """The node with its time box and its loop round it: loop(box(node))."""
    if common.duration_s and not isinstance(node, (Body, Delay)):  # those carry it themselves
        node = Box(pointer=node.pointer, name=node.name, duration_s=common.duration_s, child=node)
    if common.times != 1:
        node = Loop(pointer=node.pointer, name=node.name, count=common.times, child=node)
    return node


def _composite(draft: Draft, children: tuple[Node, ...]) -> Node:
    node = Composite(
        pointer=draft.pointer,
        name=draft.common.name,
        extra=draft.extra,
        kind=draft.kind,
        children=children,
        succeed_on_one=draft.succeed_on_one,
        fail_on_all=draft.fail_on_all,
    )
    return wrapped(node, draft.common)


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
