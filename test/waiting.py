# SPDX-License-Identifier: Apache-2.0
"""Waits until what a test expects holds; a test that waits too long fails and says what it waited for.

A patience is for a machine that is very busy: a test that passes does not use it up.
"""

import inspect
import time
from collections.abc import Callable
from typing import Any, Protocol

THREAD = 60.0  # s, for what this process does by itself: its threads, its sockets on this machine
GRAPH = 90.0  # s, for nodes that find each other, and for all that a robot does in a test
PROCESS = 240.0  # s, for a program that starts, works and ends
SIMULATION = 300.0  # s, for hours of simulated time, and for pictures that software draws
PERIOD_S = 0.005


class Served(Protocol):
    """What serves callbacks: a ``Runtime``, or the ``Graph`` of a launch file."""

    def spin(self, until: Callable[[], bool], /) -> None: ...


class Sleeping:
    """Serves nothing: other threads, or other programs, bring about what the test waits for."""

    def spin(self, until: Callable[[], bool], /) -> None:
        while not until():
            time.sleep(PERIOD_S)


def until(condition: Callable[[], Any], why: str | Callable[[], Any] = "", patience: float = THREAD) -> None:
    """Wait until ``condition()`` is true. why: what to say beside the condition when it does not come to hold."""
    __tracebackhide__ = True
    spin_until(Sleeping(), condition, why, patience)


def spin_until(
    served: Served,
    condition: Callable[[], Any],
    why: str | Callable[[], Any] = "",
    patience: float = GRAPH,
) -> None:
    """Serve callbacks until ``condition()`` is true."""
    __tracebackhide__ = True
    deadline, held = time.monotonic() + patience, False

    def over() -> bool:
        nonlocal held
        held = bool(condition())
        return held or time.monotonic() > deadline

    served.spin(over)
    if not held:
        raise AssertionError(
            f"waited {patience:g} s for {_words(condition)}: {why() if callable(why) else why}"
        )


def spin_for(served: Served, seconds: float) -> None:
    """Serve callbacks for so long, whatever happens."""
    deadline = time.monotonic() + seconds
    served.spin(lambda: time.monotonic() > deadline)


def _words(condition: Callable[[], Any]) -> str:
    """The condition as the test has it."""
    if getattr(condition, "__name__", "") != "<lambda>":
        return getattr(condition, "__qualname__", repr(condition))
    return " ".join(inspect.getsource(condition).split())
