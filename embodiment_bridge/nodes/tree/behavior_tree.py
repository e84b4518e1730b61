# SPDX-License-Identifier: Apache-2.0
"""The node that runs BML documents on the body of its namespace: the `execute_bml` action."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.action.server import ServerGoalHandle
from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.run_log.run_log import LoggedRun
from embodiment_bridge.behaviour.runs.director import Director, OnNew
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml.rules.capabilities import allowed_to, parse_table
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.fetching import Fetcher
from embodiment_bridge.fetching.acceptance import Acceptance
from embodiment_bridge.fetching.requests import Requests
from embodiment_bridge.msg import SkillList
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.deferred_action import DeferredActionServer
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.keep_alive import KeepAlive
from embodiment_bridge.nodes.body.skill_server import skill_infos
from embodiment_bridge.nodes.sound.audio import Audio
from embodiment_bridge.nodes.sound.fetch_parameters import fetch_rules, signature_key
from embodiment_bridge.nodes.sound.media_parameters import Surroundings, with_media_roots
from embodiment_bridge.nodes.sound.run_media import RunMedia
from embodiment_bridge.nodes.tree.blackboard_feed import BlackboardFeed, parse_sources
from embodiment_bridge.nodes.tree.bml_goal import Wish, goal_rules, try_to_read
from embodiment_bridge.nodes.tree.breakpoints import Breakpoints
from embodiment_bridge.nodes.tree.early_goals import EarlyGoals
from embodiment_bridge.nodes.tree.goal_gate import GoalGate
from embodiment_bridge.nodes.tree.performance import Performance, rejection
from embodiment_bridge.nodes.tree.plan_goal import PlanPerformance
from embodiment_bridge.nodes.tree.plan_server import PlanServer
from embodiment_bridge.nodes.tree.ros_leaves import RosSkills
from embodiment_bridge.nodes.tree.run_controls import RunControls
from embodiment_bridge.nodes.tree.run_files import RunFiles
from embodiment_bridge.nodes.tree.safety import Guards, parse_guards
from embodiment_bridge.nodes.tree.start_requests import StartRequests
from embodiment_bridge.nodes.tree.tree_parameters import PARAMETERS
from embodiment_bridge.nodes.tree.tree_publisher import TreePublisher

NANOSECONDS = 1e9
WATCH_PERIOD = 0.2  # s of wall time: ticks go on, slower, where simulated time stands still, so a run can end


class BehaviorTree(BridgeNode):
    """Runs one document at a time; what a new goal does about the one that runs, the goal says."""

    def __init__(self, share: Callable[[], Path], surroundings: Surroundings, **node_kwargs: Any) -> None:
        super().__init__("behavior_tree", PARAMETERS, **node_kwargs)
        self._share = share
        self._surroundings = surroundings
        self._audio: Audio | None = None
        self._skills: dict[str, SkillInfo] = {}
        self._body_name = ""
        self._director = Director()
        self._files: RunFiles | None = None
        self._performances: dict[str, Performance | PlanPerformance] = {}
        self._tickers: list[Timer] = []

    def configure(self) -> None:
        """Make clients and servers."""
        values = self.values
        sources = parse_sources(values["blackboard"])
        guards = parse_guards(values["guards"], [source.name for source in sources])
        self._channels = parse_table(values["source_channels"])
        self._breakpoints = Breakpoints(self, self._performances.values)
        self._settings = Settings(
            missing_channel=values["missing_channel"],
            prefetch_s=values["prefetch"],
            max_chain=values["max_chain"],
            max_run_s=values["max_run_time"],
            max_starts=values["max_starts"],
        )
        self._files = (
            RunFiles(values["log_dir"], values["log_keep"], self.get_logger().warning)
            if values["log_dir"]
            else None
        )
        self._feed = BlackboardFeed(self, sources, values["blackboard_max_age"])
        self._vetoes = Guards(guards, self._feed.values, lambda: self._feed.troubles)
        self._body = RosSkills(self, values["dead_man"])
        self._alive = KeepAlive(self, values["dead_man"])
        rules = fetch_rules(values)
        self._policy = with_media_roots(rules.policy, values)
        fetcher = Fetcher(rules)
        accepting = Acceptance(fetcher, key=signature_key(values), max_age=values["max_age"])
        self._requests = Requests(
            accepting.fetch_bytes, total_s=values["fetch_timeout"], max_bytes=values["fetch_max_bytes"]
        )
        self._surroundings = replace(self._surroundings, fetch=fetcher.fetch_to)
        self._audio = Audio(self, values, self._policy, self._surroundings, self._now)
        self._list = self.create_subscription(SkillList, "skills", self._take_skills, profile("latched"))
        self._viewers = TreePublisher(self)
        self._gate = GoalGate(self, values["goal_rate"], values["goal_queue"])
        self._early = EarlyGoals(self, lambda: self.active and not self._skills, self.cancel_goal)
        begin = self._early.guard(self._begin)
        self._action = DeferredActionServer(self, ExecuteBml, "execute_bml", begin, self.cancel_goal)
        self._starts = StartRequests(self, self._enter, self._can_begin)
        self._plans = PlanServer(self, self, self._viewers, self._settings, self._share, self._early)
        self._controls = RunControls(self, self._director, self._tick)

    def activate(self) -> None:
        """Begin what the parameters name."""
        self._starts.arm()

    def deactivate(self) -> None:
        """End what runs and what waits."""
        self._starts.disarm()
        self._early.release()
        self._gate.release()
        self._director.stop_all("the behaviour-tree node was deactivated")
        self._tick()

    def close(self) -> None:
        """See ``BridgeNode``; logs end with what is known by then."""
        super().close()
        if self._audio is not None:
            self._audio.player.close()
        if self._files is not None:
            self._files.close()

    def cleanup(self) -> None:
        """Take clients and servers off the graph."""
        self._breakpoints.destroy()
        self._gate.close()
        if self._files is not None:
            self._files.close()
        for part in (
            self._body,
            self._alive,
            self._viewers,
            self._action,
            self._plans,
            self._feed,
            self._starts,
        ):
            part.destroy()
        self._requests.close()
        if self._audio is not None:
            self._audio.destroy()
            self._audio = None
        self.destroy_subscription(self._list)
        self._controls.destroy()

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """What runs."""
        if not self.active:
            return super().diagnose()
        current = self._director.current
        text = "idle" if current is None else f"running {current.run_id}"
        suspended = self._director.suspended
        values = {
            "skills": len(self._skills),
            "waiting": len(self._director.waiting()),
            "goals waiting": self._gate.waiting,
            "goals refused": self._gate.refused,
            "suspended": "" if suspended is None else suspended.run_id,
            **{f"no value of {name}": why for name, why in self._feed.troubles.items()},
        }
        return DiagnosticStatus.OK, text, values

    def _take_skills(self, message: SkillList) -> None:
        self._body_name = message.body
        self._skills = skill_infos(message)
        self._early.release()

    def _can_begin(self) -> bool:
        return self.active and bool(self._skills) and not self._vetoes.refusal()

    def _begin(self, goal: ServerGoalHandle) -> None:
        run_id = uuid.UUID(bytes=bytes(goal.goal_id.uuid)).hex[:8]
        self._enter(goal, goal.request, run_id, self._action.finish)

    def _enter(self, goal: Any, request: ExecuteBml.Goal, run_id: str, finish: Callable[..., None]) -> None:
        self.plan_gate(
            partial(self._perform, goal, request, run_id, finish),
            lambda text: finish(goal, succeeded=False, result=rejection([], text)),
        )

    def plan_gate(self, begin: Callable[[], None], refuse: Callable[[str], None]) -> None:
        """See ``plan_server.PlanHost``."""
        self._gate.enter(begin, refuse)

    def _perform(self, goal: Any, request: ExecuteBml.Goal, run_id: str, finish: Callable[..., None]) -> None:
        def take(wish: Wish | Rejected) -> None:
            if isinstance(wish, Wish):
                self._submit(goal, request, run_id, finish, wish)
            else:
                finish(goal, succeeded=False, result=rejection(list(wish.problems), str(wish)))

        try:
            self._check_now()
        except Rejected as error:
            take(error)
            return
        rules = goal_rules(request, self._skills, self._policy, self._channels)
        speaks = self._audio is not None and self._audio.player.speaks
        size = len(request.document) + sum(len(item.value) for item in request.subtrees)
        work = partial(try_to_read, request, rules, self._feed.values(), speaks, self.values["max_age"])
        self._gate.read(work, take, size=size)

    def _submit(
        self, goal: Any, request: ExecuteBml.Goal, run_id: str, finish: Callable[..., None], wish: Wish
    ) -> None:
        run, board = self._make_run(run_id, request.source, wish)
        refusal = "" if self.active else "the behaviour-tree node was deactivated"
        refusal = refusal or self._director.submit(
            run,
            run_id,
            on_new=request.on_new or OnNew.REPLACE.value,
            priority=request.priority,
            suspendable=wish.suspendable,
        )
        if refusal:
            self._forget(run_id)
            finish(goal, succeeded=False, result=rejection([], refusal))
            return
        self._performances[run_id] = Performance(goal, run, run_id, finish, self._viewers, wish, board)
        if goal.is_cancel_requested:  # while it waited
            self._director.cancel(run_id)
        self._tick()

    def _check_now(self) -> None:
        """See whether any goal can be run now.

        Raises:
            Rejected: none can.
        """
        if not self.active:
            raise Rejected.because("", "INACTIVE", "the behaviour-tree node is inactive; activate it first")
        if not self._skills:
            text = "no body has published its skills in this namespace; start one first"
            raise Rejected.because("", "NO_BODY", text)
        refusal = self._vetoes.refusal()
        if refusal:
            raise Rejected.because("", *refusal.split(": ", 1))

    def _make_run(self, run_id: str, source: str, wish: Wish) -> tuple[Run, Blackboard]:
        ports = self.plan_ports(run_id, source)
        board = Blackboard(wish.values)
        common: dict[str, Any] = {
            "run_id": run_id,
            "settings": self._settings,
            "blackboard": board,
            "seed": wish.seed,
        }
        if self._files is None:
            run = Run(wish.document, ports, wish.rules, **common)
        else:
            run = LoggedRun(wish.document, ports, wish.rules, write=self._files.begin(run_id), **common)
        run.set_breakpoints({*self._breakpoints.names(), *wish.breakpoints})
        return run, board

    def plan_ports(self, run_id: str, source: str) -> Ports:
        """See ``plan_server.PlanHost``."""
        if self._audio is None:
            raise ConfigError("the behaviour-tree node is not configured")
        skills = self._body.for_run(run_id, partial(self._channel_refusal, source))
        return Ports(skills, RunMedia(self._audio.player, run_id), self._requests)

    def _channel_refusal(self, source: str, skill: str) -> str:
        allowed, info = allowed_to(self._channels, source), self._skills.get(skill)
        return "" if allowed is None or info is None else allowed.refusal(f"skill {skill!r}", info.channels)

    def plan_skills(self) -> Mapping[str, SkillInfo]:
        """See ``plan_server.PlanHost``."""
        return self._skills

    def plan_body(self) -> str:
        """See ``plan_server.PlanHost``."""
        return self._body_name

    def perform_plan(self, performance: PlanPerformance, on_new: str, priority: int) -> str:
        """See ``plan_server.PlanHost``."""
        veto = self._vetoes.refusal()
        if veto:
            return veto
        performance.run.set_breakpoints(self._breakpoints.names())
        refusal = self._director.submit(performance.run, performance.run_id, on_new=on_new, priority=priority)
        if not refusal:
            self._performances[performance.run_id] = performance
            self._tick()
        return refusal

    def cancel_goal(self, goal: ServerGoalHandle) -> None:
        """End the run of a goal."""
        for performance in self._performances.values():
            if performance.goal == goal:
                self._director.cancel(performance.run_id)
        self._start_ticking()

    def _tick(self) -> None:
        values = self._feed.values()
        for performance in self._performances.values():
            performance.feed(values)
        if self._audio is not None:
            self._audio.serve()
        self._alive.tell(self._performances)
        veto = self._vetoes.refusal()
        if veto:
            self._director.stop_all(veto)
        ended = self._director.tick(self._now())
        for performance in self._performances.values():
            performance.tell()
        for end in ended:
            del self._performances[end.run_id]
            self._forget(end.run_id)
        if self._director.needs_tick:
            self._start_ticking()
        else:
            self._stop_ticking()
            self._alive.rest(self._performances)

    def _forget(self, run_id: str) -> None:
        if self._audio is not None:
            self._audio.player.forget(run_id)
        if self._files is not None:
            self._files.end(run_id)

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) / NANOSECONDS - self.clock_watch.skipped

    def _start_ticking(self) -> None:
        if not self._tickers:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._tickers = [
                self.create_timer(1.0 / self.values["tick_rate"], self._tick),
                self.create_timer(WATCH_PERIOD, self._tick, clock=steady),
            ]

    def _stop_ticking(self) -> None:
        for timer in self._tickers:
            self.destroy_timer(timer)
        self._tickers = []
