# SPDX-License-Identifier: Apache-2.0
"""Following a goal from the command line to its end, also where the server is gone or nobody wants to wait any more."""

import sys
import time
from collections.abc import Callable
from typing import Any, Protocol

GONE = 5  # exit code: nobody knows how the goal ended
PATIENCE = (
    1.5  # s: the graph's own view of who is there flickers now and then, and one turn of the loop takes 0.5 s
)


class GoneError(Exception):
    """Nobody will tell how the goal ends; the text says why."""


class Followed(Protocol):
    """A goal that a server has, or shall have."""

    @property
    def result(self) -> Any:
        """None until it has ended."""

    @property
    def server_is_there(self) -> bool:
        """Whether the graph has somebody who serves the action."""

    @property
    def cancel_taken(self) -> bool:
        """Whether the server said that it will cancel."""

    def cancel(self) -> None:
        """Ask for the end."""


def follow(goal: Followed, spin: Callable[[Callable[[], bool]], None], stopped: Callable[[], bool]) -> None:
    """Spin until the goal has a result. Once ``stopped()`` it is canceled; then another signal ends the waiting.

    Raises:
        GoneError: the server is gone, does not answer to the cancel, or there was a second signal.
    """
    from embodiment_bridge.nodes.base.signals import stop_on_signals

    seen = time.monotonic()

    def gone() -> bool:
        nonlocal seen
        if goal.server_is_there:
            seen = time.monotonic()
        return time.monotonic() - seen > PATIENCE

    spin(lambda: goal.result is not None or stopped() or gone())
    if goal.result is None and stopped():
        with stop_on_signals() as again:
            goal.cancel()
            sys.stderr.write("embodiment_bridge: canceling; interrupt again to wait no longer\n")
            asked = time.monotonic()

            def deaf() -> bool:
                return not goal.cancel_taken and time.monotonic() - asked > PATIENCE

            spin(lambda: goal.result is not None or again() or gone() or deaf())
            if goal.result is None and again():
                raise GoneError("interrupted again: the goal may be running still")
            if goal.result is None and deaf():
                raise GoneError("nobody answered the cancel: the goal may be running still")
    if goal.result is None:
        raise GoneError("the behaviour-tree node is gone")
