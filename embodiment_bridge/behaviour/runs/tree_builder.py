# SPDX-License-Identifier: Apache-2.0
"""From a document to the tree that runs it."""

import math
from collections.abc import Callable, Generator
from dataclasses import replace
from typing import Any

from embodiment_bridge.behaviour.engine.context import RunContext
from embodiment_bridge.behaviour.engine.journal import Origin
from embodiment_bridge.behaviour.engine.loading import Loaded, Rejected
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.policy import Policy
from embodiment_bridge.behaviour.engine.ports import SoundRequest
from embodiment_bridge.behaviour.nodes import cleanup, composites, guards, leaves, loops, selectors, starts
from embodiment_bridge.behaviour.nodes.body_leaf import BodyAction
from embodiment_bridge.behaviour.nodes.media_leaves import PlayerCommand, Sound
from embodiment_bridge.behaviour.nodes.request_leaf import Request
from embodiment_bridge.bml import document as bml
from embodiment_bridge.bml.authoring.describe import kind_of, label_of
from embodiment_bridge.bml.walk import children_of
from embodiment_bridge.core.errors import ConfigError, unknown

__all__ = ["build", "kind_of", "label_of"]

MAX_NODES = 30_000  # of one tree: three times what reading lets pass, as a node may get a loop and a box
SLICE = 500  # nodes that are made in one go, which takes some 4 ms; listing them takes a tenth of that
COMPOSITES = {
    "sequence": composites.Sequence,
    "selector": composites.Selector,
    "parallel": composites.Parallel,
}
PLAYER_COMMANDS = ("pause", "resume", "stop", "setVolume")


def build(loaded: Loaded, context: RunContext, above: int = 0, nesting: int = 0) -> Node:
    """Make the whole tree of a document now; see ``build_in_slices``."""
    slices = build_in_slices(loaded, context, above, nesting)
    while True:
        try:
            next(slices)
        except StopIteration as done:
            root: Node = done.value
            return root


def build_in_slices(
    loaded: Loaded, context: RunContext, above: int = 0, nesting: int = 0
) -> Generator[None, None, Node]:
    """Make the tree of a document; it is not begun yet. Stops after each ``SLICE`` nodes, to let others have a turn.

    Args:
        loaded: the document. A node that is used in two places becomes two nodes.
        context: of the run that the tree belongs to.
        above: levels of the run's tree above this one.
        nesting: documents that this one is fetched inside of.

    Raises:
        Rejected: too deep, too many nodes, or a value that the reader would not have let pass.
    """
    entries = yield from _flatten(loaded.document.root, context.settings.max_depth - above)
    children: list[list[Node]] = [[] for _ in entries]
    root: Node | None = None
    for index in range(len(entries) - 1, -1, -1):  # the last first: children are made before their parents
        node, parent, _ = entries[index]
        root = _make(node, children[index][::-1], nesting)
        origin = Origin(node.pointer, kind_of(node), node.name, label_of(node), loaded.number)
        root.place(context, origin)
        root.name = node.name or origin.label or origin.kind  # for viewers
        children[index] = []
        if parent >= 0:
            children[parent].append(root)
        if index and index % SLICE == 0:
            yield
    if root is None:
        raise ConfigError("a document has a root")
    return root


def _flatten(root: bml.Node, max_depth: int) -> Generator[None, None, list[tuple[bml.Node, int, int]]]:
    """All nodes, parents before children, each with the place of its parent (-1: none) and its level."""
    entries: list[tuple[bml.Node, int, int]] = []
    todo: list[tuple[bml.Node, int, int]] = [(root, -1, 1)]
    while todo:
        node, parent, level = todo.pop()
        node = _boxed(node)
        if level > max_depth:
            raise Rejected.because(node.pointer, "TOO_DEEP", f"no level is left of {max_depth} for this tree")
        if len(entries) == MAX_NODES:
            raise Rejected.because(node.pointer, "TOO_MANY_NODES", f"a tree has at most {MAX_NODES} nodes")
        entries.append((node, parent, level))
        todo.extend((child, len(entries) - 1, level + 1) for child in reversed(children_of(node)))
        if len(entries) % (10 * SLICE) == 0:
            yield
    return entries


def _boxed(node: bml.Node) -> bml.Node:
    """A player node that was given a duration of its own, in a box of that length."""
    if not isinstance(node, bml.Player) or node.duration_s == 0:
        return node
    bare = replace(node, duration_s=0.0)
    return bml.Box(pointer=node.pointer, name=node.name, duration_s=node.duration_s, child=bare)


