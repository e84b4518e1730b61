# SPDX-License-Identifier: Apache-2.0
"""The base class of leaves, and those that need no port: delay, wait_until, set, log and stop."""

import json
import math
from collections.abc import Iterator
from functools import partial

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from embodiment_bridge.behaviour.engine.clock import TIE_S, Turn
from embodiment_bridge.behaviour.engine.context import StopAsked
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.stops import is_over_above
from embodiment_bridge.behaviour.nodes.tree_builder import makes, seconds_of
from embodiment_bridge.bml.base.conditions import Condition, Value, describe, holds
from embodiment_bridge.bml.nodes import leaves as bml
from embodiment_bridge.core.errors import text_of


class Leaf(Node):
    """Represents a node without children, which acts itself.

    Subclasses write ``start`` (once) and ``poll`` (in every tick from then on), and, when they use a port,
    the four methods that follow. An exception in any of them is a FAILURE of this leaf and goes no further.
    """

    uses_port = True
    started = False
    _asked_to_end = False
    _turn: Turn | None = None

    def start(self) -> None:
        """Begin what the leaf does."""

    def poll(self) -> None:
        """Check the progress; call ``finish`` when it is over."""

    def cancel(self) -> None:
        """Ask the port to end it."""

    def port_released(self) -> bool:
        """Return whether the port has ended it."""
        return True

    def port_held(self) -> bool | None:
        """Return whether the port has it frozen; None when there is nothing to freeze."""
        return None

    def begin(self, t: float) -> None:
        """Start an execution at run time ``t``; the leaf itself starts with the tick that lets it."""
        self.started = self._asked_to_end = False
        self._turn = None
        super().begin(t)

    def announce(self) -> None:
        """Do nothing: a leaf is journaled when it starts."""

    def announce_failing(self) -> None:
        """Journal a leaf that fails before it starts."""
        super().announce()

    def work(self) -> Iterator[Behaviour]:
        """Start or poll."""
        try:
            if not self.started:
                if not self.may_start() or self.context.gate.step_over or not self._has_leave():
                    self.context.waiting = True
                    return
                self.started = True
                super().announce()
                self.start()
            if self.running:
                self.poll()
        except Exception as error:  # noqa: BLE001 - what a leaf or its port does wrong is that leaf's failure
            self._break(error)
        yield from ()

    def may_start(self) -> bool:
        """Return whether this pass of the tick lets it."""
        return self.context.starts_allowed or not self.uses_port

    def _has_leave(self) -> bool:
        """Return whether the start budget of the run lets it begin now."""
        budget = self.context.budget
        if not self.uses_port:
            return True
        self._turn = self._turn or Turn()
        if budget.take(self._turn):
            return True
        text = f"waits for its turn: {budget.rate:g} leaves may begin in a second (max_starts)"
        self.context.journal.warn(self.context.clock.seconds, self.origin, "START_LIMIT", text)
        return False

    def _break(self, error: Exception) -> None:
        if self.running:
            self.finish(Status.FAILURE, self.context.clock.seconds, text_of(error))
        self.ask_to_end()  # it may have begun something

    def ask_to_end(self) -> None:
        """Cancel once."""
        if self._turn is not None:
            self._turn.wanted = False
        if self.started and not self._asked_to_end:
            self._asked_to_end = True
            try:
                self.cancel()
            except Exception as error:  # noqa: BLE001 - others must still be canceled
                self._warn_of(error)

    def released(self) -> bool:
        """Return whether nothing of it goes on."""
        if not self.started:
            return True
        try:
            return self.port_released()
        except Exception as error:  # noqa: BLE001 - nothing more will be heard of it
            self._warn_of(error)
            return True

    def hold_settled(self, on: bool) -> bool:
        """Return whether what it does is frozen (``on``) or goes on."""
        if not self.started:
            return True
        try:
            return self.port_held() in (None, on)
        except Exception as error:  # noqa: BLE001 - the next tick will fail the leaf
            self._warn_of(error)
            return True

    def drop(self, t: float) -> None:
        """Clean up after a halt from above; a leaf that never started leaves no trace in the journal."""
        if self.started:
            super().drop(t)
        else:
            self.ending = None
            self.status = Status.INVALID

    def _warn_of(self, error: Exception) -> None:
        self.context.journal.warn(self.context.clock.seconds, self.origin, "PORT_ERROR", text_of(error))


