# SPDX-License-Identifier: Apache-2.0
"""Publishes a body for other nodes and people.

`joint_states`, `odom`, transforms of its links as robot_state_publisher does, and `markers`. SI units.
"""

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from math import cos, hypot, sin
from pathlib import Path
from typing import Any, Final

from builtin_interfaces.msg import Time
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Header, String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.body.state_messages import odometry
from embodiment_bridge.body.surroundings import MAP, FixedFrames
from embodiment_bridge.core.rotation import IDENTITY, quaternion_from_rpy
from embodiment_bridge.nodes.base.messages import ROOT, TransformMessages, flat, nanoseconds
from embodiment_bridge.nodes.base.outlet import Outlet, PackedOutlet
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.scene.markers import Key, Light, Scene, draw
from embodiment_bridge.urdf import (
    LinkTransform,
    Robot,
    chain,
    fixed_transforms,
    link_transforms,
    read_urdf,
    seen_from,
)
from embodiment_bridge.urdf.meshes import with_found_meshes
from embodiment_bridge.urdf.model import JointType
from embodiment_bridge.urdf.source import read_description

PERIOD: Final = 100_000_000  # ns between drawings
STALE: Final = 1_000_000_000  # ns after which a message is out of date
DRAWN: Final = ("entities", "vision", "touch")


class MarkerPublisher:
    """Keeps the last message of each topic that is drawn; call it on the session's thread.

    It draws nothing without subscribers.
    """

    def __init__(self, node: Node, frame_prefix: str) -> None:
        self._base_frame = frame_prefix + "base_link"
        self._topic = Outlet(node, MarkerArray, "markers", profile("state"))
        self._lights: Mapping[str, Light] = {}
        self._latest: dict[str, Any] = {}
        self._drawn: set[Key] = set()
        self._last = -PERIOD

    @property
    def wanted(self) -> bool:
        """Whether there are subscribers."""
        return self._topic.wanted

    def update(self, topic: str, message: Any) -> None:
        """Keep a message that the body publishes; it must not be changed afterwards."""
        if topic in DRAWN:
            self._latest[topic] = message

    def show(self, lights: Mapping[str, Light]) -> None:
        """Set the state of the lights; from any thread."""
        self._lights = dict(lights)

    def publish(self, stamp: Time) -> None:
        """Draw, if it is time and there are subscribers."""
        now = nanoseconds(stamp)
        if abs(now - self._last) < PERIOD:
            return
        self._last = now
        if not self.wanted:
            self._drawn = set()
            return
        fresh = {
            topic: message
            for topic, message in self._latest.items()
            if abs(now - nanoseconds(message.header.stamp)) < STALE
        }
        scene = Scene(stamp, self._base_frame, lights=self._lights, **fresh)
        message, self._drawn = draw(scene, self._drawn)
        self._topic.publish(message)


class JointStates:
    """Publishes ``joint_states``: angles (rad) and rates (rad/s) of the joints ``names``, if there are subscribers."""

    def __init__(self, node: Node, names: Sequence[str]) -> None:
        outlet = Outlet(node, JointState, "joint_states", profile("sensor"))
        self._topic: PackedOutlet[tuple[str, ...]] = PackedOutlet(outlet, _message)
        self._names = tuple(names)

    def publish(self, state: BodyState, stamp: Time) -> None:
        """Publish what a state says of the joints."""
        if self._topic.wanted:
            self._topic.publish(self._names, state.position + state.velocity, stamp)


def _message(names: tuple[str, ...], numbers: Sequence[float], stamp: Time) -> JointState:
    half = len(numbers) // 2
    make = partial(array, "d")  # the only sequence of which rosidl does not check each value
    return JointState(
        header=Header(stamp=stamp), name=names, position=make(numbers[:half]), velocity=make(numbers[half:])
    )


FILTER_S = 0.1  # s, time constant of the velocity: places come with rounding or noise
FASTEST = 20.0  # m/s; what seems faster was put elsewhere
GAP_S = 0.5  # s without a place after which the velocity is not known


