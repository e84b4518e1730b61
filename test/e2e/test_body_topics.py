# SPDX-License-Identifier: Apache-2.0
"""A T1 on the real server, moved by topics: trajectories, joint commands, velocities, a goal pose, say, beam."""

import math
from collections.abc import Callable
from typing import Any

import pytest
from builtin_interfaces.msg import Duration
from embodiment_bridge.msg import HeardMessage, JointCommand
from embodiment_bridge.srv import Beam
from geometry_msgs.msg import PoseStamped, Twist
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

UPRIGHT = 0.55  # m


class Hand:
    """Publishes commands to a robot and reads its joints."""

    def __init__(self, robot: Any) -> None:
        self.robot = robot
        self.node: Node = robot.watcher
        self.joints: dict[str, float] = {}
        self.node.create_subscription(JointState, "joint_states", self._on_joints, 10)

    def _on_joints(self, message: JointState) -> None:
        self.joints = dict(zip(message.name, message.position, strict=True))

    def repeat(self, publisher: Any, message: Any, until: Callable[[], bool]) -> None:
        """Publish 20 times a second until something is so."""
        timer = self.node.create_timer(
            0.05, lambda: publisher.publish(message), clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self.robot.until(until)
        self.node.destroy_timer(timer)

    def publisher(self, kind: Any, topic: str) -> Any:
        return self.robot.publisher(kind, topic)


def trajectory(names: list[str], *points: tuple[float, list[float]]) -> JointTrajectory:
    message = JointTrajectory(joint_names=names)
    message.points = [
        JointTrajectoryPoint(positions=p, time_from_start=Duration(sec=int(t), nanosec=round(t % 1 * 1e9)))
        for t, p in points
    ]
    return message


@pytest.fixture
def hand(server, robots):
    robot = robots(server)
    robot.join()
    return Hand(robot)


def test_trajectory_moves_the_arm_to_its_last_point(hand) -> None:
    publisher = hand.publisher(JointTrajectory, "joint_trajectory")
    publisher.publish(trajectory(["Left_Elbow_Pitch", "AAHead_yaw"], (0.5, [0.5, 0.2]), (1.0, [1.0, -0.4])))
    hand.robot.until(lambda: abs(hand.joints.get("Left_Elbow_Pitch", 0) - 1.0) < 0.05)
    hand.robot.until(lambda: abs(hand.joints["AAHead_yaw"] + 0.4) < 0.05)
    assert hand.robot.watcher.z > UPRIGHT


def test_bad_trajectories_move_nothing(hand) -> None:
    publisher = hand.publisher(JointTrajectory, "joint_trajectory")
    publisher.publish(trajectory(["Left_Elbow_Pitch", "Tail"], (0.5, [0.5, 0.2])))
    publisher.publish(trajectory(["Left_Elbow_Pitch"], (0.5, [9.0])))
    publisher.publish(trajectory(["Left_Elbow_Pitch"], (0.5, [math.nan])))
    publisher.publish(trajectory(["Left_Elbow_Pitch"], (0.5, [0.4]), (0.2, [0.6])))
    good = trajectory(["Right_Elbow_Pitch"], (0.5, [0.7]))
    publisher.publish(good)
    hand.robot.until(lambda: abs(hand.joints.get("Right_Elbow_Pitch", 0) - 0.7) < 0.05)
    assert abs(hand.joints["Left_Elbow_Pitch"]) < 0.1


def test_joint_command_holds_after_it_stops_coming(hand) -> None:
    publisher = hand.publisher(JointCommand, "joint_command")
    command = JointCommand(names=["AAHead_yaw"], position=[0.6], kp=[40.0], kd=[2.0])
    hand.repeat(publisher, command, lambda: abs(hand.joints.get("AAHead_yaw", 0) - 0.6) < 0.1)
    before = hand.robot.watcher.percepts
    hand.robot.until(lambda: hand.robot.watcher.percepts > before + 100)
    assert abs(hand.joints["AAHead_yaw"] - 0.6) < 0.1


def test_velocity_walks_and_times_out_to_a_stop(hand) -> None:
    publisher = hand.publisher(Twist, "cmd_vel")
    message = Twist()
    message.linear.x = 0.25
    hand.repeat(publisher, message, lambda: hand.robot.watcher.distance > 0.3)
    hand.robot.until(lambda: hand.robot.watcher.posture == "standing")
    assert hand.robot.watcher.z > UPRIGHT


def test_goal_pose_is_reached_and_faced(hand) -> None:
    watcher = hand.robot.watcher
    publisher = hand.publisher(PoseStamped, "goal_pose")
    goal = PoseStamped()
    goal.header.frame_id = "map"
    x, y, yaw = watcher.x + 0.6, watcher.y - 0.4, 0.5
    goal.pose.position.x, goal.pose.position.y = x, y
    goal.pose.orientation.z, goal.pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
    publisher.publish(goal)
    hand.robot.until(lambda: watcher.posture == "walking")
    hand.robot.until(lambda: watcher.posture == "standing")
    assert math.dist((x, y), (watcher.x, watcher.y)) < 0.4
    assert abs(watcher.yaw - yaw) < 0.2
    assert watcher.z > UPRIGHT


def test_goal_in_another_frame_is_refused(hand) -> None:
    publisher = hand.publisher(PoseStamped, "goal_pose")
    goal = PoseStamped()
    goal.header.frame_id = "moon"
    goal.pose.position.x = 5.0
    publisher.publish(goal)
    before = hand.robot.watcher.percepts
    hand.robot.until(lambda: hand.robot.watcher.percepts > before + 50)
    assert hand.robot.watcher.posture == "standing"


def test_skill_takes_the_head_from_a_trajectory(hand) -> None:
    publisher = hand.publisher(JointTrajectory, "joint_trajectory")
    publisher.publish(trajectory(["AAHead_yaw"], (30.0, [1.0])))
    result = hand.robot.skill("head_shake")
    assert result.status == result.SUCCEEDED
    assert abs(hand.joints["AAHead_yaw"]) < 0.2


def test_what_one_says_another_hears(hand, server, robots) -> None:
    other = robots(server, number=3, publish_clock=False, use_sim_time=False)
    other.until(lambda: other.watcher.link == "ready")
    heard: list[str] = []
    other.watcher.create_subscription(HeardMessage, "heard", lambda m: heard.append(m.text), 10)
    publisher = hand.publisher(String, "say")
    publisher.publish(String(data="much too long a text"))
    hand.repeat(publisher, String(data="hello"), lambda: bool(heard))
    assert set(heard) == {"hello"}


def test_what_is_said_by_a_skill_is_heard_too(hand, server, robots) -> None:
    other = robots(server, number=3, publish_clock=False, use_sim_time=False)
    other.until(lambda: other.watcher.link == "ready")
    heard: list[str] = []
    other.watcher.create_subscription(HeardMessage, "heard", lambda m: heard.append(m.text), 10)
    other.until(lambda: other.watcher.count_publishers("heard") > 0)

    def said() -> bool:
        result = hand.robot.skill("say", text="hi there")
        assert result.status == result.SUCCEEDED
        return bool(heard)

    other.until(said)
    assert set(heard) == {"hi there"}
    result = hand.robot.skill("say", text="much too long a text")
    assert "the server carries 10" in result.reason


def test_beam_places_the_robot_before_kick_off(hand) -> None:
    robot = hand.robot
    assert robot.call(Beam, "beam", x=-5.0, y=3.0, theta=0.0).success
    robot.until(lambda: math.dist((robot.watcher.x, robot.watcher.y), (-5.0, 3.0)) < 0.2)
    bad = robot.call(Beam, "beam", x=math.nan)
    assert not bad.success
    assert "x is nan" in bad.message
