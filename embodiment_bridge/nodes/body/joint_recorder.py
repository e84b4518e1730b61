# SPDX-License-Identifier: Apache-2.0
"""Records `joint_states` as rows of angles over the body's own time."""

from math import isfinite

from rclpy.node import Node
from sensor_msgs.msg import JointState

from embodiment_bridge.nodes.base.qos import profile

SAMPLE_LIMIT = 100_000
NANOSECONDS = 1e-9


class JointRecorder:
    """Records joint angles: ``names`` of the first message, ``times`` in s, ``rows`` in rad, one per time."""

    def __init__(self, node: Node) -> None:
        self.names: list[str] = []
        self.times: list[float] = []
        self.rows: list[list[float]] = []
        self.seen = 0
        self.recording = False
        self._node = node
        self._subscription = node.create_subscription(
            JointState, "joint_states", self._take, profile("sensor")
        )

    @property
    def length(self) -> float:
        """Length of the recording, s."""
        return self.times[-1] - self.times[0] if self.times else 0.0

    @property
    def full(self) -> bool:
        """Whether the recording has its largest length."""
        return len(self.times) >= SAMPLE_LIMIT

    def destroy(self) -> None:
        """Stop recording."""
        self._node.destroy_subscription(self._subscription)

    def _take(self, message: JointState) -> None:
        self.seen += 1
        if not self.recording or self.full:
            return
        time = message.header.stamp.sec + message.header.stamp.nanosec * NANOSECONDS
        if self.times and time <= self.times[-1]:
            return
        angles = dict(zip(message.name, message.position, strict=False))
        self.names = self.names or list(angles)
        before = self.rows[-1] if self.rows else [0.0] * len(self.names)
        row = [angles.get(name, before[i]) for i, name in enumerate(self.names)]
        self.times.append(time)
        self.rows.append([angle if isfinite(angle) else old for angle, old in zip(row, before, strict=True)])
