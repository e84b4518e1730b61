# SPDX-License-Identifier: Apache-2.0
"""The action `execute_action_plan` of the behaviour-tree node: plans beside documents, on the same body."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from rclpy.action.server import ServerGoalHandle

from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.behaviour.plans.action_plan import ON_ERROR, Options
from embodiment_bridge.behaviour.plans.plan_run import PlanRun
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.base.action_server import DeferredActionServer, run_id_of
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.tree.goal_gate import GoalGate
from embodiment_bridge.nodes.tree.plan_files import PlanFiles
from embodiment_bridge.nodes.tree.plan_surroundings import PlanSurroundings
from embodiment_bridge.nodes.tree.runs.plan_goal import PlanGoalRun, actions_of, plan_failure
from embodiment_bridge.nodes.tree.runs.run_executor import RunExecutor

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

    def __init__(
        self, node: BridgeNode, gate: GoalGate, run_executor: RunExecutor, share: Callable[[], Path]
    ) -> None:
        self._node = node
        self._gate = gate
        self._run_executor = run_executor
        self._files = PlanFiles(node.values, share, node.get_logger().warning)
        self._surroundings = PlanSurroundings(node)
        self._action = DeferredActionServer(
            node, ExecuteActionPlan, "execute_action_plan", self._enter, run_executor.cancel
        )

    def destroy(self) -> None:
        """Take everything off the graph."""
        self._action.destroy()
        self._surroundings.destroy()

    def _enter(self, goal: ServerGoalHandle) -> None:
        run_id = run_id_of(goal)

        def submit(run: PlanRun) -> None:
            self._run_executor.submit(
                PlanGoalRun(goal, run, run_id, self._action.finish),
                on_new=goal.request.on_new,
                priority=goal.request.priority,
                source=goal.request.source,
            )

        def fail(error: Exception) -> None:
            result = plan_failure(error)
            if result.outcome == "ERROR":
                self._node.get_logger().error(f"run {run_id}: {result.reason}")
            self._action.finish(goal, succeeded=False, result=result)

        self._gate.enter(partial(self._make_run, goal.request, run_id), submit, fail)

    def _make_run(self, request: ExecuteActionPlan.Goal, run_id: str) -> PlanRun:
        """The run of a goal.

        Raises:
            ConfigError: it cannot be run.
        """
        self._surroundings.listen()
        options = Options(
            request.on_error or ON_ERROR[0],
            request.retries or RETRIES,
            request.timeout or self._node.values["plan_timeout"],
        )
        ports = self._run_executor.ports
        return PlanRun(
            actions_of(request.plan.actions),
            self._files.of(ports.body.name).routine,
            self._surroundings,
            ports.of_run(run_id, request.source),
            ports.body.skills,
            options,
            run_id=run_id,
            settings=ports.rules.settings,
        )
