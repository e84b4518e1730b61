# SPDX-License-Identifier: Apache-2.0
"""The action FollowJointTrajectory, as used by arms and MoveIt, if control_msgs is installed."""

import threading
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from math import inf, isnan
from typing import Any, NamedTuple

from rclpy.action.server import ServerGoalHandle
from rclpy.duration import Duration
from rclpy.node import Node
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectoryPoint

from embodiment_bridge.body.state import SkillReport, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.joints.trajectory import OVER, TrajectoryPoint
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.base.action_server import DeferredActionServer
from embodiment_bridge.nodes.base.messages import seconds
from embodiment_bridge.nodes.body.body_commands import delay_of, trajectory_of
from embodiment_bridge.nodes.body.skill_queue import SkillQueue

GOAL_TOLERANCE = 0.1  # rad, default if the goal has none
STOPPED = 0.1  # rad/s, likewise
TIME_TOLERANCE_S = 1.0  # s after the end of the motion, default if the goal has none
FEEDBACK_S = 0.05  # s between feedback, as the controllers of ros2_control send it
SUCCESSFUL, INVALID_GOAL, INVALID_JOINTS, OLD_STAMP, PATH_VIOLATED, GOAL_VIOLATED = 0, -1, -2, -3, -4, -5


class JointSample(NamedTuple):
    """Holds measured position (rad) and velocity (rad/s; nan: not sensed) of a joint, and its target, rad."""

    position: float
    velocity: float
    desired: float


