# SPDX-License-Identifier: Apache-2.0
"""The action `execute_action_plan`: a plan is run as a document that has a node for each action."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from math import isnan
from pathlib import Path

from py_trees.common import Status
from rclpy.action.server import ServerGoalHandle

from embodiment_bridge.action import ExecuteActionPlan, ExecuteBml
from embodiment_bridge.behaviour.engine.loading import Rejected, load
from embodiment_bridge.behaviour.engine.node import Node as TreeNode
from embodiment_bridge.behaviour.nodes.decorators import Retry
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import NodeValues, Parameter
from embodiment_bridge.msg import PlanActionStatus
from embodiment_bridge.nodes.base.action_server import DeferredActionServer, run_id_of
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.tree.bml_server import BmlServer
from embodiment_bridge.nodes.tree.runs.goal_run import WENT_WELL, GoalRun
from embodiment_bridge.nodes.tree.runs.run_executor import RunExecutor
from embodiment_bridge.plans.action import Action
from embodiment_bridge.plans.plan_document import ON_ERROR, Options, in_order, plan_document
from embodiment_bridge.plans.plan_file import PlanFile, read_plan_file
from embodiment_bridge.protocols.opencog.plans.plan_messages import parameter_of

RETRIES = 3
MOST_ATTEMPTS = 255  # the message holds no more
STEP_SIZE = 300  # characters of a document that one action takes
OWN_FILES = Path("config/plans")  # <body>.yaml where there is one, else walking.yaml
NAME = re.compile(r"[A-Za-z0-9_-]+")
PLACE = re.compile(r"/behaviors/(\d+)(/|$)")
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


class PlanFiles:
    """Finds the plan files of bodies. ``share()`` gives the folder of the package's files, or raises LookupError.

    Raises:
        ConfigError: the file of the parameter ``plan_file`` cannot be read.
    """

    def __init__(self, values: NodeValues, share: Callable[[], Path]) -> None:
        self._turn: str = values["plan_turn"]
        self._share = share
        path = values["plan_file"]
        self._file = self._read(Path(path)) if path else None  # None: the body's file is used
        self._of_body: dict[str, PlanFile] = {}

    def of(self, body: str) -> PlanFile:
        """Return the file for the body of that name.

        Raises:
            ConfigError: there is none, or it cannot be read.
        """
        if self._file is not None:
            return self._file
        if body not in self._of_body:
            self._of_body[body] = self._read(self._place(body))
        return self._of_body[body]

    def _place(self, body: str) -> Path:
        try:
            folder = self._share() / OWN_FILES
        except LookupError as error:
            raise ConfigError(f"parameter plan_file is needed: {error}") from error
        own = folder / f"{body}.yaml"
        return own if NAME.fullmatch(body) and own.is_file() else folder / "walking.yaml"

    def _read(self, path: Path) -> PlanFile:
        file = read_plan_file(path)
        return file if self._turn == "file" else file.with_turn(self._turn)


class PlanServer:
    """Takes goals, which ``documents`` runs as documents. ``share()`` is that of ``PlanFiles``.

    Raises:
        ConfigError: the plan file cannot be read.
    """

    def __init__(
        self, node: BridgeNode, documents: BmlServer, run_executor: RunExecutor, share: Callable[[], Path]
    ) -> None:
        self._timeout_s: float = node.values["plan_timeout"]
        self._documents = documents
        self._ports = run_executor.ports
        self._files = PlanFiles(node.values, share)
        self._action = DeferredActionServer(
            node, ExecuteActionPlan, "execute_action_plan", self._begin, run_executor.cancel
        )

    def _begin(self, goal: ServerGoalHandle) -> None:
        request = partial(self._document_of, goal.request)
        size = STEP_SIZE * len(goal.request.plan.actions)
        self._documents.enter(goal, request, run_id_of(goal), self._action.finish, PlanGoalRun, size)

    def _document_of(self, request: ExecuteActionPlan.Goal) -> ExecuteBml.Goal:
        """Return the goal that runs a plan as a document.

        What this document may not do, or the body cannot, is the failure of that action when its turn comes.

        Raises:
            ConfigError: the plan cannot be run.
        """
        options = Options(
            request.on_error or ON_ERROR[0],
            request.retries or RETRIES,
            request.timeout or self._timeout_s,
        )
        actions = in_order(_actions_of(request), options)
        body = self._ports.body
        goal = ExecuteBml.Goal(
            source=request.source, on_new=request.on_new, priority=request.priority, seed=-1
        )
        compiled = partial(plan_document, actions, self._files.of(body.name), body.skills, options)
        goal.document = compiled({})
        try:
            load(goal.document, self._ports.rules_of(goal), speech=self._ports.rules.speaks)
        except Rejected as error:
            refused: dict[int, str] = {}
            for problem in error.problems:
                found = PLACE.match(problem.pointer)
                if found is not None:
                    place = int(found[1])
                    refused.setdefault(place, f"action {actions[place].name!r}: {problem.message}")
            goal.document = compiled(refused)
        return goal


def _actions_of(request: ExecuteActionPlan.Goal) -> list[Action]:
    return [
        Action(one.name, one.sequence, tuple(parameter_of(item) for item in one.parameters))
        for one in request.plan.actions
    ]


class PlanGoalRun(GoalRun):
    """Tells the client of a plan each change of an action's status, and the result at the end."""

    strict_skills = True
    _statuses_told: object = None

    def tell(self) -> None:
        """Tell the client what is new after a tick; end the goal if the run has ended."""
        standing, ending = self._standing(), self.run.ending
        if standing == self._told:
            return
        self._told = standing
        statuses = self._statuses()
        if statuses != self._statuses_told:
            self._statuses_told = statuses
            elapsed = self.run.clock.seconds
            feedback = ExecuteActionPlan.Feedback(run_id=self.run_id, elapsed=elapsed, actions=statuses)
            self.goal.publish_feedback(feedback)
        if ending is not None:
            result = ExecuteActionPlan.Result(
                outcome=ending.outcome.value, reason=ending.reason, elapsed=ending.t, actions=statuses
            )
            self._finish(self.goal, succeeded=ending.outcome in WENT_WELL, result=result)

    def _standing(self) -> tuple[object, ...]:
        """Return all that the statuses are made of, which is much cheaper than they are."""
        root = self.run.last_root
        nodes = () if root is None else root.children
        states = [(node.status, node.feedback_message, _attempts(node)) for node in nodes]
        return root is None, states, self.run.ending, self._still, [*self.run.warnings]

    def _statuses(self) -> list[PlanActionStatus]:
        """Return the status of each action, in their order: how its node, a child of the root, stands."""
        root, ending = self.run.last_root, self.run.ending
        actions = sorted(self.goal.request.plan.actions, key=lambda one: one.sequence)
        statuses = []
        for place, action in enumerate(actions):
            told = PlanActionStatus(sequence=action.sequence, name=action.name)
            if root is not None:
                _note(told, root.children[place], self.run.warnings, f"/behaviors/{place}")
            if told.status == PlanActionStatus.PENDING and ending is not None:
                told.status, told.reason = PlanActionStatus.CANCELED, ending.reason
            elif told.status == PlanActionStatus.RUNNING:
                told.reason = self._still
            statuses.append(told)
        return statuses

    @staticmethod
    def failure(error: Exception) -> ExecuteActionPlan.Result:
        """Make the result of ``GoalRun.failure`` without a JSON pointer, which a plan does not have."""
        result = GoalRun.failure(error)
        return ExecuteActionPlan.Result(outcome=result.outcome, reason=result.reason.removeprefix(": "))


STATUSES = {
    Status.RUNNING: PlanActionStatus.RUNNING,
    Status.SUCCESS: PlanActionStatus.DONE,
    Status.FAILURE: PlanActionStatus.ERROR,
}


def _note(told: PlanActionStatus, node: TreeNode, warnings: Sequence[str], pointer: str) -> None:
    """Write into a status how the node of its action stands; one that was halted, or never begun, is PENDING.

    One that is done has what the body remarked, such as that it cannot see the result.
    """
    told.status = STATUSES.get(node.status, PlanActionStatus.PENDING)
    if node.status is Status.FAILURE:
        told.reason = node.feedback_message
    elif node.status is Status.SUCCESS:
        mine = [
            one.partition(": REMARK: ") for one in warnings if one.startswith((f"{pointer}:", f"{pointer}/"))
        ]
        told.reason = "; ".join(dict.fromkeys(text for _, _, text in mine if text))
    told.attempts = _attempts(node)


def _attempts(node: TreeNode) -> int:
    if isnan(node.t_start):
        return 0
    return min(node.attempts if isinstance(node, Retry) else 1, MOST_ATTEMPTS)
