# SPDX-License-Identifier: Apache-2.0
"""One executor per process, and the loop that turns it.

The events executor where rclpy has it: three times the rate of the single-threaded one at a quarter of the CPU. Two of
its habits shape our code (rclpy 7.1.6, 9.1.2): without a timeout it spins a core and runs nothing, and a coroutine that
waits is polled at full speed, so long actions do not await (see deferred_action.py). The multi-threaded executor loses
callbacks (rclpy #1452) and is not used. Nor may an exception reach it (callback_guard.py): nodes of this package guard
their callbacks, and here tasks are guarded, which callbacks of futures are too.
"""

import faulthandler
from collections.abc import Callable
from contextlib import suppress
from inspect import iscoroutine
from typing import Any

from rclpy import executors
from rclpy.context import Context
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.logging import get_logger

from embodiment_bridge.nodes.base.callback_guard import CallbackGuard, guard_of

TURN = 0.5  # s; how long an end may go unseen when nothing happens
HAS_EVENTS = hasattr(rclpy_implementation, "EventsExecutor")


class _Guarded:
    """Before an executor of rclpy: an exception in a task ends that task alone."""

    def create_task(self, task: Any, *arguments: Any, **options: Any) -> Any:
        """As in rclpy."""
        if not iscoroutine(task):
            guard = guard_of(task) or CallbackGuard(get_logger("executor").error)
            task = guard.wrap(task, getattr(task, "__qualname__", "task"))
        return super().create_task(task, *arguments, **options)  # type: ignore[misc]


class SingleThreadedExecutor(_Guarded, executors.SingleThreadedExecutor):
    """rclpy's, guarded."""


if HAS_EVENTS:

    class EventsExecutor(_Guarded, rclpy_implementation.EventsExecutor):
        """rclpy's, guarded; made as ``rclpy.experimental.EventsExecutor`` makes it."""

        def __init__(self, *, context: Context) -> None:
            with suppress(
                OSError, ValueError
            ):  # a program that hosts us may have no file as its standard error
                faulthandler.enable()
            rclpy_implementation.EventsExecutor.__init__(self, context)
            context.on_shutdown(self.wake)


def make_executor(context: Context) -> Executor:
    """The fastest sound executor of this rclpy."""
    return EventsExecutor(context=context) if HAS_EVENTS else SingleThreadedExecutor(context=context)


def spin(executor: Executor, context: Context, until: Callable[[], bool] = lambda: False) -> None:
    """Serve callbacks until the context ends or ``until()`` is true."""
    try:
        while context.ok() and not until():
            executor.spin_once(timeout_sec=TURN)
    except ExternalShutdownException:
        return
