# SPDX-License-Identifier: Apache-2.0
"""The action `execute_bml`: a goal is read and checked once, and becomes a run."""

from collections.abc import Callable
from functools import partial

from rclpy.action.server import ServerGoalHandle

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.behaviour.run_log.run_log import LoggedRun
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.deferred_action import DeferredActionServer
from embodiment_bridge.nodes.base.goal_ids import run_id_of
from embodiment_bridge.nodes.tree.goal_gate import GoalGate
from embodiment_bridge.nodes.tree.runs import bml_goal
from embodiment_bridge.nodes.tree.runs.bml_goal import Wish
from embodiment_bridge.nodes.tree.runs.performance import Finish, Performance, RunGoal, failure
from embodiment_bridge.nodes.tree.runs.performer import Performer


class BmlServer:
    """Takes goals of clients, and by ``enter`` those that come in other ways."""

    def __init__(self, node: BridgeNode, gate: GoalGate, performer: Performer) -> None:
        self._node = node
        self._gate = gate
        self._performer = performer
        self._action = DeferredActionServer(node, ExecuteBml, "execute_bml", self._begin, performer.cancel)

    def destroy(self) -> None:
        """Take the action off the graph."""
        self._action.destroy()

    def enter(self, goal: RunGoal, request: ExecuteBml.Goal, run_id: str, finish: Finish) -> None:
        """Begin a goal when there is a body and its turn has come; ``finish(goal, succeeded=, result=)`` ends it."""

        def fail(error: Exception) -> None:
            result = failure(error)
            if result.outcome == "ERROR":
                self._node.get_logger().error(f"run {run_id}: {result.reason}")
            finish(goal, succeeded=False, result=result)

        self._gate.enter(
            partial(bml_goal.read_goal, request, self._performer.ports),
            partial(self._submit, goal, request, run_id, finish),
            fail,
            size=len(request.document) + sum(len(item.value) for item in request.subtrees),
        )

    def _begin(self, goal: ServerGoalHandle) -> None:
        run_id = run_id_of(goal)
        self.enter(goal, goal.request, run_id, self._action.finish)

    def _submit(
        self, goal: RunGoal, request: ExecuteBml.Goal, run_id: str, finish: Finish, wish: Wish
    ) -> None:
        board = wish.blackboard(self._performer.values())
        ports = self._performer.ports
        make: Callable[..., Run] = Run
        if self._performer.files is not None:
            make = partial(LoggedRun, write=self._performer.files.begin(run_id))
        run = make(
            wish.document,
            ports.of_run(run_id, request.source),
            wish.rules,
            run_id=run_id,
            settings=ports.rules.settings,
            blackboard=board,
            seed=wish.seed,
        )
        self._performer.submit(
            Performance(goal, run, run_id, finish, wish, board),
            on_new=request.on_new,
            priority=request.priority,
            suspendable=wish.suspendable,
            source=request.source,
        )
