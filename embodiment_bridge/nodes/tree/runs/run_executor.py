# SPDX-License-Identifier: Apache-2.0
"""Lets runs of documents and plans have the body, one after the other, and ticks them."""

import time
from collections.abc import Callable, Iterable, Mapping

from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.parameter import Parameter as RosParameter
from rclpy.timer import Timer

from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.runs.run_scheduler import OnNew, RunScheduler
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.body.skill_info import FALL_S
from embodiment_bridge.core.errors import BridgeError, CommandError, ConfigError
from embodiment_bridge.msg import BodyStatus
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.keep_alive import KeepAlive
from embodiment_bridge.nodes.tree.runs.document_rules import guard_refusal, unknown_guard
from embodiment_bridge.nodes.tree.runs.goal_run import MAX_BREAKPOINTS, GoalRun
from embodiment_bridge.nodes.tree.runs.run_controls import ClientWatch
from embodiment_bridge.nodes.tree.runs.run_files import RunFiles
from embodiment_bridge.nodes.tree.runs.run_ports import RunPorts
from embodiment_bridge.nodes.tree.runs.tree_publisher import TreePublisher
from embodiment_bridge.nodes.tree.values.blackboard_feed import BlackboardFeed
from embodiment_bridge.nodes.tree.values.team_feed import TeamFeed


class Breakpoints:
    """Sets them in all ``runs()`` when the parameter changes.

    Raises:
        ConfigError: there are too many.
    """

    def __init__(self, node: BridgeNode, runs: Callable[[], Iterable[GoalRun]]) -> None:
        self._node = node
        self._runs = runs
        if len(self.names()) > MAX_BREAKPOINTS:
            raise ConfigError(f"parameter breakpoints has more than {MAX_BREAKPOINTS} names")
        node.add_on_set_parameters_callback(self._set)

    def names(self) -> set[str]:
        """Return the breakpoints of the node; goals may have their own beside them."""
        return {name for name in self._node.get_parameter("breakpoints").value if name}

    def destroy(self) -> None:
        """Stop listening."""
        self._node.remove_on_set_parameters_callback(self._set)

    def _set(self, parameters: list[RosParameter]) -> SetParametersResult:
        for parameter in parameters:
            if parameter.name != "breakpoints":
                continue
            names = {name for name in parameter.value or () if name}
            if len(names) > MAX_BREAKPOINTS:
                text = f"{len(names)} breakpoints; there may be {MAX_BREAKPOINTS}"
                return SetParametersResult(successful=False, reason=text)
            for goal_run in self._runs():
                goal_run.run.set_breakpoints({*names, *goal_run.checked.breakpoints})
        return SetParametersResult(successful=True)


WATCH_PERIOD = 0.2  # s of wall time: ticks go on, slower, where simulated time stands still, so a run can end


