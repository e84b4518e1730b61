# SPDX-License-Identifier: Apache-2.0
"""A robot of virtual servos, the node that drives it, the tree that moves it, and somebody who looks."""

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from embodiment_bridge.msg import BodyStatus, LinkState, ServoStates
from rclpy.parameter import Parameter
from sensor_msgs.msg import JointState

from embodiment_bridge.dynamixel.bus import supervisor
from embodiment_bridge.dynamixel.config.config_reader import read_servo_setup
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.ports import VirtualPort
from embodiment_bridge.launching.executables import behavior_tree
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.body.joint_driver import JointDriver
from embodiment_bridge.nodes.tree.bml_client import BmlClient
from embodiment_bridge.urdf import read_urdf

ROOT = Path(__file__).parents[2]
URDF = ROOT / "urdf/desk_humanoid.urdf"
BODY = ROOT / "config/bodies/desk_humanoid.yaml"
PATIENCE = 90.0  # s of wall time for anything; the machine may be busy
ALL_SILENT_S = supervisor.ALL_SILENT_S
CALLS = 5  # of a service, as long as a servo answers too late
TOPICS: dict[str, tuple[Any, str]] = {
    "joint_states": (JointState, "sensor"),
    "servo_states": (ServoStates, "state"),
    "body_status": (BodyStatus, "latched"),
    "link_state": (LinkState, "latched"),
    "/diagnostics": (DiagnosticArray, "state"),
}


def virtual_bus() -> VirtualBus:
    """The servos of the desk humanoid."""
    return VirtualBus([(servo.id, servo.model) for servo in read_servo_setup(read_urdf(URDF)).servos])


class ServoStage:
    """``last``: the last message by topic; ``tracks``: all joint_states since ``tracks`` was cleared."""

    def __init__(
        self,
        runtime: Runtime,
        folder: Path,
        namespace: str,
        tree: Mapping[str, Any] = MappingProxyType({}),
        **values: Any,
    ) -> None:
        supervisor.ALL_SILENT_S = (
            10.0  # the thread of the virtual servos may wait for its turn on this machine
        )
        self.runtime = runtime
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
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        common = {"context": runtime.context, "namespace": namespace}
        self.driver = runtime.add(JointDriver(parameter_overrides=overrides, **common))
        of_tree = [Parameter(name, value=value) for name, value in tree.items()]
        self.tree = runtime.add(behavior_tree(parameter_overrides=of_tree, **common))
        self.watcher = runtime.add(Watcher(**common))
        self.bml = BmlClient(self.watcher, lambda feedback: None)
        self.last: dict[str, Any] = {}
        self.tracks: list[JointState] = []
        for topic, (kind, role) in TOPICS.items():
            self.watcher.create_subscription(kind, topic, self._keep(topic), profile(role))

    def _keep(self, topic: str) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            if topic == "/diagnostics":
                own = [status for status in message.status if status.name.endswith("joint_driver")]
                if not own:
                    return
                message = own[0]
            self.last[topic] = message
            if topic == "joint_states":
                self.tracks.append(message)

        return keep

    def until(self, condition: Callable[[], bool], patience: float = PATIENCE) -> None:
        deadline = time.monotonic() + patience
        self.runtime.spin(lambda: condition() or time.monotonic() > deadline)
        assert condition(), self.why()

    def spin(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        self.runtime.spin(lambda: time.monotonic() > deadline)

    def why(self) -> str:
        robot = self.driver._robot
        return f"{robot.state if robot else 'no robot'}, {self.last.get('/diagnostics')}"

    def join(self) -> None:
        self.until(
            lambda: (
                len(self.tracks) > 5
                and self.bml.server_is_there
                and bool(self.tree.skills)
                and all(reading.torque for reading in self.driver._robot.readings().values())
            )
        )

    def run(self, document: str) -> Any:
        self.bml.send(document, source="test")
        self.until(lambda: self.bml.result is not None)
        return self.bml.result

    def call(self, kind: Any, name: str, **fields: Any) -> Any:
        """Call a service, and again while a servo answers too late because the machine is busy."""
        client = self.watcher.create_client(kind, name)
        self.until(client.service_is_ready)
        for _ in range(CALLS):
            answer = client.call_async(kind.Request(**fields))
            self.until(answer.done)
            if not answer.result().message.endswith("does not answer"):
                break
        self.watcher.destroy_client(client)
        return answer.result()

    def say_on(self, kind: Any, topic: str, message: Any, role: str = "command") -> None:
        publisher = self.watcher.create_publisher(kind, topic, profile(role))
        self.until(lambda: publisher.get_subscription_count() > 0)
        publisher.publish(message)

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
        self.bml.destroy()
        self.port.close()