def _make(node: bml.Node, children: list[Node], nesting: int) -> Node:
    if isinstance(node, bml.Request):
        return Request(node.name, node.url, nesting, build)
    return _MAKERS[type(node)](node, children)


def _composite(node: bml.Composite, children: list[Node]) -> Node:
    made = COMPOSITES.get(node.kind)
    if made is None:
        text = unknown("kind of composite", node.kind, COMPOSITES)
        raise Rejected.because(node.pointer, "UNKNOWN_TYPE", text)
    policy = Policy(node.succeed_on_one, node.fail_on_all)
    if node.kind == "selector" and node.random:
        return selectors.RandomSelector(node.name, children, policy, node.weights)
    if node.kind == "selector" and node.reactive:
        return selectors.ReactiveSelector(node.name, children, policy)
    return made(node.name, children, policy)


def _loop(node: bml.Loop, children: list[Node]) -> Node:
    if node.count != bml.FOREVER and node.count < 1:
        text = f"a loop has a count of 1 or more, or {bml.FOREVER} for ever, not {node.count}"
        raise Rejected.because(node.pointer, "OUT_OF_RANGE", text)
    return loops.Loop(node.name, children[0], node.count, Policy(node.succeed_on_one, node.fail_on_all))


def _seconds(node: bml.Box | bml.Delay | bml.Body) -> float:
    if not (math.isfinite(node.duration_s) and node.duration_s >= 0):
        text = f"a duration is a finite number of seconds, 0 or more, not {node.duration_s!r}"
        raise Rejected.because(node.pointer, "OUT_OF_RANGE", text)
    return node.duration_s


def _box(node: bml.Box, children: list[Node]) -> Node:
    return loops.Box(node.name, children[0], _seconds(node))


def _guard(node: bml.Guard, children: list[Node]) -> Node:
    return guards.Guard(node.name, children[0], node.condition)


def _start(node: bml.Start, children: list[Node]) -> Node:
    return starts.Start(node.name, children[0], node.at, node.mark, node.offset_s)


def _timeout(node: bml.Timeout, children: list[Node]) -> Node:
    if not (math.isfinite(node.timeout_s) and node.timeout_s > 0):
        text = f"a time-out is a finite number of seconds over 0, not {node.timeout_s!r}"
        raise Rejected.because(node.pointer, "OUT_OF_RANGE", text)
    return guards.Timeout(node.name, children[0], node.timeout_s)


def _finally(node: bml.Finally, children: list[Node]) -> Node:
    return cleanup.Finally(node.name, children[0], children[1])


def _subtree(node: bml.Subtree, children: list[Node]) -> Node:
    return guards.Subtree(node.name, children[0])


def _set(node: bml.Set, children: list[Node]) -> Node:
    return leaves.Set(node.name, node.key, node.value)


def _delay(node: bml.Delay, children: list[Node]) -> Node:
    return leaves.Delay(node.name, _seconds(node), node.succeed)


def _body(node: bml.Body, children: list[Node]) -> Node:
    parameters = {} if node.intensity == 1.0 else {"intensity": node.intensity}
    return BodyAction(node.name, node.action.lower(), _seconds(node), parameters)


def _player(node: bml.Player, children: list[Node]) -> Node:
    if node.action == "play":
        wanted = SoundRequest(
            "",
            url=node.url,
            content=node.content,
            volume=node.volume,
            channel=node.channel,
            marks_url=node.marks_url,
            fade=node.fade_s,
        )
        return Sound(node.name, wanted)
    if node.action not in PLAYER_COMMANDS:
        text = unknown("player action", node.action, ("play", *PLAYER_COMMANDS))
        raise Rejected.because(node.pointer, "UNKNOWN_ACTION", text)
    return PlayerCommand(node.name, node.action, node.volume, node.channel)


def _speak(node: bml.Speak, children: list[Node]) -> Node:
    wanted = SoundRequest(
        "",
        content=node.content,
        voice=node.voice,
        language=node.language,
        rate=node.rate,
        volume=node.volume,
        channel=node.channel,
    )
    return Sound(node.name, wanted)


def _stop(node: bml.Stop, children: list[Node]) -> Node:
    return leaves.Stop(node.name, node.target)


_MAKERS: dict[type, Callable[[Any, list[Node]], Node]] = {
    bml.Composite: _composite,
    bml.Loop: _loop,
    bml.Box: _box,
    bml.Delay: _delay,
    bml.Body: _body,
    bml.Player: _player,
    bml.Speak: _speak,
    bml.Stop: _stop,
    bml.Guard: _guard,
    bml.Start: _start,
    bml.Timeout: _timeout,
    bml.Finally: _finally,
    bml.Subtree: _subtree,
    bml.Set: _set,
}
