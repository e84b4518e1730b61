# SPDX-License-Identifier: Apache-2.0
"""Publishes transforms of the body and its links, as robot_state_publisher does."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from builtin_interfaces.msg import Time
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.surroundings import MAP, FixedFrames
from embodiment_bridge.core.input_file import read_text
from embodiment_bridge.core.rotation import IDENTITY, quaternion_from_rpy
from embodiment_bridge.nodes.base.frames import ROOT, TransformMessages, flat
from embodiment_bridge.nodes.base.outlet import Outlet
from embodiment_bridge.nodes.base.packed import PackedOutlet
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.urdf import LinkTransform, Robot, fixed_transforms, link_transforms, read_urdf
from embodiment_bridge.urdf.meshes import with_found_meshes

BASE_LINK = "base_link"
ORIGIN = (0.0, 0.0, 0.0)


class RobotModel:
    """``robot_description``, ``/tf_static`` once, and ``/tf`` per body state.

    joints: names in the order of ``BodyState.position``. description_file may be empty: then base_link alone moves.
    frames: those that do not move, as far as they are known.

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
        frames: FixedFrames,
    ) -> None:
        self._node = node
        self._joints = tuple(joints)
        self._prefix = frame_prefix
        self._messages = TransformMessages(frame_prefix)
        self._robot: Robot | None = None
        self._tf = PackedOutlet(
            Outlet(node, TFMessage, "/tf", profile("events")), TransformMessages(frame_prefix).of_numbers
        )
        self._static = node.create_publisher(TFMessage, "/tf_static", profile("latched"))
        self._description = None
        self._fixed: list[LinkTransform] = []
        if description_file and publish_links:
            text = _read(description_file)
            self._robot = read_urdf(Path(description_file))
            text = with_found_meshes(text, Path(description_file))
            self._fixed = list(fixed_transforms(self._robot))
            if BASE_LINK not in self._robot.links:  # the root under the name that poses are of
                self._fixed.append(LinkTransform(BASE_LINK, self._robot.root, ORIGIN, IDENTITY))
            self._description = node.create_publisher(String, "robot_description", profile("latched"))
            self._description.publish(String(data=text))
        self.show_frames(frames)

    def show_frames(self, frames: FixedFrames) -> None:
        """Publish all frames that do not move once more: a late subscriber gets the last message alone."""
        shown = [*_world(frames, self._prefix), *self._fixed]
        self._static.publish(self._messages.make(shown, self._node.get_clock().now().to_msg()))

    def publish(self, state: BodyState, stamp: Time) -> None:
        """Publish base_link in odom and each movable link in its parent, if there are subscribers."""
        if not self._tf.wanted:
            return
        transforms: list[LinkTransform] = []
        if state.has_base:
            turn = quaternion_from_rpy(state.roll, state.pitch, state.yaw)
            transforms.append(LinkTransform("odom", BASE_LINK, state.base_position, turn))
        if self._robot is not None:
            transforms += link_transforms(self._robot, dict(zip(self._joints, state.position, strict=True)))
        if transforms:  # a body without a base and without a URDF has none
            frames, numbers = flat(transforms)
            self._tf.publish(frames, numbers, stamp)

    def destroy(self) -> None:
        """Take the topics off the graph."""
        self._tf.destroy()
        for publisher in (self._static, self._description):
            if publisher is not None:
                self._node.destroy_publisher(publisher)


def _world(frames: FixedFrames, prefix: str) -> Iterator[LinkTransform]:
    """The frames of the ground.

    A body that knows its pose has no drift: odom equals the frame of the pose (REP-105 asks for odom between them).
    """
    if frames.shared and prefix:
        yield LinkTransform(ROOT + MAP, MAP, ORIGIN, IDENTITY)
    for name, (x, y, yaw) in frames.placed.items():
        yield LinkTransform(MAP, name, (x, y, 0.0), quaternion_from_rpy(0.0, 0.0, yaw))
    yield LinkTransform(frames.base, "odom", ORIGIN, IDENTITY)


def _read(path: str) -> str:
    return read_text(Path(path), "parameter robot_description_file:")
