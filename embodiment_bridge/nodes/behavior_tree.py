# SPDX-License-Identifier: Apache-2.0
"""The node that runs BML documents on the body of its namespace: the `execute_bml` action."""

import uuid
from collections.abc import Mapping
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.action.server import ServerGoalHandle
from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer
from std_srvs.srv import Trigger

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.behaviour import loading
from embodiment_bridge.behaviour.absent import NoMedia, NoRequests, unserved
from embodiment_bridge.behaviour.ports import Ports
from embodiment_bridge.behaviour.ros_leaves import RosSkills
from embodiment_bridge.behaviour.run import Run
from embodiment_bridge.bml.document import Document
from embodiment_bridge.body import SkillInfo
from embodiment_bridge.msg import SkillList
from embodiment_bridge.nodes.bridge_node import BridgeNode
from embodiment_bridge.nodes.deferred_action import DeferredActionServer
from embodiment_bridge.nodes.performance import Performance, rejection
from embodiment_bridge.nodes.qos import profile
from embodiment_bridge.nodes.tree_publisher import TreePublisher
from embodiment_bridge.protocols.contract import Parameter

PARAMETERS = (
    Parameter(
        "tick_rate", 50.0, "Ticks per second (Hz) while a document runs; none while idle.", 1.0, 1000.0
    ),
)
NANOSECONDS = 1e9
WATCH_PERIOD = (
    0.2  # s of wall time: ticks go on, slower, where simulated time stands still, so that a run can end
)


class BehaviorTree(BridgeNode):
    """Runs one document at a time; a new goal takes the place of the one that runs."""

    def __init__(self, **node_kwargs: Any) -> None:
        super().__init__("behavior_tree", PARAMETERS, **node_kwargs)
        self._skills: dict[str, SkillInfo] = {}
        self._running: Performance | None = None
        self._next: Performance | None = None
        self._tickers: list[Timer] = []

    def configure(self) -> None:
        """Make clients and servers."""
        self._body = RosSkills(self)
        self._ports = Ports(self._body, NoMedia(), NoRequests())
        self._list = self.create_subscription(SkillList, "skills", self._take_skills, profile("latched"))
        self._viewers = TreePublisher(self)
        self._action = DeferredActionServer(self, ExecuteBml, "execute_bml", self._begin, self._cancel)
        self._stop = self.create_service(Trigger, "~/stop", self._stop_all)

    def deactivate(self) -> None:
        """End what runs and what waits."""
        for performance in (self._next, self._running):
            if performance is not None:
                performance.run.cancel("the behaviour-tree node was deactivated")
        self._tick()

    def cleanup(self) -> None:
        """Take clients and servers off the graph."""
        for part in (self._body, self._viewers, self._action):
            part.destroy()
        self.destroy_subscription(self._list)
        self.destroy_service(self._stop)

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """What runs."""
        if not self.active:
            return super().diagnose()
        run_id = "" if self._running is None else self._running.run_id
        return DiagnosticStatus.OK, f"running {run_id}" if run_id else "idle", {"skills": len(self._skills)}

    def _take_skills(self, message: SkillList) -> None:
        self._skills = {
            skill.name: SkillInfo(
                skill.name,
                skill.kind,
                tuple(skill.channels),
                skill.nominal,
                skill.minimum,
                tuple(skill.parameters),
                skill.available,
            )
            for skill in message.skills
        }

    def _begin(self, goal: ServerGoalHandle) -> None:
        document = self._load(goal)
        if document is None:
            return
        run_id = uuid.UUID(bytes=bytes(goal.goal_id.uuid)).hex[:8]
        run = Run(document, self._ports, self._rules(goal), run_id=run_id)
        performance = Performance(goal, run, run_id, self._action.finish, self._viewers)
        if self._next is not None:
            self._next.run.preempt()
            self._next.tick(self._now())
        self._next = performance
        if self._running is not None:
            self._running.run.preempt()
        self._start_ticking()
        self._tick()

    def _load(self, goal: ServerGoalHandle) -> Document | None:
        """The document of a goal; one that cannot be run ends its goal and disturbs nothing else."""
        reason = ""
        problems = []
        if not self.active:
            reason = "the behaviour-tree node is inactive; activate it first"
        elif not self._skills:
            reason = "no body has published its skills in this namespace; start one first"
        else:
            try:
                document, _ = loading.load(
                    goal.request.document, self._rules(goal), speech=self._ports.media.speaks
                )
                problems = unserved(document)
                if not problems:
                    return document
                reason = str(loading.Rejected(problems))
            except loading.Rejected as error:
                problems, reason = list(error.problems), str(error)
        self._action.finish(goal, succeeded=False, result=rejection(problems, reason))
        return None

    def _rules(self, goal: ServerGoalHandle) -> loading.Rules:
        return loading.Rules(self._skills, strict=goal.request.strict)

    def _cancel(self, goal: ServerGoalHandle) -> None:
        for performance in (self._next, self._running):
            if performance is not None and performance.goal == goal:
                performance.run.cancel()

    def _stop_all(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        stopped = [p.run_id for p in (self._next, self._running) if p is not None]
        for performance in (self._next, self._running):
            if performance is not None:
                performance.run.cancel("stopped by the stop service")
        response.success = True
        response.message = f"stopping {', '.join(stopped)}" if stopped else "nothing runs"
        return response

    def _tick(self) -> None:
        now = self._now()
        if self._running is not None and not self._running.tick(now):
            self._running = None
        if self._running is None and self._next is not None:
            self._running, self._next = self._next, None
            if not self._running.tick(now):
                self._running = None
        if self._running is None:
            self._stop_ticking()

    def _now(self) -> float:
        return float(self.get_clock().now().nanoseconds) / NANOSECONDS

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
