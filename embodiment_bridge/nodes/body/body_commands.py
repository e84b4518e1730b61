# SPDX-License-Identifier: Apache-2.0
"""Serves the topics and services that command a body without a skill."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, Twist, TwistStamped
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.body.description import LIGHT_PATTERNS, Light
from embodiment_bridge.body.surroundings import FixedFrames, Place
from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.motion.joints.direct import TIMEOUT_S
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.runner import VELOCITY_TIMEOUT_S, MotionRunner
from embodiment_bridge.msg import JointCommand, LightCommand
from embodiment_bridge.nodes.base.messages import seconds
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.nodes.sound.mouth_light import LEVEL
from embodiment_bridge.protocols.converter import Converter
from embodiment_bridge.protocols.registry import ProtocolSpec


class Response(Protocol):
    """Describes the response of a service."""

    success: bool
    message: str


class ProtocolInputs:
    """Subscribes to the inputs and offers the services of a protocol.

    ``refusal()`` says why nothing can be sent now; empty when something can.
    """

    def __init__(
        self, node: Node, spec: ProtocolSpec, converter: Converter[object, object], refusal: Callable[[], str]
    ) -> None:
        self._node = node
        self._converter = converter
        self._refusal = refusal
        for item in spec.inputs:
            take = partial(self._message, item.name)
            node.create_subscription(resolve(item.type), item.name, take, profile("command"))
        for item in spec.services:
            node.create_service(resolve(item.type), item.name, partial(self._request, item.name))

    def _send(self, name: str, message: object) -> str:
        refusal = self._refusal()
        if refusal:
            raise CommandError(refusal)
        return self._converter.handle_request(name, message)

    def _message(self, name: str, message: object) -> None:
        try:
            self._send(name, message)
        except CommandError as error:
            self._node.get_logger().warning(f"{name}: {error}", throttle_duration_sec=1.0)

    def _request(self, name: str, request: object, response: Response) -> Response:
        try:
            response.message = self._send(name, request)
            response.success = True
        except CommandError as error:
            response.success, response.message = False, str(error)
        return response


GOAL_AGE_S = 10.0  # s that a stamped goal_pose may be old


class BodyCommands:
    """Subscribes, hands the commands over to the session's thread, and logs those that are refused there.

    ``walks``: there are cmd_vel (a TwistStamped if ``stamped``) and goal_pose. ``refusal()`` says why commands are
    refused now; empty if they are not. ``frames()`` says in which frames goals may be, without ``frame_prefix``.
    """

    def __init__(
        self,
        node: Node,
        queue: SkillQueue,
        *,
        walks: bool,
        stamped: bool,
        frame_prefix: str,
        frames: Callable[[], FixedFrames],
        refusal: Callable[[], str],
    ) -> None:
        self._node = node
        self._queue = queue
        self._prefix = frame_prefix
        self._frames = frames
        self._refusal = refusal
        handlers: list[tuple[Any, str, Callable[[Any], Callable[[MotionRunner], object]]]] = [
            (JointTrajectory, "joint_trajectory", self._trajectory),
            (JointCommand, "joint_command", self._drive),
            (LightCommand, "lights", _light),
        ]
        if walks:
            velocity = (
                (TwistStamped, "cmd_vel", self._stamped_velocity)
                if stamped
                else (Twist, "cmd_vel", _velocity)
            )
            handlers += [velocity, (PoseStamped, "goal_pose", self._goal)]
        for kind, topic, handler in handlers:
            node.create_subscription(kind, topic, partial(self._take, topic, handler), profile("command"))

    def _take(
        self, topic: str, handler: Callable[[Any], Callable[[MotionRunner], object]], message: Any
    ) -> None:
        refusal = self._refusal()
        if refusal:
            self._refuse(topic, refusal)
            return
        try:
            action = handler(message)
        except CommandError as error:
            self._refuse(topic, str(error))
        else:
            self._queue.post(action, partial(self._refuse, topic))

    def _refuse(self, topic: str, reason: str) -> None:
        self._node.get_logger().warning(f"{topic} refused: {reason}", throttle_duration_sec=1.0)

    def _fresh(self, stamp: Time, within: float) -> None:
        """Check that a stamp, if there is one, is at most ``within`` s off the robot's clock.

        Raises:
            CommandError: it is not; the command is too late, or the clocks differ.
        """
        late = -delay_of(stamp, self._node)
        if abs(late) > within:
            when = f"{late:.2f} s old" if late > 0.0 else f"{-late:.2f} s in the future"
            raise CommandError(
                f"its stamp is {when} by the robot's clock, and may be {within:g} s off; without a stamp it counts now"
            )

    def _trajectory(self, message: JointTrajectory) -> Callable[[MotionRunner], object]:
        return trajectory_of(message, self._node)[1]

    def _drive(self, message: JointCommand) -> Callable[[MotionRunner], object]:
        self._fresh(message.header.stamp, TIMEOUT_S)
        columns = {
            "position": message.position,
            "velocity": message.velocity,
            "kp": message.kp,
            "kd": message.kd,
            "effort": message.effort,
        }
        return lambda runner: runner.drive(list(message.names), columns)

    def _stamped_velocity(self, message: TwistStamped) -> Callable[[MotionRunner], object]:
        self._fresh(message.header.stamp, VELOCITY_TIMEOUT_S)
        frame = message.header.frame_id
        if frame not in ("", base := self._prefix + "base_link"):
            raise CommandError(f"frame {frame!r} is not {base!r}")
        return _velocity(message.twist)

    def _goal(self, message: PoseStamped) -> Callable[[MotionRunner], object]:
        self._fresh(message.header.stamp, GOAL_AGE_S)
        place, turn = message.pose.position, message.pose.orientation
        yaw = rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))[2]
        goal = self._frames().in_base(message.header.frame_id, self._prefix, Place(place.x, place.y, yaw))
        return lambda runner: runner.walk_to(*goal)


def delay_of(stamp: Time, node: Node) -> float:
    """Return how many s after now a stamp is by the robot's clock; 0 without a stamp."""
    at = seconds(stamp)
    return at - seconds(node.get_clock().now().to_msg()) if at else 0.0


