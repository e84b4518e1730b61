# SPDX-License-Identifier: Apache-2.0
"""The node that runs BML documents and plans of actions on the body of its namespace.

Its parts, its parameters, and a warning about guards that can never hold.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Unpack

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from typing_extensions import override

from embodiment_bridge.bml.base.conditions import Compare, describe
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.nodes.sound.media_parameters import Surroundings
from embodiment_bridge.nodes.tree.bml_server import PARAMETERS as START_PARAMETERS
from embodiment_bridge.nodes.tree.bml_server import BmlServer, StartRequests
from embodiment_bridge.nodes.tree.goal_gate import PARAMETERS as GATE_PARAMETERS
from embodiment_bridge.nodes.tree.goal_gate import GoalGate
from embodiment_bridge.nodes.tree.plan_server import PARAMETERS as PLAN_PARAMETERS
from embodiment_bridge.nodes.tree.plan_server import PlanServer
from embodiment_bridge.nodes.tree.runs.body_skills import BodySkills
from embodiment_bridge.nodes.tree.runs.document_rules import PARAMETERS as RULE_PARAMETERS
from embodiment_bridge.nodes.tree.runs.run_controls import RunControls
from embodiment_bridge.nodes.tree.runs.run_executor import RunExecutor
from embodiment_bridge.nodes.tree.runs.run_files import RunFiles
from embodiment_bridge.nodes.tree.runs.run_ports import RunPorts
from embodiment_bridge.nodes.tree.runs.tree_publisher import TreePublisher
from embodiment_bridge.nodes.tree.values.blackboard_feed import BlackboardFeed
from embodiment_bridge.nodes.tree.values.team_feed import PARAMETERS as TEAM_PARAMETERS

# Reports a guard that can never hold, because nothing on the graph publishes its value.

LOOK_S = 1.0  # s of wall time
LOOKS = 5  # with a body and without the value; what a robot publishes begins soon after its skills


class GuardWatch:
    """Looks at the values of ``guards`` once the ``body`` is there; each ``trouble`` is an error in the log, once."""

    def __init__(
        self, node: BridgeNode, guards: Sequence[Compare], feed: BlackboardFeed, body: BodySkills
    ) -> None:
        self.trouble = ""
        self._node, self._guards, self._feed, self._body = node, guards, feed, body
        self._looks = 0
        self._timer = None
        if guards:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._timer = node.create_timer(LOOK_S, self.look, clock=steady)

    def look(self) -> None:
        """See whether each guard has a value."""
        waiting = bool(self._body.missing) or not self._node.active
        self._looks = 0 if waiting else self._looks + 1
        if self._looks < LOOKS:
            return
        troubles = self._feed.unpublished
        found = next((guard for guard in self._guards if guard.key in troubles), None)
        trouble = "" if found is None else _text(found, troubles[found.key])
        if trouble and trouble != self.trouble:
            self._node.get_logger().error(trouble)
        self.trouble = trouble


def _text(guard: Compare, why: str) -> str:
    return f"parameter guards: {describe(guard)} cannot hold, so nothing runs: {why}"


# All parameters of the behaviour-tree node.

PARAMETERS = (
    Parameter(
        "tick_rate", 50.0, "Ticks per second (Hz) while a document runs; none while idle.", 1.0, 1000.0
    ),
    Parameter(
        "breakpoints",
        [""],
        "Names or JSON pointers of nodes before which runs pause; may be set at any time.",
        fixed=False,
    ),
    Parameter("log_dir", "", "Folder for one log file of JSON lines per run; empty: none are written."),
    *PLAN_PARAMETERS,
    *START_PARAMETERS,
    *RULE_PARAMETERS,
    *GATE_PARAMETERS,
    *TEAM_PARAMETERS,
    Parameter("log_keep", 100, "How many log files stay in log_dir.", 1, 100_000),
)


class BehaviorTree(BridgeNode):
    """Builds the parts of the node, and runs their lifecycle. A goal says how it treats the run that has the body.

    ``share()`` gives the folder of the package's files, or raises LookupError.
    """

    def __init__(
        self, share: Callable[[], Path], surroundings: Surroundings, **node_kwargs: Unpack[NodeOptions]
    ) -> None:
        super().__init__("behavior_tree", PARAMETERS, **node_kwargs)
        self._share = share
        self._surroundings = surroundings
        self._run_executor: RunExecutor | None = None

    @property
    def skills(self) -> Mapping[str, SkillInfo]:
        """The skills of the body by name; empty while there is no body."""
        return {} if self._run_executor is None else self._run_executor.ports.body.skills

    @override
    def configure(self) -> None:
        values = self.values
        body = BodySkills(self, self._look_at_goals)
        ports = RunPorts(self, body, self._surroundings, self.seconds)
        files = None
        if values["log_dir"]:
            warn = self.get_logger().warning
            files = RunFiles(values["log_dir"], values["log_keep"], warn, self.get_namespace())
        run_executor = self._run_executor = RunExecutor(self, ports, files, TreePublisher(self), self.seconds)
        gate = self._gate = GoalGate(self, values["goal_rate"], values["goal_queue"], run_executor)
        self._guard_watch = GuardWatch(self, ports.rules.guards, run_executor.feed, body)
        self._documents = BmlServer(self, gate, run_executor)
        self._plans = PlanServer(self, self._documents, run_executor, self._share)
        self._starts = StartRequests(self, self._documents)
        RunControls(self, run_executor.scheduler, run_executor.tick, run_executor.clients, self._end_waiting)

    @override
    def activate(self) -> None:
        self._starts.arm()

    @override
    def deactivate(self) -> None:
        self._starts.disarm()
        if self._run_executor is not None:
            self._gate.release()
            self._run_executor.stop("the behaviour-tree node was deactivated")
            self._run_executor.ports.speech.stop()

    @override
    def close(self) -> None:
        super().close()
        if self._run_executor is not None:
            self._run_executor.close()

    @override
    def cleanup(self) -> None:
        run_executor, self._run_executor = self._run_executor, None
        if run_executor is None:
            return
        self._gate.close()
        run_executor.destroy()

    @override
    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        if self._run_executor is None or not self.active:
            return super().diagnose()
        text, values = self._run_executor.diagnose()
        goals = {"goals waiting": self._gate.waiting, "goals refused": self._gate.refused}
        level = DiagnosticStatus.OK
        if self._guard_watch.trouble:
            level, text = DiagnosticStatus.ERROR, self._guard_watch.trouble
        return level, text, {"skills": len(self.skills), **goals, **values}

    def _end_waiting(self, error: Exception) -> int:
        """Let nothing begin that waits: goals, of which the number is returned, and the document of ``start_file``."""
        self._starts.disarm()
        return self._gate.refuse(error)

    def _look_at_goals(self) -> None:
        """Look again at goals that wait, as the body has changed."""
        if self._run_executor is not None:
            self._gate.go_on()
