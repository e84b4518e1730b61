# SPDX-License-Identifier: Apache-2.0
"""The action `execute_action_plan` of the behaviour-tree node: plans beside documents, on the same body."""

import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rclpy.action.server import ServerGoalHandle

from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.behaviour.plans.action_plan import ON_ERROR, Options
from embodiment_bridge.behaviour.plans.plan_run import PlanRun
from embodiment_bridge.core.errors import BridgeError, ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.deferred_action import DeferredActionServer
from embodiment_bridge.nodes.tree.plan_files import PlanFiles
from embodiment_bridge.nodes.tree.plan_surroundings import PlanSurroundings
from embodiment_bridge.nodes.tree.runs.plan_goal import PlanPerformance, actions_of, plan_rejection
from embodiment_bridge.nodes.tree.tree_parts import TreeParts

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


class PlanServer:
    """Takes goals. ``share()`` gives the folder of the package's files, or raises LookupError.

    Raises:
        ConfigError: the table cannot be read.
    """

    def __init__(self, node: BridgeNode, parts: TreeParts, share: Callable[[], Path]) -> None:
        self._node = node
        self._parts = parts
        self._files = PlanFiles(node.values, share)
        self._surroundings = PlanSurroundings(node)
        self._action = DeferredActionServer(
            node, ExecuteActionPlan, "execute_action_plan", self._enter, parts.performer.cancel
        )

    def destroy(self) -> None:
        """Take everything off the graph."""
        self._action.destroy()
        self._surroundings.destroy()

    def _enter(self, goal: ServerGoalHandle) -> None:
        def refuse(text: str) -> None:
            self._action.finish(goal, succeeded=False, result=plan_rejection(text))

        self._parts.gate.enter(partial(self._begin, goal, refuse), refuse)

    def _begin(self, goal: ServerGoalHandle, refuse: Callable[[str], None]) -> None:
        request = goal.request
        run_id = uuid.UUID(bytes=bytes(goal.goal_id.uuid)).hex[:8]
        try:
            run = self._make_run(request, run_id)
            performance = PlanPerformance(goal, run, run_id, self._action.finish, self._parts.viewers)
            refusal = self._parts.performer.submit(
                performance, on_new=request.on_new, priority=request.priority
            )
        except BridgeError as error:
            refusal = str(error)
        if refusal:
            refuse(refusal)

    def _make_run(self, request: ExecuteActionPlan.Goal, run_id: str) -> PlanRun:
        """The run of a goal.

        Raises:
            ConfigError: it cannot be run.
        """
        skills = self._parts.body.skills
        if not self._node.active:
            raise ConfigError("the behaviour-tree node is inactive; activate it first")
        if not skills:
            raise ConfigError(self._parts.body.absence)
        self._surroundings.listen()
        options = Options(
            request.on_error or ON_ERROR[0],
            request.retries or RETRIES,
            request.timeout or self._node.values["plan_timeout"],
        )
        return PlanRun(
            actions_of(request.plan.actions),
            self._files.of(self._parts.body.name).routine,
            self._surroundings,
            self._parts.ports.of_run(run_id, request.source),
            skills,
            options,
            run_id=run_id,
            settings=self._parts.settings,
        )
