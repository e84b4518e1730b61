# SPDX-License-Identifier: Apache-2.0
"""The action FollowJointTrajectory, as used by arms and MoveIt, if control_msgs is installed."""

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from math import inf, isnan
from typing import Any

from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node

from embodiment_bridge.body.state import SkillReport, SkillStatus
from embodiment_bridge.motion.joints.trajectory import TrajectoryPoint
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.base.deferred_action import DeferredActionServer
from embodiment_bridge.nodes.body.body_commands import trajectory_of
from embodiment_bridge.nodes.body.skill_queue import SkillQueue

GOAL_TOLERANCE = 0.1  # rad, default if the goal has none
TIME_TOLERANCE_S = 1.0  # s after the last point, default if the goal has none
SUCCESSFUL, INVALID_GOAL, INVALID_JOINTS, GOAL_VIOLATED = 0, -1, -2, -5
NANOSECONDS = 1e-9


class FollowTrajectory:
    """Serves one goal at a time; a newer one replaces it.

    Call ``report`` with what is reported of its motions, ``step`` with the joint positions, and ``lost`` when the body
    is lost, all from the thread that moves it.
    """

    def __init__(self, node: Node, action: Any, queue: SkillQueue, refusal: Callable[[], str]) -> None:
        self._action = action
        self._queue = queue
        self._refusal = refusal
        self._lock = threading.RLock()  # goals come on another thread than steps
        self._goal: ServerGoalHandle | None = None
        self._run = ""  # what the body does for the goal; empty until it has begun
        self._arrived = False  # the motion has come to its last point, perhaps not yet the joints
        self._since: float | None = None  # when it had
        self._names: list[str] = []
        self._last: TrajectoryPoint | None = None  # to be looked at only once the body has taken it
        self._tolerance: dict[str, float] = {}
        self._patience = TIME_TOLERANCE_S
        self._server = DeferredActionServer(
            node, action, "follow_joint_trajectory", self._begin, self._cancel
        )

    @classmethod
    def if_installed(
        cls, node: Node, queue: SkillQueue, refusal: Callable[[], str]
    ) -> "FollowTrajectory | None":
        """The action server, or None without control_msgs."""
        try:
            action = import_module("control_msgs.action").FollowJointTrajectory
        except ImportError:
            return None
        return cls(node, action, queue, refusal)

    def destroy(self) -> None:
        """Remove the action from the graph."""
        self._server.destroy()

    def report(self, report: SkillReport) -> None:
        """Note how far the motion for the goal is; one that ends before its last point ends the goal."""
        with self._lock:
            if self._goal is None or report.id != self._run:
                return
            ended = report.status.ended
            if ended:
                self._run = ""
            # By the time of the motion, which stands still while it is held.
            self._arrived = ended or (report.progress >= 1.0 and not report.held)
            if ended and report.status is not SkillStatus.SUCCEEDED:
                self._end(INVALID_GOAL, ": ".join(filter(None, (report.status.value, report.reason))))

    def step(self, position: Mapping[str, float], now: float) -> None:
        """Check whether the goal is reached; positions in rad by joint, time in s."""
        with self._lock:
            if self._goal is not None and self._last is not None:
                self._look(self._last, position, now)

    def lost(self, reason: str) -> None:
        """The body is lost, and with it the motion: the goal fails."""
        with self._lock:
            self._run = ""
            self._end(INVALID_GOAL, reason)

    def _look(self, last: TrajectoryPoint, position: Mapping[str, float], now: float) -> None:
        if not self._arrived:
            self._since = None
            return
        if self._since is None:
            self._since = now
        off = {
            name: abs(position[name] - angle) for name, angle in zip(self._names, last.positions, strict=True)
        }
        far = [name for name, value in off.items() if not value <= self._tolerance.get(name, GOAL_TOLERANCE)]
        if not far:
            self._end(SUCCESSFUL, "")
        elif now - self._since > self._patience:
            self._end(GOAL_VIOLATED, f"{far[0]} is {off[far[0]]:.3f} rad from its goal")

    def _begin(self, goal: ServerGoalHandle) -> None:
        with self._lock:
            self._take(goal)

    def _take(self, goal: ServerGoalHandle) -> None:
        if self._goal is not None:
            self._end(INVALID_GOAL, "replaced by a newer goal")
        self._goal, self._arrived, self._since = goal, False, None
        request = goal.request
        refusal = self._refusal()
        if refusal:
            self._end(INVALID_GOAL, refusal)
            return
        self._names = list(request.trajectory.joint_names)
        points, follow = trajectory_of(request.trajectory)
        tolerance = {item.name: item.position for item in request.goal_tolerance if item.position}
        if unclear := [name for name, position in tolerance.items() if isnan(position)]:
            self._end(INVALID_GOAL, f"the goal tolerance of {unclear[0]} is not a number")
            return
        # As control_msgs has it: 0 is the default, negative no limit.
        self._tolerance = {name: value if value > 0.0 else inf for name, value in tolerance.items()}
        wanted = request.goal_time_tolerance
        self._patience = wanted.sec + wanted.nanosec * NANOSECONDS or TIME_TOLERANCE_S
        self._queue.post(partial(self._start, goal, points, follow), partial(self._refused, goal))

    def _start(
        self,
        goal: ServerGoalHandle,
        points: Sequence[TrajectoryPoint],
        follow: Callable[[MotionRunner], str],
        runner: MotionRunner,
    ) -> None:
        """Begin, unless the goal was canceled or replaced meanwhile. On the thread that moves the body.

        Raises:
            CommandError: the joints cannot follow.
        """
        with self._lock:
            if goal is self._goal:
                self._run, self._last = follow(runner), points[-1]

    def _refused(self, goal: ServerGoalHandle, reason: str) -> None:
        with self._lock:
            if goal is self._goal:
                self._end(INVALID_JOINTS if "unknown joint" in reason else INVALID_GOAL, reason)

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
