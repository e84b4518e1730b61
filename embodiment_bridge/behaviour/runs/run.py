# SPDX-License-Identifier: Apache-2.0
"""A run: executes one document, from its loading to its outcome."""

import secrets
from collections.abc import Generator, Iterable
from dataclasses import replace

from py_trees.common import Status

from embodiment_bridge.behaviour.engine import loading
from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.clock import RunClock
from embodiment_bridge.behaviour.engine.context import Replaced, RunContext, Settings, StopAsked
from embodiment_bridge.behaviour.engine.debugging import Failures
from embodiment_bridge.behaviour.engine.journal import Journal, Origin, Transition
from embodiment_bridge.behaviour.engine.node import Halt, Node, active_nodes
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.engine.results import NOWHERE, Outcome, RunEnding, RunState
from embodiment_bridge.behaviour.engine.stops import HeldBack, Hold, apply_stops
from embodiment_bridge.behaviour.nodes.tree_builder import build_in_slices
from embodiment_bridge.behaviour.runs.documents import Documents
from embodiment_bridge.bml import Problem
from embodiment_bridge.core.errors import text_of


def ending_of(root: Node) -> RunEnding:
    """Return the ending of a run whose root has ended."""
    if root.left_out:
        return RunEnding(Outcome.SUCCEEDED, root.t_end, f"left out: {root.feedback_message}", root.origin)
    if root.status is Status.SUCCESS:
        return RunEnding(Outcome.SUCCEEDED, root.t_end)
    return RunEnding(Outcome.FAILED, root.t_end, root.feedback_message, root.culprit or root.origin)


__all__ = ["Outcome", "Run", "RunEnding", "RunState"]


