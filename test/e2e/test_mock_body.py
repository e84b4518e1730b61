# SPDX-License-Identifier: Apache-2.0
"""The mock body as a node: BML and skills through the graph, its topics, its lifecycle, and its time."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from action_msgs.msg import GoalStatus, GoalStatusArray
from builtin_interfaces.msg import Time
from embodiment_bridge.action import ExecuteSkill
from embodiment_bridge.msg import BodyStatus, JointCommand, LightCommand, LinkState
from geometry_msgs.msg import PoseStamped, Twist, TwistStamped, Vector3
from graph_stage import FAILED, SUCCEEDED
from mock_node_stage import FAST, ROOT, TOPICS, Mock
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
from waiting import spin_until

from embodiment_bridge.nodes.base.action_server import KEEP_S
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.nodes.body.mock_body import MockBody


@pytest.fixture
def mocks():
    """Makes mock bodies: ``mocks(**parameters)``."""
    made: list[Mock] = []
    with Runtime() as runtime:

        def make(**values: Any) -> Mock:
            made.append(Mock(runtime, f"/mock{len(made)}", **values))
            return made[-1]

        yield make
        for mock in made:
            mock.close()


def shortest(measure: Callable[[], float], below: float, tries: int) -> float:
    """The shortest of some times, which a busy machine makes longer: until one is ``below``."""
    times = [measure()]
    while times[-1] > below and len(times) < tries:
        times.append(measure())
    return min(times)


def test_all_actions_of_the_seed_succeed_with_none_skipped_and_in_time(mocks) -> None:
    mock = mocks(**FAST | {"speed": 2.0})  # faster, a moment of a busy machine is as long as what is asked
    mock.join()

    def elapsed() -> float:
        result = mock.run((ROOT / "test/data/bml/11_self_test_all_actions.json").read_text())
        assert (result.outcome, result.reason) == ("SUCCEEDED", "")
        return result.elapsed  # of its own time; each moment of a busy machine between two actions is added

    assert shortest(elapsed, below=20.3, tries=4) == pytest.approx(20.0, abs=0.3)
    assert not [warning for warning in mock.warnings if "SKIPPED" in warning or "REPLACED" in warning]
    document = json.loads((ROOT / "test/data/bml/11_self_test_all_actions.json").read_text())
    for action in document["behaviors"]:
        assert mock.did(action["action"].lower()) == (SUCCEEDED, "")


def test_grab_and_drop_and_why_not(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    mock.until(lambda: "entities" in mock.last)
    status, reason = mock.did("grab")
    assert status == FAILED
    assert reason.endswith("m away; the hand reaches 0.5 m")
    assert mock.did("drop") == (FAILED, "there is nothing in the hand")
    mock.world.ball.x, mock.world.ball.y = 0.4, 0.0
    assert mock.did("grab") == (SUCCEEDED, "")
    mock.until(lambda: bool(mock.ball().properties))
    assert [(item.key, item.value) for item in mock.ball().properties] == [("owner", "mock")]
    assert mock.ball().pose.position.z > 0.2
    assert mock.did("drop") == (SUCCEEDED, "")
    mock.until(lambda: not mock.ball().properties and mock.ball().pose.position.z == pytest.approx(0.08))


def test_a_kick_that_the_camera_does_not_see_says_so_to_skills_and_documents(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    unseen = "done as commanded; this body cannot see the result"
    ball = mock.world.ball
    ball.x, ball.y = 0.4, 0.0
    assert mock.did("look_at", yaw=1.5) == (SUCCEEDED, "")
    mock.until(lambda: not mock.ball().visible)
    assert mock.did("kick", distance=0.5) == (SUCCEEDED, unseen)
    assert ball.x == pytest.approx(0.9, abs=0.1)
    ball.x = 0.4
    result = mock.run('{"type": "body", "action": "KICK", "parameters": {"distance": 0.5}}')
    assert result.outcome == "SUCCEEDED"
    mock.until(lambda: f": REMARK: {unseen}" in mock.warnings)


def test_what_is_wrong_with_a_request_is_said(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    assert mock.did("grap")[1].startswith("unknown skill 'grap'; did you mean 'grab'?")
    assert mock.did("say", text="x" * 201)[1].endswith("has 201 characters, more than 200")
    assert mock.did("look_at", entity="bal")[1].startswith("unknown entity 'bal'; did you mean 'ball'?")


def test_a_replaced_skill_is_no_success_of_the_action(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    one, other = mock.ask("head_shake", slot=30.0), mock.ask("head_shake")
    ends = [mock.result(goal.get_result_async()) for goal in (one, other)]
    assert [(end.status, end.result.status) for end in ends] == [
        (GoalStatus.STATUS_ABORTED, ExecuteSkill.Result.REPLACED),
        (GoalStatus.STATUS_SUCCEEDED, ExecuteSkill.Result.SUCCEEDED),
    ]


def test_walks_and_turns_move_the_pose(mocks) -> None:
    mock = mocks(**FAST, seed=5)
    mock.join()
    assert mock.did("walk", distance=0.5) == (SUCCEEDED, "")
    mock.until(lambda: mock.watcher.distance == pytest.approx(0.5, abs=0.01))
    assert mock.did("turn_left", angle=1.0) == (SUCCEEDED, "")
    mock.until(lambda: mock.watcher.yaw == pytest.approx(1.0, abs=0.03))
    base = next(t for t in mock.last["/tf"].transforms if t.child_frame_id == "base_link")
    assert base.header.frame_id == "odom"
    assert base.transform.translation.x == pytest.approx(0.5, abs=0.01)
    assert base.transform.translation.z == pytest.approx(0.3)


def test_velocity_commands_drive_it_and_end_by_themselves(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    message = Twist()
    message.linear.x = 0.2
    mock.publish(Twist, "cmd_vel", message)
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.WALKING)
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.STANDING)
    assert 0.02 < mock.watcher.distance < 0.3


def test_stamped_velocity_commands_are_taken_where_asked_for(mocks) -> None:
    mock = mocks(**FAST, enable_stamped_cmd_vel=True)
    mock.join()
    message = TwistStamped()
    message.twist.linear.x = 0.2
    message.header.frame_id = "map"  # refused with a line in the log
    mock.publish(TwistStamped, "cmd_vel", message)
    message.header.frame_id = "base_link"
    message.twist.linear.x = -0.2
    mock.publish(TwistStamped, "cmd_vel", message)
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.WALKING)
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.STANDING)
    assert mock.watcher.x < -0.02


def moved(kind: Any, *, stamp: Time) -> Any:
    """A command that moves the head to 0.3 rad, or the base ahead."""
    message = kind()
    message.header.stamp = stamp
    if kind is JointTrajectory:
        message.joint_names, message.points = ["head_yaw"], [JointTrajectoryPoint(positions=[0.3])]
    elif kind is JointCommand:
        message.names, message.position = ["head_yaw"], [0.3]
    elif kind is TwistStamped:
        message.twist.linear.x = 0.2
    else:
        message.pose.position.x, message.pose.orientation.w = 1.0, 1.0
    return message


STAMPED = {
    "joint_trajectory": JointTrajectory,
    "joint_command": JointCommand,
    "cmd_vel": TwistStamped,
    "goal_pose": PoseStamped,
}


def test_a_stamp_of_another_time_moves_nothing_and_says_so(mocks) -> None:
    mock = mocks(enable_stamped_cmd_vel=True, idle=False)
    mock.join()
    told: list[str] = []
    mock.body.get_logger().warning = lambda text, **_: told.append(text)
    for topic, kind in STAMPED.items():
        for stamp in (time.time() - 100.0, time.time() + 4000.0):
            mock.publish(kind, topic, moved(kind, stamp=Time(sec=int(stamp))))
    mock.until(lambda: len(told) == 2 * len(STAMPED))
    assert {line.split()[0] for line in told} == set(STAMPED)
    before = mock.watcher.percepts
    mock.until(lambda: mock.watcher.percepts > before + 50)  # a second
    assert mock.watcher.distance == 0.0
    joints = mock.last["joint_states"]
    assert dict(zip(joints.name, joints.position, strict=True))["head_yaw"] == pytest.approx(0.0, abs=1e-3)
    mock.publish(TwistStamped, "cmd_vel", moved(TwistStamped, stamp=mock.body.get_clock().now().to_msg()))
    mock.until(lambda: mock.watcher.distance > 0.0)


def test_odometry_tells_place_and_velocity(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    mock.until(lambda: "odom" in mock.last)
    assert mock.last["odom"].header.frame_id == "odom"
    assert mock.last["odom"].child_frame_id == "base_link"
    for part in ("pose", "twist"):
        covariance = np.array(getattr(mock.last["odom"], part).covariance).reshape(6, 6)
        assert np.all(np.linalg.eigvalsh(covariance) > 0.0)

    def drives() -> bool:
        return mock.last["odom"].twist.twist.linear.x == pytest.approx(0.2, abs=0.03)

    message = Twist()
    message.linear.x, message.angular.z = 0.2, 0.5
    mock.repeat(Twist, "cmd_vel", message, drives)
    assert mock.last["odom"].twist.twist.angular.z == pytest.approx(0.5, abs=0.1)
    mock.until(lambda: abs(mock.last["odom"].twist.twist.linear.x) < 0.01)
    place = mock.last["odom"].pose.pose.position
    mock.until(lambda: mock.watcher.x == pytest.approx(place.x, abs=0.01))
    assert place.x > 0.02


def test_a_run_without_clock_says_so_and_the_first_one_is_the_beginning(mocks) -> None:
    mock = mocks(publish_clock=False, use_sim_time=True)
    mock.until(lambda: mock.bml.server_is_there)
    steps = [{"type": "body", "action": "HEAD_SHAKE"}, {"type": "delay", "duration": 1.0}]
    document = json.dumps({"type": "sequence", "timeout": 30, "behaviors": steps})
    mock.bml.send(document, source="test")
    mock.until(
        lambda: any("NO_CLOCK: no message on /clock" in "".join(one.warnings) for one in mock.feedback)
    )
    assert mock.feedback[-1].elapsed == 0.0
    clock, ahead = mock.publisher(Clock, "/clock"), 1000.0 - time.monotonic()

    def tell() -> None:
        now = time.monotonic() + ahead
        clock.publish(Clock(clock=Time(sec=int(now), nanosec=int(now % 1 * 1e9))))

    mock.watcher.create_timer(0.02, tell)
    mock.until(lambda: mock.bml.result is not None)
    assert mock.bml.result.outcome == "SUCCEEDED", mock.bml.result
    assert 2.0 <= mock.bml.result.elapsed < 30.0


def test_talk_is_heard_and_answered(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    assert mock.did("say", text="5.0") == (SUCCEEDED, "")
    mock.until(lambda: "heard" in mock.last and mock.last["heard"].text == "you said: 5.0")
    heard = mock.last["heard"]
    assert (heard.sender, heard.has_direction, heard.header.frame_id) == ("robin", True, "base_link")
    mock.publish(String, "say", String(data="good evening"))
    mock.until(lambda: mock.last["heard"].text == "you said: good evening")
    mock.publish(String, "say", String(data="x" * 201))  # refused with a line in the log
    assert mock.did("say", text="after that")[0] == SUCCEEDED


def test_lights_are_drawn(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()

    def lamp(number: int) -> tuple[float, ...]:
        lamps = [marker for marker in mock.last["markers"].markers if marker.ns == "light"]
        color = sorted(lamps, key=lambda marker: marker.pose.position.z)[number].color
        return color.r, color.g, color.b, color.a

    mock.until(lambda: "markers" in mock.last)
    assert lamp(0) == lamp(1) == (1.0, 1.0, 1.0, 1.0)  # eyes and face
    assert mock.did("eye_red") == (SUCCEEDED, "")
    mock.until(lambda: lamp(0) == (1.0, 0.0, 0.0, 1.0))
    command = LightCommand(light="eyes", pattern="steady")
    command.color.g = command.color.a = 1.0
    mock.publish(LightCommand, "lights", command)
    mock.until(lambda: lamp(0) == (0.0, 1.0, 0.0, 1.0))
    mock.publish(LightCommand, "lights", LightCommand(light="eyes", pattern="rainbow"))  # refused
    mock.publish(LightCommand, "lights", LightCommand(light="eyes", pattern="off"))
    mock.until(lambda: lamp(0)[3] < 0.5)
    assert lamp(0)[:3] == (0.0, 1.0, 0.0)


def test_all_topics_say_what_they_should(mocks) -> None:
    mock = mocks(frame_prefix="p1/")
    mock.join()
    mock.until(lambda: set(mock.last) >= set(TOPICS) - {"heard"})
    last = mock.last
    assert len(last["joint_states"].name) == len(last["joint_states"].position) == 19
    assert last["pose"].header.frame_id == last["entities"].header.frame_id == "p1/map"
    assert {entity.kind for entity in last["entities"].entities} == {
        "ball",
        "goal",
        "wall",
    }  # robin is behind
    assert last["imu"].header.frame_id == "p1/imu_link"
    assert last["imu"].linear_acceleration.z == pytest.approx(9.81)
    assert 0.99 < last["battery"].percentage <= 1.0
    assert last["robot_description"].data.startswith("<?xml")
    assert (last["link_state"].state, last["link_state"].peer) == (LinkState.READY, "mock://")
    frames = {transform.child_frame_id for transform in last["/tf"].transforms}
    assert {"p1/base_link", "p1/head", "p1/l_finger", "p1/r_foot"} <= frames
    now = mock.watcher.get_clock().now().nanoseconds * 1e-9
    assert last["pose"].header.stamp.sec == pytest.approx(now, abs=2.0)


def test_in_real_time_a_second_takes_a_second(mocks) -> None:
    mock = mocks()
    mock.join()

    def taken() -> float:
        begun = time.monotonic()
        assert mock.did("head_shake") == (SUCCEEDED, "")
        return time.monotonic() - begun

    assert shortest(taken, below=1.5, tries=10) == pytest.approx(1.0, abs=0.5)


def test_another_one_may_live_on_the_clock_of_the_first(mocks) -> None:
    first = mocks(**FAST)
    second = mocks(use_sim_time=True)
    first.join()
    second.join()
    assert second.did("walk", distance=0.2) == (SUCCEEDED, "")
    assert second.watcher.x == pytest.approx(0.2, abs=0.05)
    assert first.watcher.x == pytest.approx(0.0, abs=1e-6)
    first.until(lambda: abs(second.last["pose"].header.stamp.sec - first.last["pose"].header.stamp.sec) <= 1)
    assert first.last["pose"].header.stamp.sec < 600  # not the time of day


def test_stop_and_hold(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    mock.bml.send('{"type": "body", "action": "WALK", "duration": 3600}', source="test")
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.WALKING)
    assert mock.call(SetBool, "hold", data=True).success
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.STANDING)
    assert mock.call(SetBool, "hold", data=False).success
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.WALKING)
    assert mock.call(Trigger, "stop").success
    mock.until(lambda: mock.last["body_status"].stopped)
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.STANDING)
    mock.until(lambda: mock.bml.result is not None)
    assert mock.last["body_status"].reason == "stopped by the stop service"
    message = Twist()
    message.linear.x = 0.2
    mock.publish(Twist, "cmd_vel", message)
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.WALKING)
    assert not mock.last["body_status"].stopped
    mock.until(lambda: mock.last["body_status"].posture == BodyStatus.STANDING)
    assert (mock.last["body_status"].stopped, mock.last["body_status"].reason) == (False, "")


def test_goals_of_long_ago_are_not_told_for_ever(mocks) -> None:
    mock = mocks(**FAST | {"speed": 100.0, "rate": 10.0})
    mock.join()
    told: list[int] = []
    topic = "execute_skill/_action/status"
    mock.watcher.create_subscription(
        GoalStatusArray, topic, lambda message: told.append(len(message.status_list)), profile("latched")
    )
    for _ in range(3):
        assert mock.did("eye_wink") == (SUCCEEDED, "")
    assert told[-1] == 3
    begun = mock.tree.seconds()
    mock.until(lambda: mock.tree.seconds() - begun > 2 * KEEP_S)
    assert mock.did("eye_wink") == (SUCCEEDED, "")
    assert told[-1] == 1


@pytest.mark.fault("restarted", body="mock", reaction="refuses in between, and goes on where it was")
def test_inactive_it_refuses_and_goes_on_where_it_was(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    assert mock.did("walk", distance=0.3)[0] == SUCCEEDED
    mock.body.trigger_deactivate()
    mock.until(lambda: mock.last["link_state"].state == LinkState.CLOSED)
    assert mock.did("eye_red") == (FAILED, "mock_body is inactive; activate it first")
    percepts = mock.watcher.percepts
    mock.body.trigger_activate()
    mock.until(lambda: mock.last["link_state"].state == LinkState.READY and mock.watcher.percepts > percepts)
    assert mock.last["link_state"].connects == 2
    assert mock.watcher.x == pytest.approx(0.3, abs=0.02)
    assert mock.did("eye_red") == (SUCCEEDED, "")
    mock.body.trigger_deactivate()
    mock.body.trigger_cleanup()
    mock.body.trigger_configure()
    mock.body.trigger_activate()
    mock.until(lambda: mock.watcher.x == pytest.approx(0.0, abs=1e-6))  # another world
    mock.until(lambda: mock.last["link_state"].connects == 1)
    mock.until(lambda: mock.skills.server_is_ready())
    assert mock.did("eye_red") == (SUCCEEDED, "")


def test_a_walk_that_was_deactivated_does_not_go_on(mocks) -> None:
    mock = mocks(**FAST)
    mock.join()
    mock.publish(Twist, "cmd_vel", Twist(linear=Vector3(x=0.2)))
    mock.until(lambda: "odom" in mock.last and mock.last["odom"].twist.twist.linear.x > 0.1)
    mock.body.trigger_deactivate()
    world, steps = mock.world, []
    here, step = world.state.position, world.step

    def noted(*arguments: Any) -> None:
        steps.append(arguments)
        step(*arguments)

    world.step = noted
    mock.body.trigger_activate()
    mock.until(lambda: len(steps) > 3)
    assert steps[0][1:] == (here, 0.0, 0.0, 0.0)
    assert {arguments[2:] for arguments in steps} == {(0.0, 0.0, 0.0)}


def lost() -> Path:
    raise LookupError("package 'embodiment_bridge' is not there")


@pytest.mark.parametrize(
    ("values", "share", "reason"),
    [
        ({"speed": 2.0}, lambda: ROOT, "parameter speed is 2; it must be 1 where publish_clock is false"),
        ({}, lost, "parameters body_file and robot_description_file are needed: package"),
        ({"body_file": "/no/body.yaml"}, lambda: ROOT, "body file /no/body.yaml: cannot be read"),
        ({"robot_description_file": "/no/robot.urdf"}, lambda: ROOT, "/no/robot.urdf"),
        ({"rate": 1.0}, lambda: ROOT, "parameter rate"),
    ],
)
def test_what_cannot_be_configured_is_said_in_one_line(values, share, reason, capfd) -> None:
    with Runtime() as runtime:
        overrides = [Parameter(name, value=value) for name, value in values.items()]
        node = runtime.add(MockBody(share, context=runtime.context, parameter_overrides=overrides))
        said: list[str] = []

        def refused() -> bool:
            said.extend(capfd.readouterr())
            return "not configured" in "".join(said)

        spin_until(runtime, refused)
        assert reason in "".join(said)
        assert node.refused
