# SPDX-License-Identifier: Apache-2.0
"""Topics that command a body without a skill: trajectories, joint commands, velocities, a goal, lights."""

from collections.abc import Callable
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped, Twist, TwistStamped
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.body.description import LIGHT_PATTERNS, Light
from embodiment_bridge.body.fixed_frames import FixedFrames, Place
from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.msg import JointCommand, LightCommand
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.nodes.sound.mouth_light import LEVEL

NANOSECONDS = 1e-9


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
            (JointTrajectory, "joint_trajectory", _trajectory),
            (JointCommand, "joint_command", _drive),
            (LightCommand, "lights", _light),
        ]
        if walks:
            velocity = (
                (TwistStamped, "cmd_vel", self._stamped_velocity)
                if stamped
                else (Twist, "cmd_vel", _velocity)
            )
            handlers += [velocity, (PoseStamped, "goal_pose", self._goal)]
        self._subscriptions = [
            node.create_subscription(kind, topic, partial(self._take, topic, handler), profile("command"))
            for kind, topic, handler in handlers
        ]

    def destroy(self) -> None:
        """Remove the topics from the graph."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)

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

    def _stamped_velocity(self, message: TwistStamped) -> Callable[[MotionRunner], object]:
        frame = message.header.frame_id
        if frame not in ("", base := self._prefix + "base_link"):
            raise CommandError(f"frame {frame!r} is not {base!r}")
        return _velocity(message.twist)

    def _goal(self, message: PoseStamped) -> Callable[[MotionRunner], object]:
        place, turn = message.pose.position, message.pose.orientation
        yaw = rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))[2]
        goal = self._frames().in_base(message.header.frame_id, self._prefix, Place(place.x, place.y, yaw))
        return lambda runner: runner.walk_to(*goal)


def _trajectory(message: JointTrajectory) -> Callable[[MotionRunner], object]:
    return trajectory_of(message)[1]


def trajectory_of(
    message: JointTrajectory,
) -> tuple[list[TrajectoryPoint], Callable[[MotionRunner], str]]:
    """The points of a trajectory, and the function that makes a runner follow them and returns the id to cancel."""
    points = [_point(point) for point in message.points]
    return points, lambda runner: runner.follow(list(message.joint_names), points)


def _point(point: JointTrajectoryPoint) -> TrajectoryPoint:
    time = point.time_from_start.sec + point.time_from_start.nanosec * NANOSECONDS
    return TrajectoryPoint(time, tuple(point.positions), tuple(point.velocities))


def _drive(message: JointCommand) -> Callable[[MotionRunner], object]:
    columns = {
        "position": message.position,
        "velocity": message.velocity,
        "kp": message.kp,
        "kd": message.kd,
        "effort": message.effort,
    }
    return lambda runner: runner.drive(list(message.names), columns)


def _velocity(message: Twist) -> Callable[[MotionRunner], object]:
    forward, left, turn = message.linear.x, message.linear.y, message.angular.z
    return lambda runner: runner.set_velocity(forward, turn, left=left)


def _light(message: LightCommand) -> Callable[[MotionRunner], object]:
    if message.pattern == LEVEL:
        return lambda runner: runner.set_light_level(message.light, message.level)
    patterns = (*LIGHT_PATTERNS, "off", LEVEL)
    if message.pattern not in patterns:
        raise CommandError(unknown("pattern", message.pattern, patterns))
    color = (message.color.r, message.color.g, message.color.b)
    if not all(0.0 <= part <= 1.0 for part in color):
        raise CommandError(f"color {color} is not within 0..1 each")
    light = Light(message.pattern, color if message.color.a > 0.0 else None)
    return lambda runner: runner.show(message.light, light)
