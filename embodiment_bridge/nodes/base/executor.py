# SPDX-License-Identifier: Apache-2.0
"""The one executor of a process, and the loop that spins it.

It is the events executor if rclpy has it: three times the rate of the single-threaded one at a quarter of the CPU. Two
of its properties shape our code (rclpy 7.1.6, 9.1.2): without a timeout it spins a core and runs nothing, and it polls
a waiting coroutine at full speed, so long actions do not await (see deferred_action.py). The multi-threaded executor
loses callbacks (rclpy #1452) and is not used. An exception must not reach the executor either (callback_guard.py):
nodes of this package guard their callbacks, and tasks, which include callbacks of futures, are guarded here.
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

TURN = 0.5  # s; longest time between two checks for the end
HAS_EVENTS = hasattr(rclpy_implementation, "EventsExecutor")


class _Guarded:
    """Mixin for an executor of rclpy: an exception in a task ends only that task."""

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
        """The executor of rclpy with guarded tasks; constructed as in ``rclpy.experimental.EventsExecutor``."""

        def __init__(self, *, context: Context) -> None:
            with suppress(
                OSError, ValueError
            ):  # a program that hosts us may have no file as its standard error
                faulthandler.enable()
            rclpy_implementation.EventsExecutor.__init__(self, context)
            context.on_shutdown(self.wake)


def make_executor(context: Context) -> Executor:
    """The fastest reliable executor of this rclpy."""
    return EventsExecutor(context=context) if HAS_EVENTS else SingleThreadedExecutor(context=context)


def spin(executor: Executor, context: Context, until: Callable[[], bool] = lambda: False) -> None:
    """Serve callbacks until the context ends or ``until()`` is true."""
    try:
        while context.ok() and not until():
            executor.spin_once(timeout_sec=TURN)
    except ExternalShutdownException:
        return
