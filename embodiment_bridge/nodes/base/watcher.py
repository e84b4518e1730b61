# SPDX-License-Identifier: Apache-2.0
"""A node that follows one robot passively, for people to read."""

import math
from typing import Unpack

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from sensor_msgs.msg import JointState

from embodiment_bridge.core.rotation import rpy_from_quaternion, wrap_angle
from embodiment_bridge.link.session import Phase
from embodiment_bridge.msg import BodyStatus, LinkState
from embodiment_bridge.nodes.base.parameters import NodeOptions
from embodiment_bridge.nodes.base.qos import profile

POSTURES = {BodyStatus.UNKNOWN: "unknown", BodyStatus.STANDING: "standing"}
POSTURES |= {BodyStatus.FALLEN: "fallen", BodyStatus.WALKING: "walking"}
LINKS = {
    LinkState.CLOSED: "closed",
    LinkState.CONNECTING: "connecting",
    LinkState.HANDSHAKE: "handshake",
    LinkState.READY: "ready",
    LinkState.BACKOFF: "waiting to try again",
    Phase.SILENT: "silent",
}


class Watcher(Node):
    """Follows one robot: number of percepts, pose (m, rad in ``map``), way since ``mark``."""

    def __init__(self, **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("watcher", **node_kwargs)
        self.link = "not seen"
        self.reason = ""
        self.posture = "unknown"
        self.percepts = 0
        self.placed = False  # true once a pose has been received
        self.x = self.y = self.z = self.yaw = 0.0
        self.lowest = math.inf
        self.turned = 0.0
        self.timing: dict[str, str] = {}
        self._mark: tuple[float, float] | None = None
        self.create_subscription(LinkState, "link_state", self._on_link, profile("latched"))
        self.create_subscription(BodyStatus, "body_status", self._on_status, profile("latched"))
        self.create_subscription(JointState, "joint_states", self._on_joints, profile("sensor"))
        self.create_subscription(PoseStamped, "pose", self._on_pose, profile("sensor"))
        self.create_subscription(DiagnosticArray, "/diagnostics", self._on_diagnostics, profile("state"))

    def mark(self) -> None:
        """Start to measure distance, turn and lowest height."""
        self._mark = (self.x, self.y)
        self.turned = 0.0
        self.lowest = self.z

    @property
    def distance(self) -> float:
        """Straight distance from the place of ``mark``, m."""
        return math.dist(self._mark, (self.x, self.y)) if self._mark is not None else 0.0

    def _on_link(self, message: LinkState) -> None:
        self.link = LINKS.get(message.state, "unknown")
        self.reason = message.reason

    def _on_status(self, message: BodyStatus) -> None:
        self.posture = POSTURES.get(message.posture, "unknown")

    def _on_joints(self, _: JointState) -> None:
        self.percepts += 1

    def _on_pose(self, message: PoseStamped) -> None:
        place, turn = message.pose.position, message.pose.orientation
        yaw = rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))[2]
        self.turned += wrap_angle(yaw - self.yaw) if self.placed else 0.0
        self.placed = True
        self.x, self.y, self.z, self.yaw = place.x, place.y, place.z, yaw
        self.lowest = min(self.lowest, self.z)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            values = {item.key: item.value for item in status.values}
            if "percept_to_frame_p99_ms" in values:
                self.timing = values