class FollowTrajectory:
    """Serves one goal at a time; a newer one replaces it.

    Call ``report`` with what is reported of its motions, ``step`` with the joints, and ``lost`` when the body is lost,
    all from the thread that moves it.
    """

    def __init__(self, node: Node, action: Any, queue: SkillQueue, refusal: Callable[[], str]) -> None:
        self._node = node
        self._action = action
        self._queue = queue
        self._refusal = refusal
        self._lock = threading.RLock()  # goals come on another thread than steps
        self._goal: ServerGoalHandle | None = None
        self._run = ""  # id of the motion for the goal; empty until it has begun
        # the motion has come to its last point, perhaps not yet the joints
        self._arrived = self._held = False
        self._remark = ""
        self._since: float | None = None  # when it had, or should have
        self._passed = 0.0  # s since the begin, without those in which it was held
        self._told = self._now = 0.0  # s
        self._due = inf  # s after the begin, for a goal with a time tolerance
        self._names: list[str] = []
        self._last: TrajectoryPoint | None = None  # to be looked at only once the body has taken it
        self._tolerance: dict[str, float] = {}
        self._speed: dict[str, float] = {}
        self._path: dict[str, float] = {}
        self._patience = TIME_TOLERANCE_S
        self._server = DeferredActionServer(
            node, action, "follow_joint_trajectory", self._begin, self._cancel
        )

    @classmethod
    def if_installed(
        cls, node: Node, queue: SkillQueue, refusal: Callable[[], str]
    ) -> "FollowTrajectory | None":
        """Return the action server, or None without control_msgs."""
        try:
            action = import_module("control_msgs.action").FollowJointTrajectory
        except ImportError:
            return None
        return cls(node, action, queue, refusal)

    def report(self, report: SkillReport) -> None:
        """Note how far the motion for the goal is; one that ends before its last point ends the goal."""
        with self._lock:
            if self._goal is None or report.id != self._run:
                return
            ended = report.status.ended
            if ended:
                self._run = ""
            # By the time of the motion, which stands still while it is held.
            self._held, self._remark = report.held, report.reason
            self._arrived = ended or (report.progress >= 1.0 and not report.held)
            if ended and report.status is not SkillStatus.SUCCEEDED:
                self._end(INVALID_GOAL, ": ".join(filter(None, (report.status.value, report.reason))))

    def step(self, joints: Mapping[str, JointSample], now: float) -> None:
        """Check how the goal is followed, and tell its client; time in s."""
        with self._lock:
            self._passed += 0.0 if self._held else now - self._now
            self._now = now
            if self._goal is not None and self._last is not None:
                self._look(self._goal, self._last, joints)

    def lost(self, reason: str) -> None:
        """Fail the goal, as the body is lost and its motion with it."""
        with self._lock:
            self._run = ""
            self._end(INVALID_GOAL, reason)

    def _look(self, goal: ServerGoalHandle, last: TrajectoryPoint, joints: Mapping[str, JointSample]) -> None:
        if self._now - self._told >= FEEDBACK_S:
            self._told = self._now
            goal.publish_feedback(self._feedback([joints[name] for name in self._names]))
        for name, most in self._path.items():
            away = abs(joints[name].position - joints[name].desired)
            if away > most:
                self._end(PATH_VIOLATED, f"{name} is {away:.3f} rad from its path, more than {most:g} rad")
                return
        if not self._arrived and self._passed < self._due:
            self._since = None
            return
        if self._since is None:
            self._since = self._now
        missed = (
            self._missed(last, joints) if self._arrived else "the joints need longer than the goal allows"
        )
        if not missed:
            self._end(SUCCESSFUL, self._remark)
        elif self._now - self._since > self._patience:
            self._end(GOAL_VIOLATED, "; ".join(filter(None, (missed, self._remark))))

    def _missed(self, last: TrajectoryPoint, joints: Mapping[str, JointSample]) -> str:
        """Name the tolerance that the first joint misses; else empty."""
        for name, angle in zip(self._names, last.positions, strict=True):
            off, speed = abs(joints[name].position - angle), abs(joints[name].velocity)
            if not off <= self._tolerance.get(name, GOAL_TOLERANCE):
                return f"{name} is {off:.3f} rad from its goal"
            if speed > self._speed.get(name, STOPPED):
                return f"{name} still moves, at {speed:.3f} rad/s"
        return ""

    def _feedback(self, joints: list[JointSample]) -> Any:
        def point(positions: list[float]) -> JointTrajectoryPoint:
            time = Duration(seconds=max(self._passed, 0.0)).to_msg()
            return JointTrajectoryPoint(positions=positions, time_from_start=time)

        return self._action.Feedback(
            header=Header(stamp=self._node.get_clock().now().to_msg()),
            joint_names=self._names,
            desired=point([one.desired for one in joints]),
            actual=point([one.position for one in joints]),
            error=point([one.desired - one.position for one in joints]),
        )

    def _begin(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            self._take(goal)

    def _take(self, goal: ServerGoalHandle) -> None:
        if self._goal is not None:
            self._end(INVALID_GOAL, "replaced by a newer goal")
        self._goal, self._arrived, self._held, self._since = goal, False, False, None
        try:
            if refusal := self._refusal():
                raise CommandError(refusal)
            points, follow = self._understood(goal.request)
        except CommandError as error:
            self._end(INVALID_GOAL, str(error))
            return
        self._queue.post(partial(self._start, goal, points, follow), partial(self._refused, goal))

    def _understood(self, request: Any) -> tuple[list[TrajectoryPoint], Callable[[MotionRunner], str]]:
        """Note what a goal wants; its points, and what makes a runner follow them.

        Raises:
            CommandError: it wants something that is not done.
        """
        trajectory = request.trajectory
        names = self._names = list(trajectory.joint_names)
        points, follow = trajectory_of(trajectory, self._node, judged=False)
        several = "joints of several degrees of freedom"
        for what, there in (
            (several, request.multi_dof_trajectory.joint_names or request.multi_dof_trajectory.points),
            (several, request.component_path_tolerance or request.component_goal_tolerance),
            ("a path tolerance of velocity", any(not one.velocity <= 0.0 for one in request.path_tolerance)),
            (
                "a tolerance of acceleration",
                any(
                    not one.acceleration <= 0.0 for one in (*request.path_tolerance, *request.goal_tolerance)
                ),
            ),
        ):
            if there:
                raise CommandError(f"{what} is not watched; leave it out")
        goal = {one.name: one.position for one in request.goal_tolerance}
        speed = {one.name: one.velocity for one in request.goal_tolerance}
        path = {one.name: one.position for one in request.path_tolerance}
        for kind, values in (("goal", goal), ("goal", speed), ("path", path)):
            for name, value in values.items():
                if isnan(value):
                    raise CommandError(f"the {kind} tolerance of {name} is not a number")
                if name not in names:
                    raise CommandError(f"the {kind} tolerance of {name}: the trajectory does not move it")
        # As control_msgs has it: 0 is the default, negative no limit.
        self._tolerance = {name: value if value > 0.0 else inf for name, value in goal.items() if value}
        self._speed = {name: value if value > 0.0 else inf for name, value in speed.items() if value}
        self._path = {name: value for name, value in path.items() if value > 0.0}
        wanted = seconds(request.goal_time_tolerance)
        length = points[-1].time + delay_of(trajectory.header.stamp, self._node) if points else 0.0
        self._patience = (wanted or TIME_TOLERANCE_S) if wanted >= 0.0 else inf
        self._due = length if wanted > 0.0 else inf
        return points, follow

    def _start(
        self,
        goal: ServerGoalHandle,
        points: list[TrajectoryPoint],
        follow: Callable[[MotionRunner], str],
        runner: MotionRunner,
    ) -> None:
        """Begin, unless the goal was canceled or replaced meanwhile. On the thread that moves the body.

        Raises:
            CommandError: the joints cannot follow.
        """
        with self._lock:
            if goal is self._goal:
                self._run, self._last, self._passed = follow(runner), points[-1], 0.0

    def _refused(self, goal: ServerGoalHandle, reason: str) -> None:
        with self._lock:
            if goal is self._goal:
                codes = {"unknown joint": INVALID_JOINTS, OVER: OLD_STAMP}
                code = next((code for text, code in codes.items() if text in reason), INVALID_GOAL)
                self._end(code, reason)

    def _cancel(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            if goal is self._goal:
                self._end(INVALID_GOAL, "canceled")

    def _end(self, code: int, text: str) -> None:
        with self._lock:
            goal, self._goal, self._last = self._goal, None, None
            run, self._run = self._run, ""
            if run and code != SUCCESSFUL:
                self._queue.cancel(run)  # nothing moves without a goal
        if goal is not None:
            result = self._action.Result(error_code=code, error_string=text)
            self._server.finish(goal, succeeded=code == SUCCESSFUL, result=result)
