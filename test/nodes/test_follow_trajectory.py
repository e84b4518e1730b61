# SPDX-License-Identifier: Apache-2.0
"""The action FollowJointTrajectory: reached, missed, refused, replaced, canceled; absent without control_msgs."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from builtin_interfaces.msg import Duration, Time
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.body import follow_trajectory
from embodiment_bridge.nodes.body.follow_trajectory import FollowTrajectory, JointSample
from embodiment_bridge.nodes.body.skill_queue import SkillQueue

BODY = read_body(Path(__file__).parents[2] / "config/bodies/desk_humanoid.yaml")


class Server:
    """Stands in for the action server: keeps how goals ended."""

    def __init__(self, node, action, name, begin, cancel) -> None:
        self.begin, self.cancel, self.ended = begin, cancel, []
        Server.newest = self

    def finish(self, goal, *, succeeded, result) -> None:
        self.ended.append((goal, succeeded, result.error_code, result.error_string))


class Desk:
    """Stands in for the queue and the runner: ``move`` does what was posted; ``refuses`` it with a reason."""

    refuses = ""

    def __init__(self) -> None:
        self.posted, self.followed, self.canceled, self.delays = [], [], [], []

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

    def follow(self, names, points, delay, *, judged) -> str:
        assert not judged
        if self.refuses:
            raise CommandError(self.refuses)
        self.delays.append(delay)
        self.followed.append((names, points[-1].positions))
        return f"run {len(self.followed)}"


def reported(progress=1.0, status=SkillStatus.RUNNING, *, held=False) -> SkillReport:
    return SkillReport("run 1", status, progress, held)


class Goal:
    """Stands in for a goal handle: keeps the feedback."""

    def __init__(self, request) -> None:
        self.request, self.told = request, []

    def publish_feedback(self, feedback) -> None:
        self.told.append(feedback)


def tolerance_of(position=0.0, velocity=0.0, acceleration=0.0, name="pan"):
    return SimpleNamespace(name=name, position=position, velocity=velocity, acceleration=acceleration)


def goal(position=0.5, time_s=2, tolerance=0.0, joint="pan"):
    point = JointTrajectoryPoint(positions=[position])
    point.time_from_start.sec = time_s
    return Goal(
        SimpleNamespace(
            trajectory=JointTrajectory(joint_names=[joint], points=[point]),
            goal_tolerance=[tolerance_of(tolerance, name=joint)],
            goal_time_tolerance=Duration(),
            path_tolerance=[],
            component_path_tolerance=[],
            component_goal_tolerance=[],
            multi_dof_trajectory=SimpleNamespace(joint_names=[], points=[]),
        )
    )


def look(action, position, now, velocity=0.0, desired=0.5) -> None:
    action.step({"pan": JointSample(position, velocity, desired)}, now)


class Clocked:
    """Stands in for the node: has the robot's clock, at 1000 s."""

    def get_clock(self):
        return self

    def now(self):
        return self

    def to_msg(self):
        return Time(sec=1000)


@pytest.fixture
def action(monkeypatch):
    module = ModuleType("control_msgs.action")
    module.FollowJointTrajectory = SimpleNamespace(Result=SimpleNamespace, Feedback=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "control_msgs", ModuleType("control_msgs"))
    monkeypatch.setitem(sys.modules, "control_msgs.action", module)
    monkeypatch.setattr(follow_trajectory, "DeferredActionServer", Server)
    desk = Desk()
    follow = FollowTrajectory.if_installed(Clocked(), desk, lambda: follow.refusal)
    follow.refusal, follow.queue = "", desk
    follow.server, follow.ended = Server.newest, Server.newest.ended
    return follow


def begin(action, one=None, **fields):
    """A goal that the body has taken, if it takes it."""
    one = one or goal(**fields)
    action.server.begin(one)
    action.queue.move()
    return one


def test_without_control_msgs_there_is_none(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "control_msgs.action", None)
    assert FollowTrajectory.if_installed(None, Desk(), str) is None


