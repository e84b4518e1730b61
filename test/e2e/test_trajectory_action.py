# SPDX-License-Identifier: Apache-2.0
"""The action follow_joint_trajectory on a body that has no servos."""

import pytest
from rclpy.action import ActionClient
from run_stage import RunStage
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.nodes.base.runtime import Runtime


@pytest.fixture
def stage():
    with Runtime() as runtime:
        made = RunStage(runtime, "/trajectory", sound="null", speech="none")
        made.join()
        yield made
        made.close()


def test_the_mock_body_follows_a_trajectory_and_refuses_unknown_joints(stage) -> None:
    from control_msgs.action import FollowJointTrajectory

    client = ActionClient(stage.watcher, FollowJointTrajectory, "follow_joint_trajectory")
    stage.until(client.server_is_ready)

    def follow(joint: str, angle: float = 0.4, seconds: int = 2):
        point = JointTrajectoryPoint(positions=[angle], velocities=[0.0])
        point.time_from_start.sec = seconds
        goal = FollowJointTrajectory.Goal(trajectory=JointTrajectory(joint_names=[joint], points=[point]))
        answer = client.send_goal_async(goal)
        stage.until(answer.done)
        result = answer.result().get_result_async()
        stage.until(result.done)
        return result.result().result

    found = follow("head_yaw")
    assert (found.error_code, found.error_string) == (FollowJointTrajectory.Result.SUCCESSFUL, "")
    stage.steps(2)
    assert stage.joints()["head_yaw"] == pytest.approx(0.4, abs=0.02)
    assert follow("tail").error_code == FollowJointTrajectory.Result.INVALID_JOINTS
    found = follow("head_yaw", -0.8, 0)
    assert found.error_code == FollowJointTrajectory.Result.SUCCESSFUL
    assert "its joints are not faster" in found.error_string
    for _ in range(50):  # a second
        stage.steps(1)
        assert stage.joints()["head_yaw"] > -0.82
    assert stage.joints()["head_yaw"] == pytest.approx(-0.8, abs=0.02)
    client.destroy()
