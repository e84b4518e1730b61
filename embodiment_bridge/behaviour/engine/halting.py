# SPDX-License-Identifier: Apache-2.0
"""Bringing running nodes to rest, which takes as long as the body needs."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from embodiment_bridge.behaviour.engine.context import RunContext
    from embodiment_bridge.behaviour.engine.node import Node


def active_nodes(root: "Node") -> list["Node"]:
    """The running nodes from ``root`` down, parents first, children in order; skips idle branches."""
    found: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        if node.running:
            found.append(node)
            todo.extend(reversed(node.active_children()))
    return found


def _to_halt(root: "Node") -> list["Node"]:
    """The running nodes that a halt of ``root`` is about."""
    found: list[Node] = []
    todo = [root]
    while todo:
        node = todo.pop()
        if node.running:
            found.append(node)
            todo.extend(reversed(node.haltable_children()))
    return found


class Halt:
    """Asks everything that runs under ``victims`` to end, last one first, and knows when all has ended.

    A halted node is not ticked again unless its parent begins it anew. ``keep`` is a victim that will say
    itself how it ended.
    """

    def __init__(self, victims: Iterable["Node"], context: "RunContext", keep: "Node | None" = None) -> None:
        self._context = context
        context.halts += 1
        self._keep = keep
        self._nodes = [node for victim in reversed(list(victims)) for node in reversed(_to_halt(victim))]
        self._waiting = self._nodes
        self._deadline = context.outside + context.settings.halt_limit_s
        for node in self._nodes:
            node.being_halted = node is not keep
            node.ask_to_end()

    def done(self) -> bool:
        """Whether all have acknowledged; past the deadline the others are given up, with a warning each."""
        self._waiting = [node for node in self._waiting if not node.released()]
        late = self._context.outside >= self._deadline
        if self._waiting and (not late or any(node.tidying for node in self._waiting)):
            return False
        limit = self._context.settings.halt_limit_s
        now = self._context.clock.seconds
        for node in self._waiting:
            self._context.journal.warn(
                now, node.origin, "HALT_FORCED", f"did not acknowledge its halt within {limit:g} s"
            )
        for node in self._nodes:
            if node is not self._keep and node.running:
                node.drop(now)
        self._waiting = self._nodes = []
        return True
