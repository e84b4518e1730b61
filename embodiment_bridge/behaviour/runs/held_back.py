# SPDX-License-Identifier: Apache-2.0
"""The nodes before which a run pauses by itself: at a breakpoint, or at the end of a step."""

from collections.abc import Iterable

from embodiment_bridge.behaviour.engine.context import RunContext
from embodiment_bridge.behaviour.engine.node import Node


class HeldBack:
    """Holds the nodes of one run that begin when it goes on; the context has their ids, oldest first."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._before = 0  # their number when the run went on last

    @property
    def more(self) -> bool:
        """Whether there are more than when the run went on."""
        return len(self._context.held_back) > self._before

    def nodes(self, active: Iterable[Node], begin: int = 0) -> list[Node]:
        """Return those of the nodes that run, from number ``begin`` on."""
        ids = self._context.held_back[begin:]
        waiting = {node.id: node for node in active if node.held_back} if ids else {}
        return [waiting[one] for one in ids if one in waiting]

    def note(self, active: Iterable[Node]) -> None:
        """Write the new breakpoints to the journal."""
        for node in self.nodes(active, self._before):
            if node.at_breakpoint:
                text = "the run pauses before it"
                self._context.journal.note(node.t_start, "breakpoint", node.origin, text)

    def let_go(self, active: Iterable[Node]) -> None:
        """Let begin what was held back: all of it, in a step only the first."""
        context = self._context
        waiting = self.nodes(active)
        context.held_back = [node.id for node in waiting[1:]] if context.gate.stepping else []
        self._before = len(context.held_back)
        for node in waiting[:1] if context.gate.stepping else waiting:
            node.let_go()
