# SPDX-License-Identifier: Apache-2.0
"""Documents that were sent to the behaviour tree, each followed to its end."""

import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

from rclpy.action import ActionClient
from rclpy.action.client import ClientGoalHandle
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.nodes.base.goal_ids import run_id_of
from embodiment_bridge.nodes.base.goal_result import ANSWER_WITHIN, GONE_AFTER, NOT_KNOWN, GoalResult
from embodiment_bridge.nodes.body.keep_alive import CLIENT_S, KeepAlive
from embodiment_bridge.robot.values import Outcome, Progress

LOOK_S: Final = 0.25
LOST: Final = "UNKNOWN"
SENT: Final = "SENT"  # the state of a run of which the tree has not said anything


class Run:
    """One run. ``began`` and ``ended`` are set on the thread of the graph; ``progress`` is the newest."""

    def __init__(self, document: str) -> None:
        self.document = document
        self.began: Future[bool] = Future()
        self.ended: Future[Outcome] = Future()
        self.progress = Progress(SENT, 0.0)
        self.run_id = ""
        self.warnings: list[str] = []
        self.asked = time.monotonic()
        self.goal: ClientGoalHandle | None = None
        self.result: GoalResult | None = None
        self.cancel_asked = False
        self._listeners: list[Callable[[Progress], None]] = []

    def on_progress(self, listener: Callable[[Progress], None]) -> None:
        """Call ``listener(progress)`` at each news, on the thread of the graph."""
        self._listeners.append(listener)

    def take_feedback(self, message: Any) -> None:
        """News from the tree."""
        news: ExecuteBml.Feedback = message.feedback
        self.warnings.extend(news.warnings)
        expected = float(news.expected) if math.isfinite(news.expected) else None
        self.progress = Progress(
            news.state, float(news.elapsed), tuple(news.active), expected, tuple(news.doing)
        )
        if self.result is not None:
            self.result.heard()
        if self.run_id:  # else it begins when the answer with its id is here
            self.begin()
        for listener in self._listeners:
            listener(self.progress)

    def begin(self) -> None:
        """It was accepted."""
        if not self.began.done():
            self.began.set_result(True)

    def end(self, outcome: Outcome) -> None:
        """It is over."""
        if not self.ended.done():
            if not self.began.done():
                self.began.set_result(False)
            self.ended.set_result(outcome)


class Runs:
    """The client of `execute_bml`: all methods are for the thread of the graph.

    While a run lasts, ``source`` is said on `keep_alive`, so that the tree pauses the run when this process is gone.
    """

    def __init__(self, node: Node, source: str) -> None:
        self._node = node
        self._source = source
        self._alive = KeepAlive(node, CLIENT_S)
        self._client = ActionClient(node, ExecuteBml, "execute_bml")
        self._running: list[Run] = []
        self._seen = time.monotonic()
        self._timer = node.create_timer(LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    @property
    def is_ready(self) -> bool:
        """Whether a behaviour tree serves documents."""
        ready: bool = self._client.server_is_ready()
        return ready

    @property
    def running(self) -> tuple[Run, ...]:
        """The runs that were sent and have not ended."""
        return tuple(self._running)

    def send(self, run: Run, on_new: str, priority: int) -> None:
        """Ask for a run."""
        if not self.is_ready:
            run.end(Outcome("REJECTED", "no behaviour tree serves execute_bml in this namespace"))
            return
        self._running.append(run)
        self._alive.tell((self._source,))
        self._alive.rest((self._source,))
        run.asked = self._seen = time.monotonic()
        goal = ExecuteBml.Goal(document=run.document, source=self._source, on_new=on_new, priority=priority)
        answer = self._client.send_goal_async(goal, feedback_callback=run.take_feedback)
        answer.add_done_callback(lambda future: self._answered(run, future.result()))

    def cancel(self, run: Run) -> None:
        """Ask for its end; it ends when the body is at rest."""
        run.cancel_asked = True
        if run.goal is not None and not run.ended.done():
            run.goal.cancel_goal_async()

    def give_up(self) -> None:
        """Cancel what was sent and has not begun: the tree may hear of it after a stop that was called later."""
        for run in self.running:
            if run.goal is None:
                self.cancel(run)

    def close(self) -> None:
        """Cancel everything; what has not ended is not known any more.

        The client of the action goes with its node: an answer to it that is under way would crash the events executor.
        """
        for run in self.running:
            self.cancel(run)
            self._end(run, Outcome(LOST, "this program has ended"))
        self._node.destroy_timer(self._timer)
        self._alive.destroy()

    def lose(self) -> None:
        """Nobody serves the graph any more: what becomes of the runs will not be known."""
        for run in self.running:
            run.end(Outcome(LOST, "this program serves the graph no more"))

    def _answered(self, run: Run, goal: ClientGoalHandle) -> None:
        if not goal.accepted:
            self._end(run, Outcome("REJECTED", "the behaviour-tree node refused the goal"))
            return
        run.goal, run.run_id = goal, run_id_of(goal)
        if run.progress.state != SENT:  # its feedback was faster
            run.begin()
        run.result = GoalResult(goal, partial(self._ended, run))
        # An answer that comes after it was given up: nobody looks after the run any more.
        if run.cancel_asked or run.ended.done():
            goal.cancel_goal_async()

    def _ended(self, run: Run, result: ExecuteBml.Result | None) -> None:
        if result is None:
            self._end(run, Outcome(LOST, f"the behaviour-tree node {NOT_KNOWN}"))
            return
        warnings = tuple(dict.fromkeys(run.warnings))
        self._end(
            run,
            Outcome(
                result.outcome,
                result.reason,
                result.pointer,
                tuple(result.problems),
                warnings,
                float(result.elapsed),
            ),
        )

    def _end(self, run: Run, outcome: Outcome) -> None:
        if run in self._running:
            self._running.remove(run)
        if not self._running:
            self._alive.tell(())
        run.end(outcome)

    def _look(self) -> None:
        now = time.monotonic()
        if self.is_ready:
            self._seen = now
        for run in self.running:
            if now - self._seen > GONE_AFTER:
                self._end(run, Outcome(LOST, "the behaviour-tree node is gone"))
            elif run.goal is None and now - run.asked > ANSWER_WITHIN:
                text = f"the behaviour-tree node did not answer within {ANSWER_WITHIN:g} s"
                self._end(run, Outcome(LOST, text))
            elif run.result is not None:
                run.result.look()