class Delay(Leaf):
    """Waits ``duration_s`` seconds, then succeeds or fails."""

    uses_port = False

    def __init__(self, name: str, duration_s: float, succeed: bool = True) -> None:
        super().__init__(name)
        self.duration_s = duration_s
        self.result = Status.SUCCESS if succeed else Status.FAILURE

    def poll(self) -> None:
        """End when the time is up."""
        if self.context.clock.due(self.wake_at()):
            failed = self.result is Status.FAILURE
            message = f"fails after {self.duration_s:g} s, as written" if failed else ""
            self.finish(self.result, self.wake_at(), message)

    def wake_at(self) -> float:
        """Return when the delay ends."""
        return self.t_start + self.duration_s


@makes("delay")
def make_delay(node: bml.Delay, children: list[Node], nesting: int) -> Node:
    return Delay(node.name, seconds_of(node, node.duration_s), node.succeed)


class WaitUntil(Leaf):
    """Looks at the blackboard in every tick; a condition that is met after the time is up comes too late."""

    uses_port = False

    def __init__(self, name: str, until: Condition, timeout_s: float, succeed: bool) -> None:
        super().__init__(name)
        self.until = until
        self.timeout_s = timeout_s
        self.late = Status.SUCCESS if succeed else Status.FAILURE

    def poll(self) -> None:
        """End with the condition or with the time."""
        now, due = max(self.context.clock.seconds, self.t_start), self.wake_at()
        if now <= due + TIE_S and holds(self.until, self.context.blackboard.read):
            self.finish(Status.SUCCESS, now)
        elif self.context.clock.due(due):
            message = f"TIMEOUT: not met after {self.timeout_s:g} s: {describe(self.until)}"
            self.finish(self.late, due, message)

    def wake_at(self) -> float:
        """Return when the time-out comes."""
        return self.t_start + self.timeout_s


@makes("wait_until")
def make_wait_until(node: bml.WaitUntil, children: list[Node], nesting: int) -> Node:
    timeout_s = math.inf if node.timeout_s is None else node.timeout_s
    return WaitUntil(node.name, node.until, timeout_s, node.succeed)


class Set(Leaf):
    """Writes a value on the blackboard."""

    uses_port = False

    def __init__(self, name: str, key: str, value: Value) -> None:
        super().__init__(name)
        self.key = key
        self.value = value

    def start(self) -> None:
        """Write; a full blackboard is a failure."""
        self.context.blackboard.write(self.key, self.value)
        self.finish(Status.SUCCESS, self.t_start)


@makes("set")
def make_set(node: bml.Set, children: list[Node], nesting: int) -> Node:
    return Set(node.name, node.key, node.value)


class Log(Leaf):
    """Ends at once; its line is the message of that event in journals, logs of runs and topics."""

    uses_port = False

    def __init__(self, name: str, text: str, succeed: bool) -> None:
        super().__init__(name)
        self.text = text
        self.result = Status.SUCCESS if succeed else Status.FAILURE

    def start(self) -> None:
        """Look at the blackboard."""
        self.finish(self.result, self.t_start, bml.filled(self.text, self._shown))

    def _shown(self, key: str) -> str:
        """Return a value for people: a text as it is, the others as in JSON."""
        value = self.context.blackboard.read(key)
        return value if isinstance(value, str) else json.dumps(value)


@makes("log")
def make_log(node: bml.Log, children: list[Node], nesting: int) -> Node:
    return Log(node.name, node.text, node.succeed)


class Stop(Leaf):
    """Ends the whole run, or every running node named ``target`` with success.

    The run does it between two passes over the tree, when no node is in the middle of its work.
    """

    uses_port = False

    def __init__(self, name: str, target: str = "") -> None:
        super().__init__(name)
        self.target = target

    def start(self) -> None:
        """Ask the run."""
        self._answer: str | None = None
        late = partial(is_over_above, self, self.t_start)
        self.context.stops.append(StopAsked(self.target, self.t_start, self.origin, late, self._take_answer))

    def _take_answer(self, text: str) -> None:
        self._answer = text
        if not self.target and self.running:  # the run is brought to rest: there is no other tick
            self.poll()

    def poll(self) -> None:
        """End when the run has done it."""
        if self._answer is not None:
            self.finish(Status.SUCCESS, self.t_start, self._answer)


@makes("stop")
def make_stop(node: bml.Stop, children: list[Node], nesting: int) -> Node:
    return Stop(node.name, node.target)