def trajectory_of(
    message: JointTrajectory, node: Node, *, judged: bool = True
) -> tuple[list[TrajectoryPoint], Callable[[MotionRunner], str]]:
    """Return the points of a trajectory, and a function that starts a runner on them and returns the id to cancel.

    Raises:
        CommandError: it asks for torques, which joints do not follow.
    """
    if any(point.effort for point in message.points):
        raise CommandError("trajectory: effort is not followed; leave it out, or use joint_command")
    points, delay = [_point(point) for point in message.points], delay_of(message.header.stamp, node)
    return points, lambda runner: runner.follow(list(message.joint_names), points, delay, judged=judged)


def _point(point: JointTrajectoryPoint) -> TrajectoryPoint:
    return TrajectoryPoint(seconds(point.time_from_start), tuple(point.positions), tuple(point.velocities))


def _velocity(message: Twist) -> Callable[[MotionRunner], object]:
    forward, left, turn = message.linear.x, message.linear.y, message.angular.z
    return lambda runner: runner.set_velocity(forward, turn, left=left)


def _light(message: LightCommand) -> Callable[[MotionRunner], object]:
    if message.pattern == LEVEL:
        return lambda runner: runner.lights.set_level(message.light, message.level)
    patterns = (*LIGHT_PATTERNS, "off", LEVEL)
    if message.pattern not in patterns:
        raise CommandError(unknown("pattern", message.pattern, patterns))
    color = (message.color.r, message.color.g, message.color.b)
    if not all(0.0 <= part <= 1.0 for part in color):
        raise CommandError(f"color {color} is not within 0..1 each")
    light = Light(message.pattern, color if message.color.a > 0.0 else None)
    return lambda runner: runner.lights.set_light(message.light, light)