class OdometryPublisher:
    """Publishes the pose in ``odom`` (the frame of ``pose``) and the velocity in ``base_link`` (m/s, rad/s).

    Bodies sense places and no velocities, so that of ``base_link`` is how its place changed, smoothed over 0.1 s.
    """

    def __init__(self, node: Node, prefix: str) -> None:
        self._prefix = prefix
        self._publisher = Outlet(node, Odometry, "odom", profile("sensor"))
        self._last: BodyState | None = None
        self._velocity = (0.0, 0.0)  # along x and y of odom

    def publish(self, state: BodyState, stamp: Time) -> None:
        """Publish if there are subscribers and the body knows where it is; from the second place on."""
        if not self._publisher.wanted:
            self._last = None
            return
        if not state.has_base:
            return
        known = self._follow(state)
        if not known:
            return
        (vx, vy), c, s = self._velocity, cos(state.yaw), sin(state.yaw)
        speed = c * vx + s * vy, c * vy - s * vx, 0.0
        self._publisher.publish(odometry(state, speed, stamp, self._prefix))

    def _follow(self, state: BodyState) -> bool:
        """Update the velocity; whether it is known."""
        last, self._last = self._last, state
        dt = 0.0 if last is None else state.time - last.time
        if last is None or not 0.0 <= dt <= GAP_S:
            self._velocity = (0.0, 0.0)
            return False
        if dt:
            now = [(new - old) / dt for new, old in zip(state.base_position, last.base_position, strict=True)]
            if hypot(*now[:2]) > FASTEST:
                self._velocity = (0.0, 0.0)
                return False
            share = dt / (FILTER_S + dt)
            x, y = self._velocity
            self._velocity = (x + share * (now[0] - x), y + share * (now[1] - y))
        return True


BASE_LINK = "base_link"
ORIGIN = (0.0, 0.0, 0.0)


class RobotModel:
    """Publishes ``robot_description``, ``/tf_static`` once, and ``/tf`` per body state.

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
        self._fixed: list[LinkTransform] = []
        self._above: Collection[str] = ()  # links between the root and base_link, which hang on base_link
        if description_file and publish_links:
            text = _read(description_file)
            self._robot = read_urdf(Path(description_file))
            text = with_found_meshes(text, Path(description_file))
            for warning in self._robot.warnings:
                node.get_logger().warning(warning)
            if BASE_LINK in self._robot.links:
                self._above = {joint.child for joint in chain(self._robot, self._robot.root, BASE_LINK)}
            self._fixed = seen_from(fixed_transforms(self._robot), self._above)
            if BASE_LINK not in self._robot.links:  # the root under the name that poses are of
                self._fixed.append(LinkTransform(BASE_LINK, _base_of(self._robot), ORIGIN, IDENTITY))
            description = node.create_publisher(String, "robot_description", profile("latched"))
            description.publish(String(data=text))
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
            positions = dict(zip(self._joints, state.position, strict=True))
            transforms += seen_from(link_transforms(self._robot, positions), self._above)
        if transforms:  # a body without a base and without a URDF has none
            frames, numbers = flat(transforms)
            self._tf.publish(frames, numbers, stamp)


def _base_of(robot: Robot) -> str:
    """Return the link that the pose is of: one on a floating joint under the root, or else the root."""
    floats = (joint for joint in robot.joints.values() if joint.type is JointType.FLOATING)
    return next((joint.child for joint in floats if joint.parent == robot.root), robot.root)


def _world(frames: FixedFrames, prefix: str) -> Iterator[LinkTransform]:
    """Return the frames of the ground.

    A body that knows its pose has no drift: odom equals the frame of the pose (REP-105 asks for odom between them).
    """
    if frames.shared and prefix:
        yield LinkTransform(ROOT + MAP, MAP, ORIGIN, IDENTITY)
    for name, (x, y, yaw) in frames.placed.items():
        yield LinkTransform(MAP, name, (x, y, 0.0), quaternion_from_rpy(0.0, 0.0, yaw))
    yield LinkTransform(frames.base, "odom", ORIGIN, IDENTITY)


def _read(path: str) -> str:
    return read_description(Path(path), "parameter robot_description_file:")
