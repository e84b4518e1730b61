# SPDX-License-Identifier: Apache-2.0
"""The action `execute_action_plan` of the behaviour-tree node: plans beside documents, on the same body."""

import re
import uuid
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from rclpy.action.server import ServerGoalHandle

from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.behaviour.plans.action_plan import ON_ERROR, Options
from embodiment_bridge.behaviour.plans.plan_run import PlanRun
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import BridgeError, ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.deferred_action import DeferredActionServer
from embodiment_bridge.nodes.tree.early_goals import EarlyGoals
from embodiment_bridge.nodes.tree.plan_goal import PlanPerformance, actions_of, plan_rejection
from embodiment_bridge.nodes.tree.plan_surroundings import PlanSurroundings
from embodiment_bridge.nodes.tree.tree_publisher import TreePublisher
from embodiment_bridge.plans.plan_file import PlanFile, read_plan_file

OWN_FILES = Path("config/plans")  # <body>.yaml where there is one, else default.yaml
NAME = re.compile(r"[A-Za-z0-9_-]+")
RETRIES = 3
PARAMETERS = (
    Parameter("plan_file", "", "Path of the table from actions of plans to skills; empty: that of the body."),
    Parameter(
        "plan_turn",
        "file",
        "What the yaw of the action turn is: a heading in map, or from the heading of now.",
        choices=("file", "absolute", "relative"),
    ),
    Parameter("plan_timeout", 60.0, "The longest that one action of a plan may take, s.", 0.1, 86400.0),
)


class PlanHost(Protocol):
    """What the behaviour-tree node does for plans."""

    def plan_ports(self, run_id: str, source: str) -> Ports:
        """Ports of a run's own, for what ``source`` may do."""

    def plan_skills(self) -> Mapping[str, SkillInfo]:
        """What the body can do; empty while there is none."""

    def plan_body(self) -> str:
        """The name of the body's description; empty while there is none."""

    def plan_gate(self, begin: Callable[[], None], refuse: Callable[[str], None]) -> None:
        """Let a goal begin when its turn has come."""

    def perform_plan(self, performance: PlanPerformance, on_new: str, priority: int) -> str:
        """Let a run have the body as soon as it may; returns why not, or nothing."""

    def cancel_goal(self, goal: ServerGoalHandle) -> None:
        """End the run of a goal."""


class PlanServer:
    """Takes goals. ``share()`` gives the folder of the package's files, or raises LookupError.

    Raises:
        ConfigError: the table cannot be read.
    """

    def __init__(
        self,
        node: BridgeNode,
        host: PlanHost,
        viewers: TreePublisher,
        settings: Settings,
        share: Callable[[], Path],
        early: EarlyGoals,
    ) -> None:
        self._node = node
        self._host = host
        self._viewers = viewers
        self._settings = settings
        self._share = share
        path = node.values["plan_file"]
        self._file = self._read(Path(path)) if path else None  # else that of the body, when it is needed
        self._of_body: dict[str, PlanFile] = {}
        self._surroundings = PlanSurroundings(node)
        self._action = DeferredActionServer(
            node, ExecuteActionPlan, "execute_action_plan", early.guard(self._enter), host.cancel_goal
        )

    def destroy(self) -> None:
        """Take everything off the graph."""
        self._action.destroy()
        self._surroundings.destroy()

    def _enter(self, goal: ServerGoalHandle) -> None:
        self._host.plan_gate(
            partial(self._begin, goal),
            lambda text: self._action.finish(goal, succeeded=False, result=plan_rejection(text)),
        )

    def _begin(self, goal: ServerGoalHandle) -> None:
        request = goal.request
        run_id = uuid.UUID(bytes=bytes(goal.goal_id.uuid)).hex[:8]
        try:
            performance = PlanPerformance(
                goal, self._make_run(request, run_id), run_id, self._action.finish, self._viewers
            )
            refusal = self._host.perform_plan(performance, request.on_new or "replace", request.priority)
        except BridgeError as error:
            refusal = str(error)
        if refusal:
            self._action.finish(goal, succeeded=False, result=plan_rejection(refusal))
        elif goal.is_cancel_requested:  # while it waited
            self._host.cancel_goal(goal)

    def _make_run(self, request: ExecuteActionPlan.Goal, run_id: str) -> PlanRun:
        """The run of a goal.

        Raises:
            ConfigError: it cannot be run.
        """
        skills = self._host.plan_skills()
        if not self._node.active:
            raise ConfigError("the behaviour-tree node is inactive; activate it first")
        if not skills:
            raise ConfigError("no body has published its skills in this namespace; start one first")
        self._surroundings.listen()
        options = Options(
            request.on_error or ON_ERROR[0],
            request.retries or RETRIES,
            request.timeout or self._node.values["plan_timeout"],
        )
        return PlanRun(
            actions_of(request.plan.actions),
            self._plan_file().routine,
            self._surroundings,
            self._host.plan_ports(run_id, request.source),
            skills,
            options,
            run_id=run_id,
            settings=self._settings,
        )

    def _plan_file(self) -> PlanFile:
        if self._file is not None:
            return self._file
        body = self._host.plan_body()
        if body not in self._of_body:
            self._of_body[body] = self._read(self._place(body))
        return self._of_body[body]

    def _place(self, body: str) -> Path:
        try:
            folder = self._share() / OWN_FILES
        except LookupError as error:
            raise ConfigError(f"parameter plan_file is needed: {error}") from error
        own = folder / f"{body}.yaml"
        return own if NAME.fullmatch(body) and own.is_file() else folder / "default.yaml"

    def _read(self, path: Path) -> PlanFile:
        file, mode = read_plan_file(path), self._node.values["plan_turn"]
        return file if mode == "file" else file.with_turn(mode)
