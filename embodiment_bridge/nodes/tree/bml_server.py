# SPDX-License-Identifier: Apache-2.0
"""The action `execute_bml`: a goal is read and checked once, and becomes a run."""

import uuid
from collections.abc import Callable
from functools import partial

from rclpy.action.server import ServerGoalHandle

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.behaviour.engine.blackboard import Blackboard
from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.run_log.run_log import LoggedRun
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.deferred_action import DeferredActionServer
from embodiment_bridge.nodes.tree.runs import bml_goal
from embodiment_bridge.nodes.tree.runs.bml_goal import Wish
from embodiment_bridge.nodes.tree.runs.performance import Finish, Performance, RunGoal, failure, rejection
from embodiment_bridge.nodes.tree.tree_parts import TreeParts


class BmlServer:
    """Takes goals of clients, and by ``enter`` those that come in other ways."""

    def __init__(self, node: BridgeNode, parts: TreeParts) -> None:
        self._node = node
        self._parts = parts
        self._action = DeferredActionServer(
            node, ExecuteBml, "execute_bml", self._begin, parts.performer.cancel
        )

    def destroy(self) -> None:
        """Take the action off the graph."""
        self._action.destroy()

    def can_begin(self) -> bool:
        """Whether a goal could begin now."""
        return self._node.active and bool(self._parts.body.skills) and not self._parts.performer.veto()

    def enter(self, goal: RunGoal, request: ExecuteBml.Goal, run_id: str, finish: Finish) -> None:
        """Begin a goal when there is a body and its turn has come; ``finish(goal, succeeded=, result=)`` ends it."""

        def refuse(text: str) -> None:
            finish(goal, succeeded=False, result=rejection([], text))

        self._parts.gate.enter(partial(self._read, goal, request, run_id, finish), refuse)

    def _begin(self, goal: ServerGoalHandle) -> None:
        run_id = uuid.UUID(bytes=bytes(goal.goal_id.uuid)).hex[:8]
        self.enter(goal, goal.request, run_id, self._action.finish)

    def _read(self, goal: RunGoal, request: ExecuteBml.Goal, run_id: str, finish: Finish) -> None:
        def fail(error: Exception) -> None:
            if isinstance(error, Rejected):
                result = rejection(list(error.problems), str(error))
            else:
                result = failure(error)
                self._node.get_logger().error(f"run {run_id}: {result.reason}")
            finish(goal, succeeded=False, result=result)

        try:
            self._check_now()
        except Rejected as error:
            fail(error)
            return
        parts = self._parts
        read = partial(
            bml_goal.read_goal,
            request,
            parts.ports.rules_of(request),
            parts.performer.values(),
            speech=parts.ports.rules.speaks,
            max_age=parts.ports.rules.max_age,
        )
        size = len(request.document) + sum(len(item.value) for item in request.subtrees)
        parts.gate.read(read, partial(self._submit, goal, request, run_id, finish), fail, size=size)

    def _check_now(self) -> None:
        """See whether any goal can be run now.

        Raises:
            Rejected: none can.
        """
        if not self._node.active:
            raise Rejected.because("", "INACTIVE", "the behaviour-tree node is inactive; activate it first")
        if not self._parts.body.skills:
            raise Rejected.because("", "NO_BODY", self._parts.body.absence)
        veto = self._parts.performer.veto()
        if veto:
            raise Rejected.because("", *veto.split(": ", 1))

    def _submit(
        self, goal: RunGoal, request: ExecuteBml.Goal, run_id: str, finish: Finish, wish: Wish
    ) -> None:
        board = Blackboard(wish.values)
        run = self._make_run(run_id, request.source, wish, board)
        performance = Performance(goal, run, run_id, finish, self._parts.viewers, wish, board)
        refusal = self._parts.performer.submit(
            performance,
            on_new=request.on_new,
            priority=request.priority,
            suspendable=wish.suspendable,
            source=request.source,
        )
        if refusal:
            finish(goal, succeeded=False, result=rejection([], refusal))

    def _make_run(self, run_id: str, source: str, wish: Wish, board: Blackboard) -> Run:
        make: Callable[..., Run] = Run
        if self._parts.files is not None:
            make = partial(LoggedRun, write=self._parts.files.begin(run_id))
        return make(
            wish.document,
            self._parts.ports.of_run(run_id, source),
            wish.rules,
            run_id=run_id,
            settings=self._parts.settings,
            blackboard=board,
            seed=wish.seed,
        )
