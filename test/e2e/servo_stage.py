# SPDX-License-Identifier: Apache-2.0
"""A robot of virtual servos, the node that drives it, the tree that moves it, and somebody who looks."""

import math
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from embodiment_bridge.msg import BodyStatus, LinkState, ServoStates
from graph_stage import Stage
from sensor_msgs.msg import JointState

from embodiment_bridge.dynamixel.bus import supervisor
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort
from embodiment_bridge.launching.executables import behavior_tree
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.joint_driver import JointDriver
from embodiment_bridge.urdf import read_urdf

ROOT = Path(__file__).parents[2]
URDF = ROOT / "urdf/desk_humanoid.urdf"
BODY = ROOT / "config/bodies/desk_humanoid.yaml"
ALL_SILENT_S = supervisor.ALL_SILENT_S
CALLS = 5  # of a service, as long as a servo answers too late
TOPICS: dict[str, tuple[Any, str]] = {
    "joint_states": (JointState, "sensor"),
    "servo_states": (ServoStates, "state"),
    "body_status": (BodyStatus, "latched"),
    "link_state": (LinkState, "latched"),
}


def virtual_bus() -> VirtualBus:
    """The servos of the desk humanoid."""
    return VirtualBus([(servo.id, servo.model) for servo in read_servo_setup(read_urdf(URDF)).servos])


class ServoStage(Stage):
    """``last``: the last message by topic; ``tracks``: all joint_states since ``tracks`` was cleared."""

    def __init__(
        self,
        runtime: Runtime,
        folder: Path,
        namespace: str,
        tree: Mapping[str, Any] = MappingProxyType({}),
        **values: Any,
    ) -> None:
        # the thread of the virtual servos may wait for its turn on this machine
        supervisor.ALL_SILENT_S = 10.0
        super().__init__(runtime, namespace)
        self.bus = virtual_bus()
        self.port = VirtualPort(self.bus, link=str(folder / "servos"))
        parameters = {
            "robot_description_file": str(URDF),
            "body_file": str(BODY),
            "port_name": str(folder / "servos"),
            "calibration_file": str(folder / "calibration.yaml"),
            "answer_margin": 0.05,
            **values,
        }
        self.driver = self.add(JointDriver, **parameters)
        self.tree = self.add(behavior_tree, **tree)
        self.tracks: list[JointState] = []
        self.listen(TOPICS, self._keep)
        self.watcher.create_subscription(
            DiagnosticArray, "/diagnostics", self._keep_diagnosis, profile("state")
        )

    def _keep(self, topic: str, message: Any) -> None:
        if topic == "joint_states":
            self.tracks.append(message)

    def _keep_diagnosis(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name.endswith("joint_driver"):
                self.last["/diagnostics"] = status

    def why(self) -> str:
        return f"{super().why()}, {self.last.get('/diagnostics')}"

    def join(self) -> None:
        self.until(
            lambda: (
                len(self.tracks) > 5
                and self.bml.server_is_there
                and bool(self.tree.skills)
                and "servo_states" in self.last
                and all(self.torque.values())
            )
        )

    def call(self, kind: Any, name: str, /, **fields: Any) -> Any:
        """Call a service, and again while a servo answers too late because the machine is busy."""
        for _ in range(CALLS):
            answer = super().call(kind, name, **fields)
            if not answer.message.endswith(("does not answer", "does not report its position")):
                break
        return answer

    @property
    def torque(self) -> dict[str, bool]:
        """Which joints are driven, as told last."""
        states = self.last["servo_states"]
        return dict(zip(states.names, states.torque, strict=True))

    def angle(self, joint: str) -> float:
        """As told last (on a busy machine it may be left out for a moment); nan: not told since ``tracks.clear``."""
        for message in reversed(self.tracks):
            if joint in message.name:
                return message.position[list(message.name).index(joint)]
        return math.nan

    def diagnosis(self) -> str:
        status = self.last.get("/diagnostics")
        return status.message if status else ""

    def close(self) -> None:
        supervisor.ALL_SILENT_S = ALL_SILENT_S
        super().close()
        self.port.close()