def test_a_goal_ends_when_the_joints_are_there(action) -> None:
    one = begin(action)
    assert action.queue.followed == [(["pan"], (0.5,))]
    action.report(reported(0.9))
    look(action, 0.5, 11.9)
    assert not action.ended
    action.report(SkillReport("another", SkillStatus.SUCCEEDED, 1.0))
    look(action, 0.5, 12.0)
    assert not action.ended
    action.report(reported(status=SkillStatus.SUCCEEDED))
    look(action, 0.2, 12.1)
    assert not action.ended  # late, but it may still come
    look(action, 0.45, 12.5)
    assert action.ended == [(one, True, 0, "")]
    look(action, 0.0, 99.0)


@pytest.mark.parametrize("where", [0.2, float("nan")])
def test_a_goal_that_is_not_reached_in_time_fails_and_names_the_joint(action, where) -> None:
    begin(action, tolerance=0.05)
    action.report(reported(held=True))  # its own time stands still
    look(action, 0.0, 0.0)
    look(action, where, 9.0)
    action.report(reported())
    look(action, where, 10.0)
    look(action, where, 10.9)
    assert action.ended == []
    look(action, where, 11.1)
    ((_, succeeded, code, text),) = action.ended
    assert (succeeded, code) == (False, -5)
    assert text.startswith("pan is ")
    assert action.queue.canceled == ["run 1"]  # nothing moves without a goal


@pytest.mark.parametrize(
    ("tolerance", "far", "ends"), [(-1.0, 0.9, True), (0.0, 0.12, False), (0.3, 0.28, True)]
)
def test_a_negative_tolerance_is_no_limit_and_zero_the_default(action, tolerance, far, ends) -> None:
    begin(action, tolerance=tolerance)
    action.report(reported())
    look(action, 0.5 - far, 10.0)
    assert [ended[1] for ended in action.ended] == [True] * ends


def test_a_tolerance_that_is_no_number_is_refused(action) -> None:
    action.server.begin(goal(tolerance=float("nan")))
    assert [ended[1:] for ended in action.ended] == [(False, -1, "the goal tolerance of pan is not a number")]
    assert action.queue.posted == []


def test_what_the_body_refuses_is_refused_with_its_reason(action) -> None:
    for reason in (
        "trajectory: unknown joint 'pan' (known: tilt)",
        "trajectory: point 0: pan at 9 rad, not within -1..1 rad",
    ):
        action.queue.refuses = reason
        begin(action)
    action.refusal = "emergency stop: release it first"
    action.server.begin(goal())
    assert [ended[2] for ended in action.ended] == [-2, -1, -1]
    assert action.ended[2][3] == "emergency stop: release it first"


def test_a_newer_goal_or_a_cancel_ends_one(action) -> None:
    first, second = goal(), goal()
    action.server.begin(first)
    action.server.begin(second)
    assert action.ended[0][0] is first
    assert action.ended[0][3] == "replaced by a newer goal"
    action.server.cancel(first)  # has ended already
    assert len(action.ended) == 1
    action.queue.move()
    assert len(action.queue.followed) == 1  # the first one is not begun any more
    action.server.cancel(second)
    assert action.ended[1][:2] == (second, False)
    look(action, 0.5, 1.0)
    assert action.queue.canceled == ["run 1"]
    assert action.queue.posted == []  # what else the body does goes on


def test_a_goal_that_is_canceled_before_it_began_does_not_begin(action) -> None:
    one = goal()
    action.server.begin(one)
    action.server.cancel(one)
    action.queue.move()
    assert (action.queue.followed, action.queue.canceled) == ([], [])
    assert action.ended == [(one, False, -1, "canceled")]


def test_a_goal_is_not_looked_at_before_the_body_has_taken_it(action) -> None:
    action.server.begin(goal(time_s=0, joint="tail"))
    look(action, 0.5, 1.0)
    assert action.ended == []
    action.queue.refuses = "trajectory: unknown joint 'tail' (known: pan)"
    action.queue.move()
    assert action.ended[0][2] == -2


