# SPDX-License-Identifier: Apache-2.0
"""Sends a goal from the command line and follows it, to its end or the loss of its server, or until the user stops."""

import argparse
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from embodiment_bridge.cli.ending import OTHER
from embodiment_bridge.cli.terminal import drop_output, say

F = TypeVar("F")

GONE = 5  # exit code: the outcome of the goal is unknown
BACK_S = 10.0  # in which a server that stood still comes back, finds this program and cancels the goal
UNANSWERED = "the goal was not answered: it may be running"


class GoneError(Exception):
    """Reports that there is no result; the text says why. ``code``: the exit code of the command."""

    def __init__(self, text: str, code: int = GONE) -> None:
        super().__init__(text)
        self.code = code


def perform(
    kind: Any, goal: Any, show: Callable[[Any], None], *, action: str, arguments: argparse.Namespace
) -> tuple[Any, bool]:
    """Send a goal of an action of the behaviour-tree node; its result, and whether it was interrupted.

    Args:
        kind: the action.
        goal: of it.
        show: is told the feedback.
        action: its name.
        arguments: of the command: ``namespace``, and ``wait``, the longest time in s for a server.

    Raises:
        KeyboardInterrupt: nothing had begun yet.
        GoneError: there is no server, or the outcome is unknown.
    """
    import rclpy

    from embodiment_bridge.nodes.base import goal_client
    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    with stop_on_signals() as stopped, Runtime() as runtime:
        name, namespace = goal.source.replace("-", "_"), arguments.namespace
        node = runtime.add(rclpy.create_node(name, namespace=namespace, context=runtime.context))
        client = goal_client.TreeClient[Any, Any](node, kind, action)
        if not await_server(lambda: client.server_is_there, runtime.spin, stopped, arguments.wait):
            raise not_served(action, namespace)
        sent = client.send(goal, unless_lost(show))
        follow(sent, runtime.spin, stopped)
        client.destroy()
        return sent.result, stopped()


class FollowedGoal(Protocol):
    """Represents a goal that was sent to an action server."""

    @property
    def result(self) -> object:
        """The result; None until the goal has ended."""

    @property
    def lost(self) -> str:
        """The reason why the outcome is unknown; empty while it may come, or is known."""

    @property
    def answered(self) -> bool:
        """Whether the server has accepted or refused it."""

    @property
    def cancel_taken(self) -> bool:
        """Whether the server has accepted the cancel."""

    @property
    def cancel_awaited(self) -> bool:
        """Whether a cancel has no answer yet."""

    def cancel(self) -> None:
        """Ask the server to cancel the goal."""


def not_served(action: str, namespace: str) -> GoneError:
    """Return the error for an action without a server."""
    return GoneError(
        f"nothing serves {action} in namespace {namespace}; start a body first, e.g. "
        "`embodiment_bridge up bringup.launch.xml`",
        OTHER,
    )


def unless_lost(show: Callable[[F], None]) -> Callable[[F], None]:
    """Show feedback as long as somebody reads it: the goal is followed to its end also when the output is lost."""

    def shown(feedback: F) -> None:
        try:
            show(feedback)
        except BrokenPipeError:
            drop_output()

    return shown


def await_server(
    is_served: Callable[[], bool],
    spin: Callable[[Callable[[], bool]], None],
    stopped: Callable[[], bool],
    seconds: float,
) -> bool:
    """Spin until a node serves the action; return whether one does within so many s.

    Raises:
        KeyboardInterrupt: ``stopped()`` before.
    """
    deadline = time.monotonic() + seconds
    spin(lambda: is_served() or stopped() or time.monotonic() > deadline)
    if stopped():
        raise KeyboardInterrupt
    return is_served()


def follow(
    goal: FollowedGoal, spin: Callable[[Callable[[], bool]], None], stopped: Callable[[], bool]
) -> None:
    """Spin until the goal has a result. ``stopped()`` cancels it; another signal after that stops waiting.

    It returns without a result where ``spin`` ends before, as with a graph that has ended.

    Raises:
        GoneError: the server is gone, does not answer the goal or the cancel, or there was a second signal.
    """
    from embodiment_bridge.nodes.base.goal_client import ANSWER_WITHIN
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    spin(lambda: goal.result is not None or stopped())
    if goal.result is None and stopped():
        with stop_on_signals() as again:
            goal.cancel()
            say("canceling; interrupt again to stop waiting")
            asked = time.monotonic()

            def unanswered() -> bool:
                return not goal.cancel_taken and time.monotonic() - asked > ANSWER_WITHIN

            spin(lambda: goal.result is not None or again() or unanswered())
            if goal.result is None and again():
                raise GoneError("interrupted again: the goal may still be running")
            if goal.result is None:
                raise GoneError("no answer to the cancel: the goal may still be running")
    if goal.lost:
        raise GoneError(_given_up(goal, spin))


def _given_up(goal: FollowedGoal, spin: Callable[[Callable[[], bool]], None]) -> str:
    """Wait until the server cancels the goal, as it may be back, for BACK_S or until a signal; says what is known."""
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    why = goal.lost if goal.answered else UNANSWERED
    if goal.cancel_awaited:
        wait = f"canceling if it comes back within {BACK_S:g} s; interrupt to stop waiting"
        deadline = time.monotonic() + BACK_S
        with stop_on_signals() as again:
            say(f"{why}; {wait}")
            spin(lambda: not goal.cancel_awaited or again() or time.monotonic() > deadline)
    return f"{why}; it came back, and the goal is canceled" if goal.cancel_taken else why
