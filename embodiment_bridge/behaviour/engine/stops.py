# SPDX-License-Identifier: Apache-2.0
"""Stops parts of a running tree after a tick, freezes body and sound of the run, holds nodes back at breakpoints."""

from collections.abc import Iterable
from uuid import UUID

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.clock import TIE_S
from embodiment_bridge.behaviour.engine.context import RunContext, StopAsked
from embodiment_bridge.behaviour.engine.node import Node, active_nodes
from embodiment_bridge.behaviour.engine.ports import MediaPort, SkillPort
from embodiment_bridge.behaviour.engine.results import NOWHERE
from embodiment_bridge.core.errors import text_of


class Hold:
    """Holds the last hold (``on``) or resume sent to the ports, and whether they have followed it."""

    def __init__(self, context: RunContext) -> None:
        self.on = False
        self._context = context
        self._deadline = 0.0

    def ask(self, on: bool) -> None:
        """Ask body and player."""
        self.on = on
        self._deadline = self._context.outside + self._context.settings.hold_limit_s
        self._ask(self._context.ports.skills, on or self._context.body_paused)
        self._ask(self._context.ports.media, on)

    def release(self) -> None:
        """Let them go on, if they were asked to hold, by the run or by the action PAUSE of the document."""
        if self.on or self._context.body_paused:
            self._context.body_paused = False
            self.ask(False)

    def followed(self, nodes: Iterable[Node]) -> bool:
        """Return whether all these nodes have done so, or their time is over.

        Those that have not are named in a warning.
        """
        slow = [node.origin.pointer for node in nodes if not node.hold_settled(self.on)]
        if slow and self._context.outside < self._deadline:
            return False
        if slow:
            what = f"{'hold' if self.on else 'go on'} within {self._context.settings.hold_limit_s:g} s"
            self._warn("HOLD_FORCED", f"did not {what}: {', '.join(slow)}")
        return True

    def _ask(self, port: SkillPort | MediaPort, on: bool) -> None:
        try:
            port.hold(on)
        except Exception as error:  # noqa: BLE001 - the other port must still be asked
            self._warn("HOLD_FAILED", text_of(error))

    def _warn(self, code: str, message: str) -> None:
        self._context.journal.warn(self._context.clock.seconds, NOWHERE, code, message)


def apply_stops(context: RunContext, root: Node) -> StopAsked | None:
    """End the targets of stop nodes; return the first one that ends the whole run, if any."""
    stops, context.stops = context.stops, []
    for stop in stops:
        if stop.is_late():
            continue
        if not stop.target:
            return stop
        stop.answer(_end_target(context, root, stop))
        context.waiting = True
    return None


def is_over_above(node: Node, t: float) -> bool:
    """Return whether a node above ``node`` was over, by scheduled time, before run time ``t`` (s).

    A tick that comes late ends the one and reaches the other; without this its lateness would change the outcome.
    """
    above: Behaviour | None = node.parent
    while isinstance(above, Node):
        over = above.ending.t if above.ending is not None else above.t_end
        if over < t - TIE_S:  # never true for nan: not over
            return True
        above = above.parent
    return False


def _end_target(context: RunContext, root: Node, stop: StopAsked) -> str:
    """End every running node of that name with success; those inside of one of them end along with it."""
    ended: set[UUID] = set()
    for node in active_nodes(root):
        if node.origin.name == stop.target and node.ending is None and not _is_inside(node, ended):
            node.end_early(Status.SUCCESS, stop.t, "ended by a stop node")
            ended.add(node.id)
    if ended:
        return ""
    text = f"no node named {stop.target!r} is running"
    context.journal.warn(stop.t, stop.origin, "NO_TARGET", text)
    return text


def _is_inside(node: Node, outer: set[UUID]) -> bool:
    above: Behaviour | None = node
    while above is not None:
        if above.id in outer:
            return True
        above = above.parent
    return False


class HeldBack:
    """The nodes of one run that begin when it goes on; the context has their ids, oldest first."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._before = 0  # how many of them were there when the run went on last

    @property
    def more(self) -> bool:
        """Whether there are more than when the run went on."""
        return len(self._context.held_back) > self._before

    def nodes(self, active: Iterable[Node], begin: int = 0) -> list[Node]:
        """Those of the nodes that run, from number ``begin`` on."""
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
