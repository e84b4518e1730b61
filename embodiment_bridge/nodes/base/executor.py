# SPDX-License-Identifier: Apache-2.0
"""One executor per process, and the loop that turns it.

The events executor where rclpy has it: three times the rate of the single-threaded one at a quarter of the CPU. Two of
its habits shape our code (rclpy 7.1.6, 9.1.2): without a timeout it spins a core and runs nothing, and a coroutine that
waits is polled at full speed, so long actions do not await (see deferred_action.py). The multi-threaded executor loses
callbacks (rclpy #1452) and is not used.
"""

from collections.abc import Callable

from rclpy.context import Context
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor

try:
    from rclpy.experimental import EventsExecutor
except ImportError:  # a distribution without it
    EventsExecutor = None

TURN = 0.5  # s; how long an end may go unseen when nothing happens


def make_executor(context: Context) -> Executor:
    """The fastest sound executor of this rclpy."""
    if EventsExecutor is None:
        return SingleThreadedExecutor(context=context)
    return EventsExecutor(context=context)


def spin(executor: Executor, context: Context, until: Callable[[], bool] = lambda: False) -> None:
    """Serve callbacks until the context ends or ``until()`` is true."""
    try:
        while context.ok() and not until():
            executor.spin_once(timeout_sec=TURN)
    except ExternalShutdownException:
        return
