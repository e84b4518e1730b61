# SPDX-License-Identifier: Apache-2.0
"""The action FollowJointTrajectory: reached, missed, refused, replaced, canceled; absent without control_msgs."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.body import follow_trajectory
from embodiment_bridge.nodes.body.follow_trajectory import FollowTrajectory
from embodiment_bridge.nodes.body.skill_queue import SkillQueue

BODY = read_body(Path(__file__).parents[2] / "config/bodies/desk_humanoid.yaml")


class Server:
    """Stands in for the action server: keeps how goals ended."""

    def __init__(self, node, action, name, begin, cancel) -> None:
        self.begin, self.cancel, self.ended = begin, cancel, []

    def finish(self, goal, *, succeeded, result) -> None:
        self.ended.append((goal, succeeded, result.error_code, result.error_string))


class Desk:
    """Stands in for the queue and the runner: ``move`` does what was posted; ``refuses`` it with a reason."""

    refuses = ""

    def __init__(self) -> None:
        self.posted, self.followed, self.canceled = [], [], []

    def post(self, action, refused) -> None:
        self.posted.append((action, refused))

    def cancel(self, run) -> None:
        self.canceled.append(run)

    def move(self) -> None:
        while self.posted:
            action, refused = self.posted.pop(0)
            try:
                action(self)
            except CommandError as error:
                refused(str(error))

    def follow(self, names, points) -> str:
        if self.refuses:
            raise CommandError(self.refuses)
        self.followed.append((names, points[-1].positions))
        return f"run {len(self.followed)}"


def reported(progress=1.0, status=SkillStatus.RUNNING, *, held=False) -> SkillReport:
    return SkillReport("run 1", status, progress, held)


def goal(position=0.5, time_s=2, tolerance=0.0, joint="pan"):
    point = JointTrajectoryPoint(positions=[position])
    point.time_from_start.sec = time_s
    tolerances = [SimpleNamespace(name="pan", position=tolerance)]
    return SimpleNamespace(
        request=SimpleNamespace(
            trajectory=JointTrajectory(joint_names=[joint], points=[point]),
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
    action.queue.move()
    assert action.queue.followed == [(["pan"], (0.5,))]
    action.report(reported(0.9))
    action.step({"pan": 0.5}, 11.9)
    assert not action._server.ended
    action.report(SkillReport("another", SkillStatus.SUCCEEDED, 1.0))
    action.step({"pan": 0.5}, 12.0)
    assert not action._server.ended
    action.report(reported(status=SkillStatus.SUCCEEDED))
    action.step({"pan": 0.2}, 12.1)
    assert not action._server.ended  # late, but it may still come
    action.step({"pan": 0.45}, 12.5)
    assert action._server.ended == [(one, True, 0, "")]
    action.step({"pan": 0.0}, 99.0)


@pytest.mark.parametrize("where", [0.2, float("nan")])
def test_a_goal_that_is_not_reached_in_time_fails_and_names_the_joint(action, where) -> None:
    action._server.begin(goal(tolerance=0.05))
    action.queue.move()
    action.report(reported(held=True))  # its own time stands still
    action.step({"pan": 0.0}, 0.0)
    action.step({"pan": where}, 9.0)
    action.report(reported())
    action.step({"pan": where}, 10.0)
    action.step({"pan": where}, 10.9)
    assert action._server.ended == []
    action.step({"pan": where}, 11.1)
    ((_, succeeded, code, text),) = action._server.ended
    assert (succeeded, code) == (False, -5)
    assert text.startswith("pan is ")
    assert action.queue.canceled == ["run 1"]  # nothing moves without a goal


@pytest.mark.parametrize(
    ("tolerance", "far", "ends"), [(-1.0, 0.9, True), (0.0, 0.12, False), (0.3, 0.28, True)]
)
def test_a_negative_tolerance_is_no_limit_and_zero_the_default(action, tolerance, far, ends) -> None:
    action._server.begin(goal(tolerance=tolerance))
    action.queue.move()
    action.report(reported())
    action.step({"pan": 0.5 - far}, 10.0)
    assert [ended[1] for ended in action._server.ended] == [True] * ends


def test_a_tolerance_that_is_no_number_is_refused(action) -> None:
    action._server.begin(goal(tolerance=float("nan")))
    assert [ended[1:] for ended in action._server.ended] == [
        (False, -1, "the goal tolerance of pan is not a number")
    ]
    assert action.queue.posted == []


def test_what_the_body_refuses_is_refused_with_its_reason(action) -> None:
    for reason in (
        "trajectory: unknown joint 'pan' (known: tilt)",
        "trajectory: point 0: pan at 9 rad, not within -1..1 rad",
    ):
        action.queue.refuses = reason
        action._server.begin(goal())
        action.queue.move()
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
    action.queue.move()
    assert len(action.queue.followed) == 1  # the first one is not begun any more
    action._server.cancel(second)
    assert action._server.ended[1][:2] == (second, False)
    action.step({"pan": 0.5}, 1.0)
    assert action.queue.canceled == ["run 1"]
    assert action.queue.posted == []  # what else the body does goes on


def test_a_goal_that_is_canceled_before_it_began_does_not_begin(action) -> None:
    one = goal()
    action._server.begin(one)
    action._server.cancel(one)
    action.queue.move()
    assert (action.queue.followed, action.queue.canceled) == ([], [])
    assert action._server.ended == [(one, False, -1, "canceled")]


def test_a_goal_is_not_looked_at_before_the_body_has_taken_it(action) -> None:
    action._server.begin(goal(time_s=0, joint="tail"))
    action.step({"pan": 0.5}, 1.0)
    assert action._server.ended == []
    action.queue.refuses = "trajectory: unknown joint 'tail' (known: pan)"
    action.queue.move()
    assert action._server.ended[0][2] == -2


def test_the_refusal_of_a_goal_does_not_end_the_newer_one(action) -> None:
    action._server.begin(goal(joint="tail"))
    _, refused = action.queue.posted.pop()
    second = goal()
    action._server.begin(second)
    refused("trajectory: unknown joint 'tail' (known: pan)")
    action.queue.move()
    action.report(reported())
    action.step({"pan": 0.5}, 2.0)
    assert action._server.ended[1:] == [(second, True, 0, "")]


def test_a_cancel_ends_the_trajectory_and_no_other_skill() -> None:
    """With the real queue and runner."""
    ended = {}
    runner = MotionRunner(BODY)
    queue = SkillQueue(runner, lambda report: ended.update({report.id: report}))
    run = []
    queue.start(SkillRequest("rest", "head_shake", {}, 3.0))
    queue.post(lambda runner: run.append(runner.follow(["l_grip"], [TrajectoryPoint(3.0, (0.1,))])), print)
    state = BodyState(0.0, tuple(joint.rest for joint in BODY.joints), tuple(0.0 for _ in BODY.joints))
    for step in range(1, 100):
        if step == 50:
            queue.cancel(run[0])
        state = BodyState(0.02 * step, queue.step(state).position, state.velocity)
    assert ended[run[0]].status is SkillStatus.CANCELED
    assert ended["rest"].status is SkillStatus.RUNNING


class Moved:
    """The action with the real queue and runner, on a body that obeys at once."""

    def __init__(self) -> None:
        self.runner = MotionRunner(BODY)
        self.queue = SkillQueue(self.runner, lambda report: self.follow.report(report))
        self.follow = FollowTrajectory.if_installed(None, self.queue, str)
        self.ended = self.follow._server.ended
        rest = tuple(joint.rest for joint in BODY.joints)
        self.state = BodyState(0.0, rest, tuple(0.0 for _ in rest))
        self.run(1.5)

    def begin(self, **joints: float) -> SimpleNamespace:
        """A goal to be reached in 2 s."""
        one = goal()
        trajectory = one.request.trajectory
        trajectory.joint_names = list(joints)
        trajectory.points[0].positions = list(joints.values())
        self.follow._server.begin(one)
        return one

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.02)):
            position = self.queue.step(self.state).position
            self.state = BodyState(self.state.time + 0.02, position, self.state.velocity)
            self.follow.step(self.angles, self.state.time)

    @property
    def angles(self) -> dict[str, float]:
        return dict(zip([joint.name for joint in BODY.joints], self.state.position, strict=True))


@pytest.fixture
def moved(action):
    return Moved()


@pytest.mark.parametrize("joint", ["r_grip", "tail"])
def test_what_a_goal_has_begun_comes_to_rest_when_a_newer_one_comes(moved, joint) -> None:
    first = moved.begin(l_grip=0.5)
    moved.run(1.0)
    moved.begin(**{joint: 0.5})  # of another channel, or refused
    moved.run(0.5)
    assert moved.ended[0] == (first, False, -1, "replaced by a newer goal")
    here = moved.angles["l_grip"]
    moved.run(2.0)
    assert 0.25 < here < 0.45
    assert moved.angles["l_grip"] == here


@pytest.mark.parametrize("source", ["", "joint_trajectory"])
def test_a_goal_that_is_held_waits_and_is_reached_later(moved, source) -> None:
    one = moved.begin(l_grip=0.5)
    moved.run(1.0)
    moved.queue.hold(True, source)
    moved.run(9.0)
    assert moved.ended == []
    moved.queue.hold(False, source)
    moved.run(2.0)
    assert moved.ended == [(one, True, 0, "")]
    assert moved.angles["l_grip"] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("by", ["stop", "skill"])
def test_a_goal_ends_with_its_motion(moved, by) -> None:
    one = moved.begin(l_grip=0.28)  # so near that the joints are within the tolerance already
    moved.run(0.5)
    if by == "stop":
        moved.queue.stop()
    else:
        moved.queue.start(SkillRequest("grip", "hand_grip", {}, 3.0))
    moved.run(1.0)
    why = "canceled" if by == "stop" else "replaced: channel taken by 'grip'"
    assert moved.ended == [(one, False, -1, why)]


def test_a_goal_ends_when_the_body_is_lost(action) -> None:
    one = goal()
    action._server.begin(one)
    action.lost("the link was lost")
    assert action._server.ended == [(one, False, -1, "the link was lost")]
