# SPDX-License-Identifier: Apache-2.0
"""A mock body on the graph, the tree that moves it, and a client that looks."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import KeyValue
from embodiment_bridge.action import ExecuteSkill
from embodiment_bridge.msg import BodyStatus, EntityArray, HeardMessage, LinkState
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from rclpy.action import ActionClient
from rclpy.parameter import Parameter
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from embodiment_bridge.launching.executables import behavior_tree
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.base.watcher import Watcher
from embodiment_bridge.nodes.body.mock_body import MockBody
from embodiment_bridge.nodes.tree.bml_client import BmlClient

ROOT = Path(__file__).parents[2]
PATIENCE = 90.0  # s of wall time for anything; the machine may be busy
SUCCEEDED, FAILED = ExecuteSkill.Result.SUCCEEDED, ExecuteSkill.Result.FAILED
FAST = {"publish_clock": True, "use_sim_time": True, "speed": 20.0}
TOPICS: dict[str, tuple[Any, str]] = {
    "entities": (EntityArray, "sensor"),
    "heard": (HeardMessage, "events"),
    "battery": (BatteryState, "state"),
    "imu": (Imu, "sensor"),
    "pose": (PoseStamped, "sensor"),
    "odom": (Odometry, "sensor"),
    "joint_states": (JointState, "sensor"),
    "markers": (MarkerArray, "state"),
    "robot_description": (String, "latched"),
    "body_status": (BodyStatus, "latched"),
    "link_state": (LinkState, "latched"),
    "/tf": (TFMessage, "events"),
}


class Asker:
    """Somebody on the graph, who waits for what happens there and calls services."""

    runtime: Runtime
    watcher: Watcher

    def until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        self.runtime.spin(lambda: condition() or time.monotonic() > deadline)
        assert condition()

    def call(self, kind: Any, name: str, request: Any) -> Any:
        client = self.watcher.create_client(kind, name)
        self.until(client.service_is_ready)
        answer = client.call_async(request)
        self.until(answer.done)
        self.watcher.destroy_client(client)
        return answer.result()


class Mock(Asker):
    """A mock body, the tree that moves it, and somebody who looks; ``last``: the last message by topic."""

    def __init__(
        self, runtime: Runtime, namespace: str, tree: dict[str, Any] | None = None, **values: Any
    ) -> None:
        self.runtime = runtime
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        common = {"context": runtime.context, "namespace": namespace}
        self.body = runtime.add(MockBody(lambda: ROOT, parameter_overrides=overrides, **common))
        sim = [Parameter("use_sim_time", value=bool(values.get("use_sim_time")))]
        sim += [Parameter(name, value=value) for name, value in (tree or {}).items()]
        self.tree = runtime.add(behavior_tree(parameter_overrides=sim, **common))
        self.watcher = runtime.add(Watcher(**common))
        self.warnings: list[str] = []
        self.bml = BmlClient(self.watcher, lambda feedback: self.warnings.extend(feedback.warnings))
        self.skills = ActionClient(self.watcher, ExecuteSkill, "execute_skill")
        self.last: dict[str, Any] = {}
        for topic, (kind, role) in TOPICS.items():
            self.watcher.create_subscription(kind, topic, self._keep(topic), profile(role))

    def _keep(self, topic: str) -> Callable[[Any], None]:
        def keep(message: Any) -> None:
            self.last[topic] = message

        return keep

    def join(self) -> None:
        self.until(lambda: self.watcher.percepts > 5 and self.bml.server_is_there and bool(self.tree.skills))
        self.until(self.skills.server_is_ready)
        self.watcher.mark()

    def run(self, document: str) -> Any:
        self.bml.send(document, source="test")
        self.until(lambda: self.bml.result is not None)
        return self.bml.result

    def skill(self, name: str, slot: float = 0.0, **parameters: float | str) -> tuple[int, str]:
        goal = ExecuteSkill.Goal(name=name, slot=slot, source="test")
        goal.parameters = [KeyValue(key=key, value=str(value)) for key, value in parameters.items()]
        answer = self.skills.send_goal_async(goal)
        self.until(answer.done)
        result = answer.result().get_result_async()
        self.until(result.done)
        return result.result().result.status, result.result().result.reason

    def say_on(self, kind: Any, topic: str, message: Any) -> None:
        publisher = self.watcher.create_publisher(kind, topic, profile("command"))
        self.until(lambda: publisher.get_subscription_count() > 0)
        publisher.publish(message)

    def repeat_on(self, kind: Any, topic: str, message: Any, until: Callable[[], bool]) -> None:
        publisher = self.watcher.create_publisher(kind, topic, profile("command"))

        def said() -> bool:
            publisher.publish(message)
            return until()

        self.until(said)

    def ball(self) -> Any:
        return next(entity for entity in self.last["entities"].entities if entity.id == "ball")

    def close(self) -> None:
        self.bml.destroy()
        self.skills.destroy()
