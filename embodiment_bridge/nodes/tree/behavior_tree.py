# SPDX-License-Identifier: Apache-2.0
"""The node that runs BML documents and plans of actions on the body of its namespace."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Unpack

from diagnostic_msgs.msg import DiagnosticStatus
from typing_extensions import override

from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.node_options import NodeOptions
from embodiment_bridge.nodes.sound.media_parameters import Surroundings
from embodiment_bridge.nodes.tree.bml_server import BmlServer
from embodiment_bridge.nodes.tree.goal_gate import GoalGate
from embodiment_bridge.nodes.tree.guard_watch import GuardWatch
from embodiment_bridge.nodes.tree.plan_server import PlanServer
from embodiment_bridge.nodes.tree.runs.body_skills import BodySkills
from embodiment_bridge.nodes.tree.runs.performer import Performer
from embodiment_bridge.nodes.tree.runs.run_controls import RunControls
from embodiment_bridge.nodes.tree.runs.run_files import RunFiles
from embodiment_bridge.nodes.tree.runs.run_ports import RunPorts
from embodiment_bridge.nodes.tree.runs.tree_publisher import TreePublisher
from embodiment_bridge.nodes.tree.start_requests import StartRequests
from embodiment_bridge.nodes.tree.tree_parameters import PARAMETERS


class BehaviorTree(BridgeNode):
    """The parts of the node, and their lifecycle. A goal says how it treats the run that has the body.

    ``share()`` gives the folder of the package's files, or raises LookupError.
    """

    def __init__(
        self, share: Callable[[], Path], surroundings: Surroundings, **node_kwargs: Unpack[NodeOptions]
    ) -> None:
        super().__init__("behavior_tree", PARAMETERS, **node_kwargs)
        self._share = share
        self._surroundings = surroundings
        self._performer: Performer | None = None

    @property
    def skills(self) -> Mapping[str, SkillInfo]:
        """What the body can do, by name; empty while there is no body."""
        return {} if self._performer is None else self._performer.ports.body.skills

    @override
    def configure(self) -> None:
        values = self.values
        body = BodySkills(self, self._look_at_goals)
        ports = RunPorts(self, body, self._surroundings, self._now)
        files = None
        if values["log_dir"]:
            warn = self.get_logger().warning
            files = RunFiles(values["log_dir"], values["log_keep"], warn, self.get_namespace())
        performer = self._performer = Performer(self, ports, files, TreePublisher(self), self._now)
        gate = GoalGate(self, values["goal_rate"], values["goal_queue"], performer.missing, performer.check)
        self._gate = gate
        self._guard_watch = GuardWatch(self, ports.rules.guards, performer.feed, body)
        self._documents = BmlServer(self, gate, performer)
        self._plans = PlanServer(self, gate, performer, self._share)
        self._starts = StartRequests(self, self._documents.enter, performer.can_begin)
        self._controls = RunControls(
            self, performer.director, performer.tick, performer.clients, self._end_waiting
        )

    @override
    def activate(self) -> None:
        self._starts.arm()

    @override
    def deactivate(self) -> None:
        self._starts.disarm()
        if self._performer is not None:
            self._gate.release()
            self._performer.stop("the behaviour-tree node was deactivated")
            self._performer.ports.speech.stop()

    @override
    def close(self) -> None:
        super().close()
        if self._performer is not None:
            self._performer.close()

    @override
    def cleanup(self) -> None:
        performer, self._performer = self._performer, None
        if performer is None:
            return
        self._gate.close()
        for part in (self._documents, self._plans, self._starts, self._controls, self._guard_watch):
            part.destroy()
        performer.destroy()

    @override
    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        if self._performer is None or not self.active:
            return super().diagnose()
        text, values = self._performer.diagnose()
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
        """The body has changed: it may be what they wait for."""
        if self._performer is not None:
            self._gate.go_on()

    def _now(self) -> float:
        return self.seconds() - self.clock_watch.skipped