def test_the_refusal_of_a_goal_does_not_end_the_newer_one(action) -> None:
    action.server.begin(goal(joint="tail"))
    _, refused = action.queue.posted.pop()
    second = goal()
    action.server.begin(second)
    refused("trajectory: unknown joint 'tail' (known: pan)")
    action.queue.move()
    action.report(reported())
    look(action, 0.5, 2.0)
    assert action.ended[1:] == [(second, True, 0, "")]


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
        self.follow = FollowTrajectory.if_installed(Clocked(), self.queue, str)
        self.server, self.ended = Server.newest, Server.newest.ended
        rest = tuple(joint.rest for joint in BODY.joints)
        self.state = BodyState(0.0, rest, tuple(0.0 for _ in rest))
        self.run(1.5)

    def begin(self, **joints: float) -> SimpleNamespace:
        """A goal to be reached in 2 s."""
        one = goal()
        trajectory = one.request.trajectory
        trajectory.joint_names = list(joints)
        one.request.goal_tolerance = []
        trajectory.points[0].positions = list(joints.values())
        self.server.begin(one)
        return one

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.02)):
            position = self.queue.step(self.state).position
            self.state = BodyState(self.state.time + 0.02, position, self.state.velocity)
            desired = self.runner.commanded
            names = [joint.name for joint in BODY.joints]
            samples = map(JointSample, position, self.state.velocity, desired)
            self.follow.step(dict(zip(names, samples, strict=True)), self.state.time)

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
        moved.queue.ask(lambda runner: runner.stop(), lambda runner, state: True, lambda reason: None)
    else:
        moved.queue.start(SkillRequest("grip", "hand_grip", {}, 3.0))
    moved.run(1.0)
    why = "canceled" if by == "stop" else "replaced: channel taken by 'grip'"
    assert moved.ended == [(one, False, -1, why)]


def test_a_goal_ends_when_the_body_is_lost(action) -> None:
    one = goal()
    action.server.begin(one)
    action.lost("the link was lost")
    assert action.ended == [(one, False, -1, "the link was lost")]


@pytest.mark.parametrize(
    ("stamp", "delay"),
    [(0, 0.0), (1001, 1.0), (999, -1.0), (1, -999.0)],
    ids=["none", "later", "begun", "old"],
)
def test_a_goal_begins_at_its_stamp(action, stamp, delay) -> None:
    one = goal()
    one.request.trajectory.header.stamp.sec = stamp
    begin(action, one)
    assert action.queue.delays == [delay]


def test_a_goal_that_is_over_has_the_code_of_old_stamps(action) -> None:
    action.queue.refuses = "trajectory: over before it came: its last point was 3.00 s ago"
    begin(action)
    assert action.ended[0][2] == -3


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("path_tolerance", [tolerance_of(velocity=0.1)], "a path tolerance of velocity is not watched"),
        ("path_tolerance", [tolerance_of(acceleration=0.1)], "a tolerance of acceleration is not watched"),
        ("goal_tolerance", [tolerance_of(acceleration=0.1)], "a tolerance of acceleration is not watched"),
        ("path_tolerance", [tolerance_of(float("nan"))], "the path tolerance of pan is not a number"),
        ("goal_tolerance", [tolerance_of(0, float("nan"))], "the goal tolerance of pan is not a number"),
        ("path_tolerance", [tolerance_of(0.1, name="tail")], "of tail: the trajectory does not move it"),
        ("component_goal_tolerance", [1], "joints of several degrees of freedom is not watched"),
        ("component_path_tolerance", [1], "joints of several degrees of freedom is not watched"),
        (
            "multi_dof_trajectory",
            SimpleNamespace(joint_names=["base"], points=[]),
            "joints of several degrees of freedom is not watched",
        ),
    ],
)
def test_what_is_not_done_is_refused_and_not_ignored(action, field, value, text) -> None:
    one = goal()
    setattr(one.request, field, value)
    action.server.begin(one)
    ((_, succeeded, code, why),) = action.ended
    assert (succeeded, code) == (False, -1)
    assert text in why
    assert action.queue.posted == []


