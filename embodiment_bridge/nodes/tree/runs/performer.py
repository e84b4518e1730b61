# SPDX-License-Identifier: Apache-2.0
"""Lets runs of documents and plans have the body, one after the other, and ticks them."""

from collections.abc import Callable, Mapping

from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer

from embodiment_bridge.behaviour.runs.director import Director, OnNew
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.body.keep_alive import KeepAlive
from embodiment_bridge.nodes.tree.runs.breakpoints import Breakpoints
from embodiment_bridge.nodes.tree.runs.client_watch import ClientWatch
from embodiment_bridge.nodes.tree.runs.performance import Performance
from embodiment_bridge.nodes.tree.runs.plan_goal import PlanPerformance
from embodiment_bridge.nodes.tree.runs.run_files import RunFiles
from embodiment_bridge.nodes.tree.runs.run_ports import RunPorts
from embodiment_bridge.nodes.tree.runs.safety import Guards
from embodiment_bridge.nodes.tree.values.blackboard_feed import BlackboardFeed
from embodiment_bridge.nodes.tree.values.team_feed import TeamFeed

WATCH_PERIOD = 0.2  # s of wall time: ticks go on, slower, where simulated time stands still, so a run can end


class Performer:
    """Ticks at the rate of the parameters as long as something runs.

    Args:
        node: has the parameters.
        ports: the runs have ports of these.
        files: the logs of runs; None: there are none.
        now: the node's time in s.

    Raises:
        ConfigError: a parameter cannot be used.
    """

    def __init__(
        self, node: BridgeNode, ports: RunPorts, files: RunFiles | None, now: Callable[[], float]
    ) -> None:
        values = node.values
        self.director = Director()
        self.feed = BlackboardFeed(node, ports.rules.sources, values["blackboard_max_age"])
        self._team = TeamFeed(node, now, wanted=values["team_values"])
        self._node, self._ports, self._files, self._now = node, ports, files, now
        self._guards = Guards(ports.rules.guards, self.feed.values, lambda: self.feed.troubles)
        self._alive = KeepAlive(node, values["dead_man"])
        self.clients = ClientWatch(node, values["dead_man"], self.director, self.tick)
        self._performances: dict[str, Performance | PlanPerformance] = {}
        self._breakpoints = Breakpoints(node, self._performances.values)
        self._tickers: list[Timer] = []

    def submit(
        self,
        performance: Performance | PlanPerformance,
        *,
        on_new: str = "",
        priority: int = 0,
        suspendable: object = False,
        source: str = "",
    ) -> str:
        """Let a run of ``source`` have the body as soon as it may; see ``Director.submit``. Returns why not."""
        run, run_id = performance.run, performance.run_id
        if performance.goal.is_cancel_requested:  # while it waited: no run has to make way for it
            run.cancel()
            performance.tell()
            self._forget(run_id)
            return ""
        run.set_breakpoints({*self._breakpoints.names(), *performance.breakpoints})
        refusal = "" if self._node.active else "the behaviour-tree node was deactivated"
        refusal = refusal or self.veto()
        refusal = refusal or self.director.submit(
            run, run_id, on_new=on_new or OnNew.REPLACE.value, priority=priority, suspendable=suspendable
        )
        if refusal:
            if self._files is not None:
                self._files.drop(run_id)
            self._forget(run_id)
            return refusal
        self._performances[run_id] = performance
        self.clients.begin(source, run_id)
        self.tick()
        return ""

    def values(self) -> Mapping[str, Value]:
        """What topics tell now, for the blackboard; None for what is not known."""
        return {**self._team.values(), **self.feed.values()}

    def veto(self) -> str:
        """Why the guards let nothing run now; empty when they do."""
        return self._guards.refusal()

    def guards_unknown(self) -> bool:
        """Whether a guard has no value now, as at the start of a robot."""
        return self._guards.unknown()

    def cancel(self, goal: object) -> None:
        """End the run of a goal."""
        self.tick()
        for performance in self._performances.values():
            if performance.goal == goal:
                self.director.cancel(performance.run_id)
        self._start_ticking()

    def stop(self, reason: str) -> None:
        """End all that runs or waits."""
        self.tick()
        self.director.stop_all(reason)
        self.tick()

    def tick(self) -> None:
        """Advance all runs to now, and tell their clients and viewers.

        What ends or resumes a run calls this before: in a pause nothing ticks, and a run then takes the time at which
        the pause began for now, from which it counts how long the body may take to follow.
        """
        values = self.values()
        for performance in self._performances.values():
            performance.feed(values)
        self._ports.audio.serve()
        self._alive.tell(self._performances)
        veto = self.veto()
        if veto:
            if not self.director.needs_tick:
                self.director.tick(self._now())  # changes nothing, but tells paused runs the time
            self.director.stop_all(veto)
        ended = self.director.tick(self._now())
        for performance in self._performances.values():
            performance.tell()
        for end in ended:
            del self._performances[end.run_id]
        for end in ended:  # the watch on clients may tick
            self.clients.end(end.run_id)
            self._forget(end.run_id)
        if self.director.needs_tick:
            self._start_ticking()
        else:
            self._stop_ticking()
            self._alive.rest(self._performances)

    def diagnose(self) -> tuple[str, dict[str, object]]:
        """What runs, in a line and as values."""
        current, suspended = self.director.current, self.director.suspended
        text = "idle" if current is None else f"running {current.run_id}"
        return text, {
            "waiting": len(self.director.waiting()),
            "suspended": "" if suspended is None else suspended.run_id,
            **{f"no value of {name}": why for name, why in self.feed.troubles.items()},
        }

    def destroy(self) -> None:
        """Take everything off the graph."""
        self._stop_ticking()
        self._breakpoints.destroy()
        self._alive.destroy()
        self.clients.destroy()
        self._team.destroy()
        self.feed.destroy()

    def _forget(self, run_id: str) -> None:
        self._ports.forget(run_id)
        if self._files is not None:
            self._files.end(run_id)

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
