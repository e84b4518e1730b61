# SPDX-License-Identifier: Apache-2.0
"""The action FollowJointTrajectory: reached, missed, refused, replaced, canceled; absent without control_msgs."""

import sys
from types import ModuleType, SimpleNamespace

import pytest
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.nodes.body import follow_trajectory
from embodiment_bridge.nodes.body.follow_trajectory import FollowTrajectory


class Server:
    """Stands in for the action server: keeps how goals ended."""

    def __init__(self, node, action, name, begin, cancel) -> None:
        self.begin, self.cancel, self.ended = begin, cancel, []

    def finish(self, goal, *, succeeded, result) -> None:
        self.ended.append((goal, succeeded, result.error_code, result.error_string))


class Desk:
    """Stands in for the desk: takes what is posted; ``refuses`` it with a reason."""

    refuses = ""

    def __init__(self) -> None:
        self.posted = []

    def post(self, action, refused) -> None:
        self.posted.append(action)
        if self.refuses:
            refused(self.refuses)


def goal(position=0.5, time_s=2, tolerance=0.0):
    point = JointTrajectoryPoint(positions=[position])
    point.time_from_start.sec = time_s
    tolerances = [SimpleNamespace(name="pan", position=tolerance)] if tolerance else []
    return SimpleNamespace(
        request=SimpleNamespace(
            trajectory=JointTrajectory(joint_names=["pan"], points=[point]),
            goal_tolerance=tolerances,
            goal_time_tolerance=SimpleNamespace(sec=0, nanosec=0),
        )
    )


@pytest.fixture
def action(monkeypatch):
    module = ModuleType("control_msgs.action")
    module.FollowJointTrajectory = SimpleNamespace(Result=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "control_msgs", ModuleType("control_msgs"))
    monkeypatch.setitem(sys.modules, "control_msgs.action", module)
    monkeypatch.setattr(follow_trajectory, "DeferredActionServer", Server)
    desk = Desk()
    follow = FollowTrajectory.if_installed(None, desk, lambda: follow.refusal)
    follow.refusal, follow.queue = "", desk
    return follow


def test_without_control_msgs_there_is_none(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "control_msgs.action", None)
    assert FollowTrajectory.if_installed(None, Desk(), str) is None


def test_a_goal_ends_when_the_joints_are_there(action) -> None:
    one = goal()
    action._server.begin(one)
    assert len(action.queue.posted) == 1
    action.step({"pan": 0.5}, 10.0)  # its time begins
    action.step({"pan": 0.5}, 11.9)
    assert not action._server.ended
    action.step({"pan": 0.2}, 12.1)
    assert not action._server.ended  # late, but it may still come
    action.step({"pan": 0.45}, 12.5)
    assert action._server.ended == [(one, True, 0, "")]
    action.step({"pan": 0.0}, 99.0)


@pytest.mark.parametrize("where", [0.2, float("nan")])
def test_a_goal_that_is_not_reached_in_time_fails_and_names_the_joint(action, where) -> None:
    action._server.begin(goal(tolerance=0.05))
    action.step({"pan": 0.0}, 0.0)
    action.step({"pan": where}, 3.5)
    ((_, succeeded, code, text),) = action._server.ended
    assert (succeeded, code) == (False, -5)
    assert text.startswith("pan is ")


def test_what_the_body_refuses_is_refused_with_its_reason(action) -> None:
    action.queue.refuses = "trajectory: unknown joint 'pan' (known: tilt)"
    action._server.begin(goal())
    action.queue.refuses = "trajectory: point 0: pan at 9 rad, not within -1..1 rad"
    action._server.begin(goal())
    action.refusal = "emergency stop: release it first"
    action._server.begin(goal())
    assert [ended[2] for ended in action._server.ended] == [-2, -1, -1]
    assert action._server.ended[2][3] == "emergency stop: release it first"


def test_a_newer_goal_or_a_cancel_ends_one(action) -> None:
    first, second = goal(), goal()
    action._server.begin(first)
    action._server.begin(second)
    assert action._server.ended[0][0] is first
    assert action._server.ended[0][3] == "replaced by a newer goal"
    action._server.cancel(first)  # has ended already
    assert len(action._server.ended) == 1
    action._server.cancel(second)
    assert action._server.ended[1][:2] == (second, False)
    action.step({"pan": 0.5}, 1.0)


def test_a_goal_ends_when_the_body_is_lost(action) -> None:
    one = goal()
    action._server.begin(one)
    action.lost("the link was lost")
    assert action._server.ended == [(one, False, -1, "the link was lost")]
