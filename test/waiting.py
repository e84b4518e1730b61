# SPDX-License-Identifier: Apache-2.0
"""Waits until what a test expects holds; a test that waits too long fails and says what it waited for.

A patience is for a machine that is very busy: a test that passes does not use it up.
"""

import inspect
import time
from collections.abc import Callable
from typing import Any

THREAD = 60.0  # s, for what this process does by itself: its threads, its sockets on this machine
GRAPH = 90.0  # s, for nodes that find each other, and for all that a robot does in a test
PROCESS = 240.0  # s, for a program that starts, works and ends
SIMULATION = 300.0  # s, for hours of simulated time, and for pictures that software draws
PERIOD_S = 0.01


def until(
    condition: Callable[[], Any],
    why: Callable[[], Any] | None = None,
    *,
    patience: float = THREAD,
    spin: Callable[[Callable[[], bool]], None] | None = None,
) -> None:
    """Wait until ``condition()`` is true.

    why: what to say beside the condition when it does not come to hold. spin: serves callbacks meanwhile, until what it
    is given is true, as ``Runtime.spin`` does; None: the thread sleeps.
    """
    __tracebackhide__ = True
    deadline, held = time.monotonic() + patience, False

    def over() -> bool:
        nonlocal held
        held = bool(condition())
        return held or time.monotonic() > deadline

    if spin is not None:
        spin(over)
    else:
        while not over():
            time.sleep(PERIOD_S)
    if not held:
        told = "" if why is None else f"; {why()}"
        raise AssertionError(f"waited {patience:g} s for {_words(condition)}{told}")


def pause(seconds: float, spin: Callable[[Callable[[], bool]], None]) -> None:
    """Serve callbacks for so long, whatever happens."""
    deadline = time.monotonic() + seconds
    spin(lambda: time.monotonic() > deadline)


def _words(condition: Callable[[], Any]) -> str:
    """The condition as the test has it."""
    if getattr(condition, "__name__", "") != "<lambda>":
        return getattr(condition, "__qualname__", repr(condition))
    return " ".join(inspect.getsource(condition).split())
