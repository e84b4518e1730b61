# SPDX-License-Identifier: Apache-2.0
"""The topics by which others move a body without a skill: trajectories, joint commands, velocities, a goal pose."""

from collections.abc import Callable
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped, Twist
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.errors import CommandError
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.motion.trajectory import TrajectoryPoint
from embodiment_bridge.msg import JointCommand
from embodiment_bridge.nodes.qos import profile
from embodiment_bridge.nodes.skill_desk import SkillDesk
from embodiment_bridge.rotation import rpy_from_quaternion

NANOSECONDS = 1e-9


class BodyCommands:
    """Subscribes; what comes is handed to the session's thread, and what is refused there is logged.

    ``refusal()`` says why nothing can be commanded now, or nothing.
    """

    def __init__(
        self, node: Node, desk: SkillDesk, *, walks: bool, frame_prefix: str, refusal: Callable[[], str]
    ) -> None:
        self._node = node
        self._desk = desk
        self._map = frame_prefix + "map"
        self._refusal = refusal
        handlers: list[tuple[Any, str, Callable[[Any], Callable[[MotionRunner], object]]]] = [
            (JointTrajectory, "joint_trajectory", _trajectory),
            (JointCommand, "joint_command", _drive),
        ]
        if walks:
            handlers += [(Twist, "cmd_vel", _velocity), (PoseStamped, "goal_pose", self._goal)]
        self._subscriptions = [
            node.create_subscription(kind, topic, partial(self._take, topic, handler), profile("command"))
            for kind, topic, handler in handlers
        ]

    def destroy(self) -> None:
        """Take the topics off the graph."""
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
            self._desk.post(action, partial(self._refuse, topic))

    def _refuse(self, topic: str, reason: str) -> None:
        self._node.get_logger().warning(f"{topic} refused: {reason}", throttle_duration_sec=1.0)

    def _goal(self, message: PoseStamped) -> Callable[[MotionRunner], object]:
        frame = message.header.frame_id
        if frame not in ("", self._map):
            raise CommandError(f"frame {frame!r} is not {self._map!r}")
        place, turn = message.pose.position, message.pose.orientation
        yaw = rpy_from_quaternion((turn.x, turn.y, turn.z, turn.w))[2]
        return lambda runner: runner.walk_to(place.x, place.y, yaw)


def _trajectory(message: JointTrajectory) -> Callable[[MotionRunner], object]:
    points = [_point(point) for point in message.points]
    return lambda runner: runner.follow(list(message.joint_names), points)


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
    forward, turn = message.linear.x, message.angular.z
    return lambda runner: runner.set_velocity(forward, turn)
