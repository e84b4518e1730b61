# SPDX-License-Identifier: Apache-2.0
"""Takes BML documents: by the action `execute_bml`, from the parameters, and on the topic `bml`.

Each is checked once, and becomes a run.
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from diagnostic_msgs.msg import KeyValue
from rclpy.action.server import ServerGoalHandle
from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer
from std_msgs.msg import String

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.run_log.run_log import LoggedRun
from embodiment_bridge.behaviour.runs.run import Run
from embodiment_bridge.bml import Document, Request, to_json
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.core.parameter import NodeValues, Parameter
from embodiment_bridge.core.unicode_text import one_line
from embodiment_bridge.nodes.base.action_server import DeferredActionServer, run_id_of
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.tree.goal_gate import GoalGate
from embodiment_bridge.nodes.tree.runs import goal_run
from embodiment_bridge.nodes.tree.runs.document_rules import VETOED
from embodiment_bridge.nodes.tree.runs.goal_run import CheckedGoal, Finish, GoalRun, RunGoal
from embodiment_bridge.nodes.tree.runs.run_executor import RunExecutor


class BmlServer:
    """Serves execute_bml; ``enter`` takes plans and documents from other sources."""

    def __init__(self, node: BridgeNode, gate: GoalGate, run_executor: RunExecutor) -> None:
        self._node = node
        self._gate = gate
        self._run_executor = run_executor
        self._action = DeferredActionServer(node, ExecuteBml, "execute_bml", self._begin, run_executor.cancel)

    def enter(
        self,
        goal: RunGoal,
        request: Callable[[], ExecuteBml.Goal],
        run_id: str,
        finish: Finish,
        kind: type[GoalRun] = GoalRun,
        size: int = 0,
    ) -> None:
        """Begin a goal when there is a body and its turn has come.

        Args:
            goal: is told how it stands.
            request: makes what is to be run; it touches nothing of ROS.
            run_id: of the run.
            finish: ``finish(goal, succeeded=, result=)`` ends the goal.
            kind: tells the goal how the run stands.
            size: characters to read.
        """

        def fail(error: Exception) -> None:
            result = kind.failure(error)
            if result.outcome == "ERROR":
                self._node.get_logger().error(f"run {run_id}: {result.reason}")
            finish(goal, succeeded=False, result=result)

        def read() -> CheckedGoal:
            return goal_run.read_goal(request(), self._run_executor.ports)

        self._gate.enter(read, partial(self._submit, goal, run_id, finish, kind), fail, size)

    def enter_document(self, goal: RunGoal, request: ExecuteBml.Goal, run_id: str, finish: Finish) -> None:
        """Begin a goal that brings its document."""
        size = len(request.document) + sum(len(item.value) for item in request.subtrees)
        self.enter(goal, lambda: request, run_id, finish, size=size)

    def can_begin(self) -> bool:
        """Whether a run could begin now."""
        try:
            self._run_executor.check()
        except Rejected:
            return False
        return True

    def _begin(self, goal: ServerGoalHandle) -> None:
        self.enter_document(goal, goal.request, run_id_of(goal), self._action.finish)

    def _submit(
        self, goal: RunGoal, run_id: str, finish: Finish, kind: type[GoalRun], checked: CheckedGoal
    ) -> None:
        request = checked.request
        board = checked.blackboard(self._run_executor.values())
        ports = self._run_executor.ports
        make: Callable[..., Run] = Run
        if self._run_executor.files is not None:
            make = partial(LoggedRun, write=self._run_executor.files.begin(run_id))
        run = make(
            checked.document,
            ports.of_run(run_id, request.source),
            checked.rules,
            run_id=run_id,
            settings=replace(ports.rules.settings, strict_skills=kind.strict_skills),
            blackboard=board,
            seed=checked.seed,
        )
        self._run_executor.submit(kind(goal, run, run_id, finish, checked, board))


# Runs without an action client: a document or URL from the parameters, and documents on the topic `bml`.

PARAMETERS = (
    Parameter(
        "start_url", "", "URL of a document that is fetched and run once the body is there; empty: none."
    ),
    Parameter("start_file", "", "Path of a document that is run once the body is there; empty: none."),
    Parameter(
        "start_subtrees",
        [""],
        "Documents that the document of start_file or start_url refers to, each as name=path.",
    ),
    Parameter(
        "start_retry",
        10.0,
        "How long after it FAILED, or a guard ended it, it is begun again, s; 0 never.",
        0.0,
        86400.0,
    ),
)
MAX_BYTES = 1 << 20
LOOK_S = 0.2  # between two looks for the body


@dataclass(frozen=True, slots=True, eq=False)
class LocalGoal:
    """Stands for an action goal where no client waits for one, or can cancel it."""

    request: ExecuteBml.Goal
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @property
    def is_cancel_requested(self) -> bool:
        """Never."""
        return False

    def publish_feedback(self, feedback: object) -> None:
        """Do nothing, as there is no client; `~/events` has it all."""


class StartRequests:
    """Begins runs on ``documents`` as soon as there is a body, and logs how they end.

    Raises:
        ConfigError: both a URL and a file are to be begun, or the file cannot be read.
    """

    def __init__(self, node: BridgeNode, documents: BmlServer) -> None:
        self._node = node
        self._documents = documents
        self._document = start_document(node.values)
        self._subtrees = start_subtrees(node.values)
        self._timer: Timer | None = None
        node.create_subscription(String, "bml", self._heard, profile("command"))

    def arm(self) -> None:
        """Begin the document of the parameters as soon as there is a body; the node is active."""
        if self._document:
            self._wait(LOOK_S)

    def disarm(self) -> None:
        """Begin nothing any more."""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _wait(self, seconds: float) -> None:
        self.disarm()
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = self._node.create_timer(seconds, self._look, clock=steady)

    def _look(self) -> None:
        if self._documents.can_begin():
            self.disarm()
            self._enter(_goal("start", self._document, self._subtrees))
        elif self._timer is not None and self._timer.timer_period_ns > LOOK_S * 1e9:
            self.arm()

    def _heard(self, message: String) -> None:
        self._enter(_goal("topic bml", message.data))

    def _enter(self, goal: LocalGoal) -> None:
        self._documents.enter_document(goal, goal.request, goal.run_id, self._finish)

    def _finish(self, goal: LocalGoal, *, succeeded: bool, result: ExecuteBml.Result) -> None:
        where = f" at {result.pointer}" if result.pointer else ""
        text = f"{goal.request.source}: run {goal.run_id} ended {result.outcome}{where}: {result.reason}"
        text = one_line(text).rstrip(": ")
        if succeeded:
            self._node.get_logger().info(text)
        else:  # rclpy: one line of code has one severity
            self._node.get_logger().warning(text)
        retry = self._node.values["start_retry"]
        failed = result.outcome == "FAILED" or result.reason.startswith((VETOED, f": {VETOED}"))
        again = goal.request.source == "start" and failed and retry > 0.0
        if again and self._node.active:
            self._wait(retry)


def _goal(source: str, document: str, subtrees: Mapping[str, str] = MappingProxyType({})) -> LocalGoal:
    goal = ExecuteBml.Goal(document=document, source=source, seed=-1)
    goal.subtrees = [KeyValue(key=name, value=text) for name, text in subtrees.items()]
    return LocalGoal(goal)


def start_document(values: NodeValues) -> str:
    """Return the document that the parameters name; empty: none.

    Raises:
        ConfigError: they name two, or one that cannot be read.
    """
    url, path = values["start_url"], values["start_file"]
    if url and path:
        raise ConfigError("parameters start_url and start_file: only one of them may be set")
    if url:
        return to_json(Document(Request(pointer="", name="start", url=url)))
    return _text("start_file", path) if path else ""


def start_subtrees(values: NodeValues) -> dict[str, str]:
    """Return the texts of the documents that ``start_subtrees`` names, by name.

    Raises:
        ConfigError: one has another form, a name stands twice, or a file cannot be read.
    """
    found: dict[str, str] = {}
    for item in filter(None, values["start_subtrees"]):
        name, _, path = item.partition("=")
        if not (name and path):
            raise ConfigError(f"parameter start_subtrees: {item!r:.200} is not of the form name=path")
        if name in found:
            raise ConfigError(f"parameter start_subtrees: {name!r:.200} stands twice")
        found[name] = _text("start_subtrees", path)
    return found


def _text(parameter: str, path: str) -> str:
    return read_text(Path(path), f"parameter {parameter}:", most=MAX_BYTES)
