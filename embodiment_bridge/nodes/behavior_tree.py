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
from embodiment_bridge.behaviour.director import Director
from embodiment_bridge.behaviour.ports import Ports
from embodiment_bridge.behaviour.ros_leaves import RosSkills
from embodiment_bridge.behaviour.run import Run
from embodiment_bridge.bml.document import Document
from embodiment_bridge.body import SkillInfo
from embodiment_bridge.errors import unknown
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
WATCH_PERIOD = 0.2  # s of wall time: ticks go on, slower, where simulated time stands still, so a run can end
ON_NEW = ("replace", "reject", "queue")  # the first is the default


class BehaviorTree(BridgeNode):
    """Runs one document at a time; what a new goal does about the one that runs, the goal says."""

    def __init__(self, **node_kwargs: Any) -> None:
        super().__init__("behavior_tree", PARAMETERS, **node_kwargs)
        self._skills: dict[str, SkillInfo] = {}
        self._director = Director()
        self._performances: dict[str, Performance] = {}
        self._tickers: list[Timer] = []

    def configure(self) -> None:
        """Make clients and servers."""
        self._body = RosSkills(self)
        self._ports = Ports(self._body, NoMedia(), NoRequests())
        self._list = self.create_subscription(SkillList, "skills", self._take_skills, profile("latched"))
        self._viewers = TreePublisher(self)
        self._action = DeferredActionServer(self, ExecuteBml, "execute_bml", self._begin, self._cancel)
        self._controls = [
            self.create_service(Trigger, f"~/{name}", control)
            for name, control in (
                ("stop", self._stop),
                ("pause", self._pause),
                ("resume", self._resume),
                ("step", self._step),
            )
        ]

    def deactivate(self) -> None:
        """End what runs and what waits."""
        self._director.stop_all("the behaviour-tree node was deactivated")
        self._tick()

    def cleanup(self) -> None:
        """Take clients and servers off the graph."""
        for part in (self._body, self._viewers, self._action):
            part.destroy()
        self.destroy_subscription(self._list)
        for service in self._controls:
            self.destroy_service(service)

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """What runs."""
        if not self.active:
            return super().diagnose()
        current = self._director.current
        text = "idle" if current is None else f"running {current.run_id}"
        waiting = len(self._director.waiting())
        return DiagnosticStatus.OK, text, {"skills": len(self._skills), "waiting": waiting}

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
        refusal = self._submit(run, run_id, goal.request)
        if refusal:
            self._action.finish(goal, succeeded=False, result=rejection([], refusal))
            return
        self._performances[run_id] = Performance(goal, run, run_id, self._action.finish, self._viewers)
        self._tick()

    def _submit(self, run: Run, run_id: str, wish: ExecuteBml.Goal) -> str:
        """Why the goal is refused; empty when it is taken."""
        on_new = wish.on_new or ON_NEW[0]
        if on_new not in ON_NEW:
            return unknown("value of on_new", on_new, ON_NEW)
        return self._director.submit(run, run_id, on_new=on_new, priority=wish.priority)

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
        for performance in self._performances.values():
            if performance.goal == goal:
                self._director.cancel(performance.run_id)
        self._start_ticking()

    def _stop(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        stopped = self._director.stop_all("stopped by the stop service")
        self._tick()
        response.success = True
        response.message = f"stopping {', '.join(stopped)}" if stopped else "nothing runs"
        return response

    def _pause(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._control(response, self._director.pause(), "pausing", "nothing runs")

    def _resume(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._control(response, self._director.resume(), "going on", "nothing is paused")

    def _step(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        return self._control(response, self._director.step(), "to the next transition", "nothing is paused")

    def _control(self, response: Trigger.Response, done: bool, text: str, otherwise: str) -> Trigger.Response:
        self._tick()
        response.success = done
        response.message = text if done else otherwise
        return response

    def _tick(self) -> None:
        ended = self._director.tick(self._now())
        for performance in self._performances.values():
            performance.tell()
        for end in ended:
            del self._performances[end.run_id]
        if self._director.needs_tick:
            self._start_ticking()
        else:
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
