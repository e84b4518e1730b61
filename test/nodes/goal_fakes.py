# SPDX-License-Identifier: Apache-2.0
"""An action server whose answers are the test's, behind the client of rclpy, and a clock that the test moves."""

from types import SimpleNamespace
from typing import Any

import pytest
from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from embodiment_bridge.nodes.base import goal_client


class Accepted:
    """The handle of a goal."""

    accepted = True
    goal_id = UUID()

    def __init__(self) -> None:
        self.cancels, self.canceling, self.asked, self.result = 0, Future(), 0, Future()

    def get_result_async(self) -> Future:
        self.asked += 1
        return self.result

    def ends(self, status: int, result: Any = None) -> None:
        self.result.set_result(SimpleNamespace(status=status, result=result))


class FakeServer:
    """What the newest ActionClient is connected to. ``passes`` lets time pass, with a look ten times a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        self.is_there, self.answer, self.goal = True, Future(), Accepted()
        self.feedback: Any = None
        self.looks: list[Any] = []
        monkeypatch.setattr(goal_client, "ActionClient", lambda *_: self)
        monkeypatch.setattr(goal_client, "time", SimpleNamespace(monotonic=lambda: self.now))

    def node(self, **others: Any) -> Any:
        """A node whose timers are run by ``passes``."""

        def create_timer(_: float, callback: Any, **__: Any) -> Any:
            self.looks.append(callback)
            return SimpleNamespace(
                cancel=lambda: self.looks.remove(callback),
                reset=lambda: self.looks.append(callback),
                is_canceled=lambda: callback not in self.looks,
            )

        return SimpleNamespace(create_timer=create_timer, **others)

    def _cancel_goal_async(self, _: Any) -> Future:
        """What the handle of a goal calls, also of one that was not accepted."""
        self.goal.cancels += 1
        self.goal.canceling = Future()
        return self.goal.canceling

    def answers_cancel(self, *goals: Any) -> None:
        self.goal.canceling.set_result(SimpleNamespace(goals_canceling=goals))

    def server_is_ready(self) -> bool:
        return self.is_there

    def send_goal_async(self, goal: Any, feedback_callback: Any, goal_uuid: Any) -> Future:
        self.feedback = feedback_callback
        return self.answer

    def accepts(self) -> None:
        self.answer.set_result(self.goal)

    def tells(self, feedback: Any) -> None:
        self.feedback(SimpleNamespace(feedback=feedback))

    def passes(self, seconds: float) -> None:
        for _ in range(round(10 * seconds)):
            self.now += 0.1
            for look in tuple(self.looks):
                look()
