# SPDX-License-Identifier: Apache-2.0
"""How a command follows its goal: what it shows, when it ends, and what it says then."""

import io
import os
import signal

import pytest

from embodiment_bridge.cli import following
from embodiment_bridge.cli.following import GoneError, follow
from embodiment_bridge.cli.terminal import Progress, together


class Goal:
    """A goal on a server that is as a test wants it."""

    def __init__(self, *, lost="", answered=True, takes_cancel=True, ends=False):
        self.result = "ERROR" if lost else None
        self.lost, self.answered, self.cancel_taken = lost, answered, False
        self.cancel_awaited = bool(lost)
        self.canceled = 0
        self._takes_cancel, self._ends = takes_cancel, ends

    def cancel(self):
        self.canceled += 1
        self.cancel_taken = self._takes_cancel
        self.result = "CANCELED" if self._ends else None


def turns(during=lambda turn: None):
    """A loop in which ``during`` may do something; a goal that is never given up fails the test."""

    def spin(until):
        for turn in range(100):
            if until():
                return
            during(turn)
        pytest.fail("waits for ever")

    return spin


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Each look at the time is half a second later."""
    looks = iter(range(10_000))
    monkeypatch.setattr(following.time, "monotonic", lambda: 0.5 * next(looks))


def test_goal_that_ends_is_left_alone():
    goal = Goal()
    follow(
        goal, turns(lambda turn: setattr(goal, "result", "SUCCEEDED" if turn > 50 else None)), lambda: False
    )
    assert (goal.result, goal.canceled) == ("SUCCEEDED", 0)


def test_goal_whose_graph_has_ended_is_not_canceled():
    goal = Goal()
    follow(goal, lambda until: None, lambda: False)
    assert (goal.result, goal.canceled) == (None, 0)


def test_goal_is_canceled_when_the_command_is_to_end():
    goal = Goal(ends=True)
    follow(goal, turns(), lambda: True)
    assert (goal.result, goal.canceled) == ("CANCELED", 1)


@pytest.mark.parametrize(
    ("goal", "stopped", "says"),
    [
        (Goal(lost="the node is gone"), False, "^the node is gone$"),
        (Goal(lost="no answer", answered=False), False, "the goal was not answered: it may be running"),
        (Goal(takes_cancel=False), True, "no answer to the cancel"),
    ],
    ids=["gone", "not answered", "deaf"],
)
def test_waiting_ends_when_nobody_will_tell(goal, stopped, says):
    with pytest.raises(GoneError, match=says):
        follow(goal, turns(), lambda: stopped)


def test_a_goal_that_was_given_up_is_canceled_when_its_server_is_back(capsys):
    goal = Goal(lost="the node is gone")

    def during(turn):
        if turn == 5:
            goal.cancel_awaited, goal.cancel_taken = False, True

    with pytest.raises(GoneError, match="the node is gone; it came back, and the goal is canceled"):
        follow(goal, turns(during), lambda: False)
    assert "interrupt to stop waiting" in capsys.readouterr().err


def test_a_cancel_that_is_answered_late_is_waited_for():
    goal = Goal(takes_cancel=False)

    def during(turn):
        if turn == 10:  # 10 s later
            goal.result = "CANCELED"

    follow(goal, turns(during), lambda: True)
    assert goal.result == "CANCELED"


def test_second_signal_ends_the_waiting(capsys):
    goal = Goal()
    interrupt = turns(lambda turn: os.kill(os.getpid(), signal.SIGTERM) if turn == 50 else None)
    with pytest.raises(GoneError, match="interrupted again"):
        follow(goal, interrupt, lambda: True)
    assert goal.canceled == 1
    assert "interrupt again" in capsys.readouterr().err


BOTH = ["HEAD_SHAKE", "swing"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_runs_twice_is_named_once() -> None:
    assert together(["HEAD_SHAKE", "swing", "HEAD_SHAKE"]) == "HEAD_SHAKE + swing"


def test_a_terminal_has_one_line_that_is_rewritten() -> None:
    stream = Terminal()
    progress = Progress(stream)
    progress.show(0.5, "RUNNING", BOTH)
    progress.show(1.0, "PAUSED", BOTH)
    progress.end()
    progress.end()
    assert stream.getvalue().split("\r\x1b[K") == [
        "", "    0.50 s  HEAD_SHAKE + swing", "    1.00 s  PAUSED HEAD_SHAKE + swing\n",
    ]  # fmt: skip


def test_a_file_has_a_line_for_each_change() -> None:
    stream = io.StringIO()
    progress = Progress(stream)
    for elapsed in (0.5, 0.7, 0.9):
        progress.show(elapsed, "RUNNING", BOTH)
    progress.show(1.0, "RUNNING", ["delay"])
    progress.end()
    assert stream.getvalue() == "    0.50 s  HEAD_SHAKE + swing\n    1.00 s  delay\n"