def test_efforts_are_refused(action) -> None:
    one = goal()
    one.request.trajectory.points[0].effort = [0.1]
    action.server.begin(one)
    assert "effort is not followed" in action.ended[0][3]


def test_a_client_is_told_where_the_joints_are_and_should_be(action) -> None:
    one = begin(action)
    for step in range(13):
        look(action, 0.1, 10.0 + 0.01 * step, desired=0.3)
    assert len(one.told) == 3
    last = one.told[-1]
    assert last.joint_names == ["pan"]
    told = [list(point.positions) for point in (last.desired, last.actual, last.error)]
    assert told == [[0.3], [0.1], pytest.approx([0.2])]


@pytest.mark.parametrize(("most", "ends"), [(0.1, [-4]), (0.3, []), (0.0, []), (-1.0, [])])
def test_a_joint_that_leaves_its_path_ends_the_goal(action, most, ends) -> None:
    one = goal()
    one.request.path_tolerance = [tolerance_of(most)]
    begin(action, one)
    look(action, 0.1, 10.0, desired=0.3)
    assert [ended[2] for ended in action.ended] == ends
    assert action.queue.canceled == ["run 1"] * len(ends)


@pytest.mark.parametrize(("limit", "ends"), [(0.0, False), (0.6, True), (-1.0, True)])
def test_a_joint_that_still_moves_has_not_reached_its_goal(action, limit, ends) -> None:
    one = goal()
    one.request.goal_tolerance = [tolerance_of(0.0, limit)]
    begin(action, one)
    action.report(reported())
    look(action, 0.5, 10.0, velocity=0.5)
    assert [ended[1] for ended in action.ended] == [True] * ends
    look(action, 0.5, 11.5, velocity=0.5)
    if not ends:
        assert action.ended[0][2:] == (-5, "pan still moves, at 0.500 rad/s")


def test_a_time_tolerance_counts_from_the_time_that_the_goal_asked_for(action) -> None:
    look(action, 0.1, 9.9)
    one = goal(time_s=2)
    one.request.goal_time_tolerance = Duration(nanosec=500_000_000)
    begin(action, one)
    look(action, 0.1, 10.0)
    look(action, 0.1, 11.8)
    look(action, 0.1, 12.2)
    look(action, 0.1, 12.6)
    assert action.ended == []
    look(action, 0.1, 12.8)
    assert action.ended[0][2:] == (-5, "the joints need longer than the goal allows")


def test_a_negative_time_tolerance_is_no_limit(action) -> None:
    one = goal()
    one.request.goal_time_tolerance = Duration(sec=-1)
    begin(action, one)
    action.report(reported())
    for now in (10.0, 1000.0):
        look(action, 0.1, now)
    assert action.ended == []
    look(action, 0.5, 1001.0)
    assert action.ended[0][1]


def test_a_trajectory_that_was_slowed_down_says_so(action) -> None:
    begin(action)
    action.report(SkillReport("run 1", SkillStatus.SUCCEEDED, 1.0, reason="took 0.30 s, not 0.05 s"))
    look(action, 0.5, 10.0)
    assert action.ended[0][1:] == (True, 0, "took 0.30 s, not 0.05 s")


def test_a_goal_that_is_missed_names_the_joints_that_are_limp(action) -> None:
    begin(action)
    action.report(SkillReport("run 1", SkillStatus.SUCCEEDED, 1.0, reason="cannot be moved: pan (limp)"))
    look(action, 0.0, 10.0)
    look(action, 0.0, 12.0)
    text = "pan is 0.500 rad from its goal; cannot be moved: pan (limp)"
    assert action.ended[0][1:] == (False, follow_trajectory.GOAL_VIOLATED, text)