class RunExecutor:
    """Ticks at the rate of the parameters as long as something runs.

    Args:
        node: has the parameters.
        ports: the runs have ports of these.
        files: the logs of runs; None: there are none.
        viewers: are told what each run does.
        now: the node's time in s.

    Raises:
        ConfigError: a parameter cannot be used.
    """

    def __init__(
        self,
        node: BridgeNode,
        ports: RunPorts,
        files: RunFiles | None,
        viewers: TreePublisher,
        now: Callable[[], float],
    ) -> None:
        values = node.values
        self.scheduler = RunScheduler()
        self.feed = BlackboardFeed(node, ports.rules.sources, values["blackboard_max_age"])
        self._team = TeamFeed(node, now, wanted=values["team_values"])
        self.ports, self.files = ports, files
        self._node, self._viewers, self._now = node, viewers, now
        self._alive = KeepAlive(node, values["dead_man"])
        self.clients = ClientWatch(node, values["dead_man"], self.scheduler, self.tick)
        self._goal_runs: dict[str, GoalRun] = {}
        # the run that ended last, and when, s of the node's time
        self._last: tuple[float, GoalRun] | None = None
        self._standing = False  # as the body told last
        self._status = node.create_subscription(
            BodyStatus, "body_status", self._hear_status, profile("latched")
        )
        self._breakpoints = Breakpoints(node, self._goal_runs.values)
        self._tickers: list[Timer] = []

    def submit(self, goal_run: GoalRun) -> None:
        """Let the run of a goal have the body as soon as it may; see ``RunScheduler.submit``.

        Raises:
            CommandError: it is refused.
            Rejected: nothing can begin now.
        """
        run, run_id, checked = goal_run.run, goal_run.run_id, goal_run.checked
        request = checked.request
        if goal_run.goal.is_cancel_requested:  # while it waited: no run has to make way for it
            run.cancel()
            self._tell(goal_run)
            self._forget(run_id)
            return
        run.set_breakpoints({*self._breakpoints.names(), *checked.breakpoints})
        try:
            self.check()
            refusal = self.scheduler.submit(
                run,
                run_id,
                on_new=request.on_new or OnNew.REPLACE.value,
                priority=request.priority,
                suspendable=checked.suspendable,
            )
            if refusal:
                raise CommandError(refusal)
        except BridgeError:
            if self.files is not None:
                self.files.drop(run_id)
            self._forget(run_id)
            raise
        self._goal_runs[run_id] = goal_run
        self.clients.begin(request.source, run_id)
        self.tick()

    def values(self) -> Mapping[str, Value]:
        """Return the present values of topics for the blackboard; None for one that is not known."""
        return {**self._team.values(), **self.feed.values()}

    def missing(self) -> str:
        """Name what a new run has to wait for: ``body``, ``link`` or ``values`` of a guard; empty: nothing."""
        if not self._node.active:
            return ""
        return self.ports.body.missing or (
            "values" if unknown_guard(self.ports.rules.guards, self.feed.values()) else ""
        )

    def check(self) -> None:
        """See whether a run could begin now.

        Raises:
            Rejected: none could; the text says why.
        """
        if not self._node.active:
            raise Rejected.because("", "INACTIVE", "the behaviour-tree node is inactive; activate it first")
        if not self.ports.body.skills:
            raise Rejected.because("", "NO_BODY", self.ports.body.absence)
        veto = self._veto()
        if veto:
            raise Rejected.because("", *veto.split(": ", 1))

    def _veto(self) -> str:
        guards = self.ports.rules.guards
        return guard_refusal(guards, self.feed.values(), self.feed.troubles) if guards else ""

    def cancel(self, goal: object) -> None:
        """End the run of a goal."""
        self.tick()
        for goal_run in self._goal_runs.values():
            if goal_run.goal == goal:
                self.scheduler.cancel(goal_run.run_id)
        self._start_ticking()

    def stop(self, reason: str) -> None:
        """End all that runs or waits, and the pause."""
        self.tick()
        self.scheduler.stop_all(reason)
        self.scheduler.resume()
        self.tick()

    def tick(self) -> None:
        """Advance all runs to now, and tell their clients and viewers.

        What ends or resumes a run calls this before: in a pause nothing ticks, and a run then takes the time at which
        the pause began for now, from which it counts how long the body may take to follow.
        """
        values = self.values()
        for goal_run in self._goal_runs.values():
            goal_run.feed(values)
            goal_run.note_clock(self._node.stands_still)
        self.ports.audio.serve()
        self._alive.tell(self._goal_runs)
        veto = self._veto()
        if veto:
            if not self.scheduler.needs_tick:
                self.scheduler.tick(self._now())  # changes nothing, but tells paused runs the time
            self.scheduler.stop_all(veto)
        began = time.monotonic()
        ended = self.scheduler.tick(self._now())
        self._viewers.streams.ticked(began, time.monotonic())
        for goal_run in self._goal_runs.values():
            self._tell(goal_run)
        for end in ended:
            self._last = self._now(), self._goal_runs.pop(end.run_id)
        for end in ended:  # the watch on clients may tick
            self.clients.end(end.run_id)
            self._forget(end.run_id)
        if self.scheduler.needs_tick:
            self._start_ticking()
        else:
            self._stop_ticking()
            self._alive.rest(self._goal_runs)
            self._viewers.rest(paused=self.scheduler.paused and self.scheduler.current is None)

    def _hear_status(self, message: BodyStatus) -> None:
        """Tell of a fall with the run, and the node of it, that moves the body or has just moved it."""
        fell = self._standing and message.posture == BodyStatus.FALLEN
        self._standing = message.posture in (BodyStatus.STANDING, BodyStatus.WALKING)
        if not fell:
            return
        text, current = message.reason or "fallen", self.scheduler.current
        if current is not None and current.run.note_fall(text):
            return  # the next tick publishes it
        if self._last is not None and self._now() - self._last[0] <= FALL_S:
            late = self._last[1]
            if late.run.note_fall(text):
                self._viewers.tell_late(late.run_id, late.run)

    def diagnose(self) -> tuple[str, dict[str, object]]:
        """Return the state of the runs, as a line and as values."""
        current, suspended = self.scheduler.current, self.scheduler.suspended
        text = "idle" if current is None else f"running {current.run_id}"
        return f"{text}, paused" if self.scheduler.is_paused else text, {
            "waiting": len(self.scheduler.waiting()),
            "suspended": "" if suspended is None else suspended.run_id,
            **{f"no value of {name}": why for name, why in self.feed.troubles.items()},
        }

    def close(self) -> None:
        """Be silent, and complete the logs of runs."""
        self.ports.audio.player.close()
        self._close_files()

    def destroy(self) -> None:
        """Release what is not on the graph."""
        self._close_files()
        self._stop_ticking()
        self._breakpoints.destroy()
        self.ports.destroy()

    def _tell(self, goal_run: GoalRun) -> None:
        self._viewers.publish(goal_run.run_id, goal_run.run)
        goal_run.tell()

    def _forget(self, run_id: str) -> None:
        self.ports.forget(run_id)
        if self.files is not None:
            self.files.end(run_id)

    def _close_files(self) -> None:
        if self.files is not None:
            self.files.close()

    def _start_ticking(self) -> None:
        if not self._tickers:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._tickers = [
                self._node.create_timer(1.0 / self._node.values["tick_rate"], self.tick),
                self._node.create_timer(WATCH_PERIOD, self.tick, clock=steady),
            ]

    def _stop_ticking(self) -> None:
        for timer in self._tickers:
            self._node.destroy_timer(timer)
        self._tickers = []
