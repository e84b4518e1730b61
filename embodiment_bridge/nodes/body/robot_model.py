# SPDX-License-Identifier: Apache-2.0
"""Publishes transforms of the body and its links, as robot_state_publisher does."""

from collections.abc import Sequence
from pathlib import Path

from builtin_interfaces.msg import Time
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.rotation import IDENTITY, quaternion_from_rpy
from embodiment_bridge.nodes.base.frames import TransformMessages
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.urdf import LinkTransform, Robot, fixed_transforms, link_transforms, read_urdf

# A body that knows its pose in the map has no drift: odom equals map (REP-105 asks for odom between them).
MAP_TO_ODOM = LinkTransform("map", "odom", (0.0, 0.0, 0.0), IDENTITY)


class RobotModel:
    """``robot_description``, ``/tf_static`` once, and ``/tf`` per body state.

    joints: names in the order of ``BodyState.position``. description_file may be empty: then base_link alone moves.

    Raises:
        ConfigError: the description cannot be read; the text names the file and the line.
    """

    def __init__(
        self,
        node: Node,
        joints: Sequence[str],
        description_file: str,
        *,
        publish_links: bool,
        frame_prefix: str,
    ) -> None:
        self._node = node
        self._joints = tuple(joints)
        self._messages = TransformMessages(frame_prefix)
        self._robot: Robot | None = None
        self._tf = node.create_publisher(TFMessage, "/tf", profile("events"))
        self._static = node.create_publisher(TFMessage, "/tf_static", profile("latched"))
        self._description = None
        fixed = [MAP_TO_ODOM]
        if description_file and publish_links:
            text = _read(description_file)
            self._robot = read_urdf(Path(description_file))
            fixed += fixed_transforms(self._robot)
            self._description = node.create_publisher(String, "robot_description", profile("latched"))
            self._description.publish(String(data=text))
        self._static.publish(self._messages.make(fixed, node.get_clock().now().to_msg()))

    def publish(self, state: BodyState, stamp: Time) -> None:
        """Publish base_link in odom and each movable link in its parent, if there are subscribers."""
        if not self._tf.get_subscription_count():
            return
        transforms: list[LinkTransform] = []
        if state.has_base:
            turn = quaternion_from_rpy(state.roll, state.pitch, state.yaw)
            transforms.append(LinkTransform("odom", "base_link", state.base_position, turn))
        if self._robot is not None:
            transforms += link_transforms(self._robot, dict(zip(self._joints, state.position, strict=True)))
        if transforms:  # a body without a base and without a URDF has none
            self._tf.publish(self._messages.make(transforms, stamp))

    def destroy(self) -> None:
        """Take the topics off the graph."""
        for publisher in (self._tf, self._static, self._description):
            if publisher is not None:
                self._node.destroy_publisher(publisher)


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"parameter robot_description_file: {path}: {error}") from error