class Run:
    """Runs one document. Call ``tick(now)`` whenever ``needs_tick``; everything returns at once.

    The tree is built by the first ticks, a slice in each; the clock of the run stands at 0 until it begins.

    Args:
        source: JSON text, a document that was read before, or one that was checked too (``loading.load``).
        ports: body, player and fetcher.
        rules: what it may ask for, the body's skills above all.
        run_id: part of every id that is given to a port.
        settings: times and limits.
        blackboard: the values that conditions look at; its own, empty one when none is given.
        seed: of all that is drawn at random, so that a run can be done again; drawn itself when None.
        failures: nodes that a rehearsal lets fail.
    """

    def __init__(
        self,
        source: loading.Source,
        ports: Ports,
        rules: loading.Rules,
        *,
        run_id: str = "run",
        settings: Settings | None = None,
        blackboard: Blackboard | None = None,
        seed: int | None = None,
        failures: Failures | None = None,
    ) -> None:
        self.state = RunState.LOADING
        self.ending: RunEnding | None = None
        self.problems: list[Problem] = []
        self.clock = RunClock()
        settings = settings or Settings()
        self.seed = secrets.randbits(32) if seed is None else seed
        journal = Journal()
        self.documents = Documents(rules, ports, self.clock, journal)
        read, take = self.documents.read_fetched, self.documents.take_fetched
        self._context = RunContext(run_id, self.clock, ports, rules.skills, settings, read, take, journal)
        self._context.seed = self.seed
        self._context.failures = failures or None
        self._context.unfreeze = self._unfreeze
        if blackboard is not None:
            self._context.blackboard = blackboard
        self._source = source
        self._growing: Generator[None, None, Node] | None = None
        self.clock.freeze()
        self._root: Node | None = None
        self._ended_root: Node | None = None
        self._halt: Halt | None = None
        self._verdict = RunEnding(Outcome.ERROR, 0.0)
        self._hold = Hold(self._context)
        self._held_back = HeldBack(self._context)
        self._steps = {
            RunState.LOADING: self._load,
            RunState.RUNNING: self._advance,
            RunState.PAUSING: self._wait_for_hold,
            RunState.RESUMING: self._wait_for_release,
            RunState.STOPPING: self._wait_for_rest,
        }

    @property
    def needs_tick(self) -> bool:
        """Whether a tick can change anything; False while paused and after the end."""
        return self.state in self._steps

    def tick(self, now: float) -> RunState:
        """Advance to the outside time ``now`` (s, any origin). No fault of a document or a port is raised.

        Raises:
            ConfigError: ``now`` is not finite.
        """
        self.clock.advance_to(now)
        self._context.begin_tick(now)
        step = self._steps.get(self.state)
        if step is not None:
            try:
                step()
            except Exception as error:  # noqa: BLE001 - a fault in here must still bring the body to rest
                self._break(error)
        return self.state

    def pause(self) -> bool:
        """Freeze clock, body and sound where they are; False when the run is not under way."""
        self._context.gate.stepping = False
        return self._pause()

    def _pause(self) -> bool:
        if self.state in (RunState.RUNNING, RunState.RESUMING):
            self.clock.freeze()
            self._hold.ask(True)
            self.state = RunState.PAUSING
        return self.state in (RunState.PAUSING, RunState.PAUSED)

    def resume(self) -> bool:
        """Go on after a pause; False when there is nothing to go on with."""
        self._context.gate.stepping = False
        return self._resume()

    def step(self) -> bool:
        """Go on from a pause until one node has begun or ended, then pause again; False when not paused.

        What ends at the same instant belongs to the step, what would begin then is the next one. The clock runs
        up to the transition: a step into a delay of an hour takes an hour, unless ``pause`` ends it.
        """
        if self.state not in (RunState.PAUSING, RunState.PAUSED):
            return False
        self._context.gate.begin_step()
        return self._resume()

    def set_breakpoints(self, names: Iterable[str]) -> None:
        """Pause whenever a node with one of these names or JSON pointers is about to begin.

        Those of before are forgotten. A node counts with its loop, its box and its condition as one.

        Raises:
            ConfigError: more than 100, or one is not a text.
        """
        self._context.gate.set_breakpoints(names)

    @property
    def breakpoints(self) -> frozenset[str]:
        """The names and pointers that were set last."""
        return self._context.gate.breakpoints

    def held_back(self) -> list[Origin]:
        """Return the nodes that are about to begin when the run goes on: where it paused by itself."""
        return [node.origin for node in self._held_back.nodes(self._active_nodes())]

    def _resume(self) -> bool:
        if self.state in (RunState.PAUSING, RunState.PAUSED):
            self._hold.ask(False)
            self.state = RunState.RESUMING
        return self.state in (RunState.RESUMING, RunState.RUNNING)

    def cancel(self, reason: str = "canceled") -> None:
        """Bring everything to rest, then end CANCELED; no effect on a run that already comes to its end."""
        self._wind_down(RunEnding(Outcome.CANCELED, self.clock.seconds, reason))

    def preempt(self, reason: str = "another run takes its place") -> None:
        """Cancel the run with the outcome PREEMPTED."""
        self._wind_down(RunEnding(Outcome.PREEMPTED, self.clock.seconds, reason))

    def note_fall(self, text: str) -> bool:
        """Note that the body has fallen during a motion of this run or soon after; False: it was not of this run."""
        return self._context.journal.note_fall(self.clock.seconds, self.active(), text)

    def warn(self, code: str, text: str) -> None:
        """Note what keeps the whole run, once for each code."""
        self._context.journal.warn(self.clock.seconds, NOWHERE, code, text)

    @property
    def slices(self) -> int:
        """The number of ticks that made a slice of a fetched tree and left the rest to the next one."""
        return self._context.slices

    def take_events(self) -> list[Transition]:
        """Return the node transitions since the last call, oldest first."""
        return self._context.journal.take()

    @property
    def warnings(self) -> list[str]:
        """The latest different warnings, one line each."""
        return self._context.journal.warnings

    def active(self) -> list[Origin]:
        """Return the nodes that run, parents first."""
        return [node.origin for node in self._active_nodes()]

    @property
    def root(self) -> Node | None:
        """The tree that runs, for viewers; None before the first tick and after the end."""
        return self._root

    @property
    def blackboard(self) -> Blackboard:
        """The values that its conditions look at."""
        return self._context.blackboard

    @property
    def last_root(self) -> Node | None:
        """The ``root``; after the end the tree as it ended."""
        return self._ended_root if self._root is None else self._root

    def next_time(self) -> float:
        """Return the run time in s of the next thing that is scheduled in the tree; inf when only a port knows."""
        active = self._active_nodes()
        if not active:
            return self.clock.seconds
        # What waits for a halt has nothing scheduled, but for the clean-up that the halt waits for.
        waiting = (node.ending is not None or (node.being_halted and not node.tidying) for node in active)
        times = [node.wake_at() for node, waits in zip(active, waiting, strict=True) if not waits]
        return min(*times, self._context.budget.wake_at(), self._context.settings.time_limit_s)

    def _active_nodes(self) -> list[Node]:
        return [] if self._root is None else active_nodes(self._root)

    def _load(self) -> None:
        """Build one more slice of the tree; begin it when it is complete."""
        try:
            if self._growing is None:
                self._growing = build_in_slices(self.documents.take(self._source), self._context)
            next(self._growing)
            return
        except StopIteration as done:
            root: Node = done.value
        except loading.Rejected as error:
            self.problems = list(error.problems)
            where = Origin(self.problems[0].pointer, "document") if self.problems else NOWHERE
            self._end(RunEnding(Outcome.REJECTED, 0.0, str(error), where))
            return
        self._source, self._growing = "", None
        self.clock.thaw()
        self._root = root
        root.begin(0.0)
        self.state = RunState.RUNNING
        self._advance()

    def _advance(self) -> None:
        """Pass over the tree: first what ends, then, where wanted, what begins (see RunContext)."""
        context = self._context
        for starts_allowed in (False, True):
            context.starts_allowed = starts_allowed
            context.waiting = False
            if self._root is not None:
                for _ in self._root.tick():
                    pass
                self._after_pass(self._root)
            if self.state is RunState.RUNNING and self.clock.due(context.settings.time_limit_s):
                self._stop_by_time()
            if self.state is RunState.RUNNING and (context.gate.step_over or self._held_back.more):
                self._held_back.note(self._active_nodes())
                context.gate.stepping = False
                self._pause()
            if self.state is not RunState.RUNNING or not context.waiting:
                return

    def _after_pass(self, root: Node) -> None:
        stop = apply_stops(self._context, root)
        replaced = self._context.replaced
        if stop is not None:
            self._stop_by(stop)
        elif not root.running:
            self._end(ending_of(root))
        elif replaced is not None:
            self._context.replaced = None
            self._context.waiting = True
            self._replace_tree(replaced)

    def _replace_tree(self, replaced: Replaced) -> None:
        """Go on with a fetched document."""
        text = "the fetched document goes on"
        self._context.journal.note(replaced.t, "replaced", replaced.origin, text)
        self._context.replaced_at = replaced.t
        self._context.sounds.clear()  # no node of the old tree waits for a word any more
        self._root = replaced.tree
        replaced.tree.begin(replaced.t)

    def _stop_by(self, stop: StopAsked) -> None:
        stop.answer("stops the run")
        self._wind_down(RunEnding(Outcome.STOPPED, stop.t, "stopped by a stop node", stop.origin))

    def _stop_by_time(self) -> None:
        limit = self._context.settings.time_limit_s
        text = f"RUN_TIME: the run has lasted {limit:g} s, as long as max_run_time allows"
        self._wind_down(RunEnding(Outcome.ERROR, limit, text))

    def _wind_down(self, verdict: RunEnding) -> None:
        """Halt everything, then end like this."""
        if self.state in (RunState.STOPPING, RunState.ENDED):
            return
        self.state = RunState.STOPPING
        self._verdict = verdict
        self._halt = Halt([] if self._root is None else [self._root], self._context)
        if self._halt.done():
            self._end(verdict)

    def _wait_for_rest(self) -> None:
        if self._halt is None or self._halt.done():
            self._end(replace(self._verdict, t=self._context.settle(self._verdict.t)))

    def _break(self, error: Exception) -> None:
        verdict = RunEnding(Outcome.ERROR, self.clock.seconds, text_of(error))
        try:
            if self.state is not RunState.STOPPING:
                self._wind_down(verdict)
                return
        except Exception as second:  # noqa: BLE001 - then nothing more can be done than to say so
            verdict = replace(verdict, reason=f"{verdict.reason}; then {text_of(second)}")
        self._end(verdict)

    def _end(self, ending: RunEnding) -> None:
        self._hold.release()
        self.ending = ending
        self.state = RunState.ENDED
        self._ended_root, self._root = self._root, None
        self._halt = None

    def _unfreeze(self) -> None:
        self._hold.release()
        self.clock.thaw()

    def _wait_for_hold(self) -> None:
        if self._hold.followed(self._active_nodes()):
            self.state = RunState.PAUSED

    def _wait_for_release(self) -> None:
        if self._hold.followed(self._active_nodes()):
            self.clock.thaw()
            self.state = RunState.RUNNING
            self._held_back.let_go(self._active_nodes())
            self._advance()
