# SPDX-License-Identifier: Apache-2.0
"""The one executor of a process, its loop, and the guard that confines an exception to its callback.

It is the events executor if rclpy has it: three times the rate of the single-threaded one at a quarter of the CPU. Two
of its properties shape our code (rclpy 7.1.6, 9.1.2): without a timeout it spins a core and runs nothing, and it polls
a waiting coroutine at full speed, so long actions do not await (see action_server.py). The multi-threaded executor
loses callbacks (rclpy #1452) and is not used. An exception must not reach the executor either:
nodes of this package guard their callbacks, and tasks, which include callbacks of futures, are guarded here.
"""

import faulthandler
import inspect
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from inspect import iscoroutine
from typing import Any

from rclpy import executors
from rclpy.context import Context
from rclpy.executors import Executor, ExternalShutdownException
from rclpy.impl.implementation_singleton import rclpy_implementation
from rclpy.logging import get_logger

# Keeps an exception in one callback from ending the other nodes of the process, and the robot's torque with them.
#
# It has to be caught before rclpy sees it: the events executor passes it on to ``spin``, and crashes when it is spun
# again (a segmentation fault, rclpy 7.1.6).

AGAIN_S = 10.0  # between two tracebacks of the same line of code


class CallbackGuard:
    """Catches, logs with the traceback, and counts the exceptions in callbacks of one node.

    count, last: how many exceptions so far, and the last one in a line.
    """

    def __init__(self, log: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._logged: dict[str, float] = {}  # by line of code, so there are only a few
        self.count = 0
        self.last = ""

    def wrap(
        self, callback: Callable[..., Any], what: str, instead: Callable[..., Any] = lambda *_: None
    ) -> Callable[..., Any]:
        """Return a function that calls ``callback`` and catches its exceptions.

        what: name for the log. instead: gives the return value after an exception, from the same arguments.
        """
        if inspect.iscoroutinefunction(callback):

            @wraps(callback)
            async def guarded_wait(*arguments: Any, **options: Any) -> Any:
                try:
                    return await callback(*arguments, **options)
                except Exception as error:  # noqa: BLE001 - the other callbacks must go on after any exception
                    self.note(error, what)
                    return instead(*arguments)

            return guarded_wait

        @wraps(callback)
        def guarded(*arguments: Any, **options: Any) -> Any:
            try:
                return callback(*arguments, **options)
            except Exception as error:  # noqa: BLE001 - as above
                self.note(error, what)
                return instead(*arguments)

        return guarded

    def note(self, error: Exception, what: str) -> None:
        """Count an exception that was caught; each traceback is logged once in ten seconds."""
        self.count += 1
        self.last = f"{what}: {type(error).__name__}: {error}"[:500]
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{what} {frames[-1].filename}:{frames[-1].lineno}" if frames else what
        now = self._clock()
        if now - self._logged.get(place, float("-inf")) >= AGAIN_S:
            self._logged[place] = now
            text = "".join(traceback.format_exception(error))
            self._log(f"exception {self.count} in a callback, {what}; the node goes on\n{text}")


def guard_of(callback: Callable[..., Any]) -> CallbackGuard | None:
    """Return the guard of the node that a method, or the object of the method, belongs to; None if there is none."""
    while isinstance(callback, partial):
        callback = callback.func
    owner = getattr(callback, "__self__", None)
    guard = getattr(owner, "guard", None) or getattr(getattr(owner, "_node", None), "guard", None)
    return guard if isinstance(guard, CallbackGuard) else None


TURN = 0.5  # s; longest time between two checks for the end
HAS_EVENTS = hasattr(rclpy_implementation, "EventsExecutor")


class _Guarded:
    """Guards an executor of rclpy (a mixin): an exception in a task ends only that task."""

    def create_task(self, task: Any, *arguments: Any, **options: Any) -> Any:
        """Create a task, guarded."""
        if not iscoroutine(task):
            guard = guard_of(task) or CallbackGuard(get_logger("executor").error)
            task = guard.wrap(task, getattr(task, "__qualname__", "task"))
        return super().create_task(task, *arguments, **options)  # type: ignore[misc]


class SingleThreadedExecutor(_Guarded, executors.SingleThreadedExecutor):
    """Guards the tasks of rclpy's single-threaded executor."""


if HAS_EVENTS:

    class EventsExecutor(_Guarded, rclpy_implementation.EventsExecutor):
        """Guards the tasks of rclpy's events executor; constructed as in ``rclpy.experimental.EventsExecutor``."""

        def __init__(self, *, context: Context) -> None:
            with suppress(
                OSError, ValueError
            ):  # a program that hosts us may have no file as its standard error
                faulthandler.enable()
            rclpy_implementation.EventsExecutor.__init__(self, context)
            context.on_shutdown(self.wake)


def make_executor(context: Context) -> Executor:
    """Return the fastest reliable executor of this rclpy."""
    return EventsExecutor(context=context) if HAS_EVENTS else SingleThreadedExecutor(context=context)


def spin(executor: Executor, context: Context, until: Callable[[], bool] = lambda: False) -> None:
    """Serve callbacks until the context ends or ``until()`` is true."""
    try:
        while context.ok() and not until():
            executor.spin_once(timeout_sec=TURN)
    except ExternalShutdownException:
        return
