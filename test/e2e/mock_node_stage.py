# SPDX-License-Identifier: Apache-2.0
"""A mock body on the graph, the tree that moves it, and a client that looks."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from embodiment_bridge.msg import BodyStatus, EntityArray, HeardMessage, LinkState
from geometry_msgs.msg import PoseStamped
from graph_stage import Stage
from nav_msgs.msg import Odometry
from sensor_msgs.msg import BatteryState, Imu, JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from embodiment_bridge.launching.executables import behavior_tree
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.mock_body import MockBody

ROOT = Path(__file__).parents[2]
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


class Mock(Stage):
    """A mock body, the tree that moves it, and somebody who looks at them; ``tree``: parameters of the tree."""

    def __init__(
        self, runtime: Runtime, namespace: str, tree: dict[str, Any] | None = None, **values: Any
    ) -> None:
        super().__init__(runtime, namespace)
        self.body = self.add(partial(MockBody, lambda: ROOT), **values)
        sim = bool(values.get("use_sim_time"))
        self.tree = self.add(behavior_tree, use_sim_time=sim, **(tree or {}))
        self.listen(TOPICS)

    @property
    def world(self) -> Any:
        """What the body lives in."""
        return self.body._world

    @property
    def warnings(self) -> list[str]:
        """Of the document that was sent last."""
        return [warning for feedback in self.feedback for warning in feedback.warnings]

    def join(self) -> None:
        self.until(lambda: self.watcher.percepts > 5 and self.bml.server_is_there and bool(self.tree.skills))
        self.until(self.skills.server_is_ready)
        self.watcher.mark()

    def repeat(self, kind: Any, topic: str, message: Any, until: Callable[[], bool]) -> None:
        """Publish again and again."""
        publisher = self.watcher.create_publisher(kind, topic, profile("command"))

        def said() -> bool:
            publisher.publish(message)
            return until()

        self.until(said)

    def ball(self) -> Any:
        return next(entity for entity in self.last["entities"].entities if entity.id == "ball")
