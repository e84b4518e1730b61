# SPDX-License-Identifier: Apache-2.0
"""Goals wait for the body, and for their turn at a limited rate; large documents are read on a thread.

Clients may be quicker than the graph or the body. A body may share the executor of the tree: so it has its turn between
two goals, and no goal takes long.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.tree.runs.run_executor import RunExecutor

PARAMETERS = (
    Parameter(
        "goal_rate",
        20.0,
        "Documents and plans that are begun in a second, and as many at once after a rest, Hz; 0: any number.",
        0.0,
        1000.0,
        safety=True,
    ),
    Parameter("goal_queue", 20, "How many wait for that; more are REJECTED.", 0, 1000, safety=True),
)
BURST_S = 1.0
# s of wall time that a goal waits, by what is missing: programs of one machine find each other within 1 s
PATIENCE_S = {"body": 2.0, "link": 15.0, "values": 2.0}
MOST_EARLY = 100  # goals that may wait for a body, a link or values
LARGE = 50_000  # characters of a document; more take more than some 20 ms to read

T = TypeVar("T")


class GoalGate:
    """Lets each goal begin after those that came before it.

    Args:
        node: on whose executor goals begin.
        rate, most: see ``PARAMETERS``.
        run_executor: tells what goals wait for now, a key of ``PATIENCE_S``, and refuses where none can begin.
        clock: wall time, s.
    """

    def __init__(
        self,
        node: Node,
        rate: float,
        most: int,
        run_executor: RunExecutor,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._node = node
        self._rate = rate
        self._most = most
        self._run_executor = run_executor
        self._clock = clock
        self._full_at = 0.0  # when the token bucket is full, s
        # What begins each goal that waits, and what fails it.
        self._waiting: deque[tuple[Callable[[], None], Callable[[Exception], None]]] = deque()
        self._awaited = ""
        self._awaited_since = 0.0  # s of the clock
        self._reader: threading.Thread | None = None
        self._fail_read: Callable[[Exception], None] | None = None  # ends the goal that is being read
        self._timer: Timer | None = None
        self.refused = 0

    @property
    def waiting(self) -> int:
        """The number of goals that wait."""
        return len(self._waiting)

    def enter(
        self,
        read: Callable[[], T],
        take: Callable[[T], None],
        fail: Callable[[Exception], None],
        size: int = 0,
    ) -> None:
        """Call ``take(read())`` on the executor when the goal's turn has come, which may be now.

        The ``read`` of a large document is called on a thread, and no other goal begins until it is done.

        Args:
            read: touches nothing of ROS where ``size`` is above ``LARGE``.
            take: begins what was read.
            fail: ends the goal, with CommandError when too many wait already, Rejected when no goal can begin, or what
                ``read`` or ``take`` raised.
            size: characters to read.
        """
        begin = partial(self._begin, read, take, fail, size)
        if not self._waiting and self._may_begin():
            begin()
        elif len(self._waiting) >= (MOST_EARLY if self._awaited else self._most):
            self.refused += 1
            fail(
                CommandError(
                    f"too many goals: {len(self._waiting)} wait already (parameter goal_queue), and {self._rate:g} "
                    "are begun in a second (goal_rate)"
                )
            )
        else:
            self._waiting.append((begin, fail))
            self._go_on_later()

    def release(self) -> None:
        """Let all begin now, or refuse them, and the one that is being read, where none can begin."""
        self._stop_timer()
        try:
            self._run_executor.check()
        except Rejected as error:
            self.refuse(error)
        while self._waiting:
            begin, _ = self._waiting.popleft()
            begin()

    def refuse(self, error: Exception) -> int:
        """End all goals that wait, and the one that is being read, with this error; returns how many."""
        self._stop_timer()
        failing = [fail for _, fail in self._waiting]
        self._waiting.clear()
        if self._fail_read is not None:
            failing.append(self._fail_read)
            self._fail_read = None
        for fail in failing:
            fail(error)
        return len(failing)

    def close(self) -> None:
        """Release all goals, and wait for the thread that reads."""
        self.release()
        if self._reader is not None:
            self._reader.join()

    def _begin(
        self, read: Callable[[], T], take: Callable[[T], None], fail: Callable[[Exception], None], size: int
    ) -> None:
        try:
            self._run_executor.check()
        except Rejected as error:
            fail(error)
            return
        if size <= LARGE:
            _attempt(read, take, fail)()
            return
        reader = threading.Thread(target=self._read, args=(read, take, fail), name="large document")
        try:
            reader.start()
        except RuntimeError as error:  # there are too many threads
            fail(error)
            return
        self._reader, self._fail_read = reader, fail

    def _read(
        self, read: Callable[[], T], take: Callable[[T], None], fail: Callable[[Exception], None]
    ) -> None:
        end = _attempt(read, take, fail)
        executor = self._node.executor
        if executor is not None:
            executor.create_task(self._end_reading, end)

    def _end_reading(self, end: Callable[[], None]) -> None:
        self._reader = None
        if self._fail_read is not None:  # None: the goal was refused in the meantime
            self._fail_read = None
            end()

    def go_on(self) -> None:
        """Begin one goal in each turn of the executor, and one when what was missing may have come."""
        if self._waiting and self._may_begin():
            begin, _ = self._waiting.popleft()
            begin()
        if not self._waiting:
            self._stop_timer()

    def _may_begin(self) -> bool:
        return self._reader is None and not self._must_wait() and self._takes_one()

    def _must_wait(self) -> bool:
        """Whether something is missing that may still come; each thing has its own time."""
        missing = self._run_executor.missing()
        if missing != self._awaited:
            self._awaited, self._awaited_since = missing, self._clock()
        return bool(missing) and self._clock() <= self._awaited_since + PATIENCE_S[missing]

    def _takes_one(self) -> bool:
        if self._rate <= 0.0:
            return True
        now = self._clock()
        at_once = max(1.0, self._rate * BURST_S)
        if (self._full_at - now) * self._rate > at_once - 1.0:
            return False
        self._full_at = max(self._full_at, now) + 1.0 / self._rate
        return True

    def _go_on_later(self) -> None:
        if self._timer is None:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            period = 0.5 / self._rate if self._rate > 0.0 else 0.01
            self._timer = self._node.create_timer(min(period, 0.05), self.go_on, clock=steady)

    def _stop_timer(self) -> None:
        """End the wait: no goal is in the queue any more."""
        self._awaited = ""
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None


def _attempt(
    read: Callable[[], T], take: Callable[[T], None], fail: Callable[[Exception], None]
) -> Callable[[], None]:
    """Read; returns what is to be done then."""
    try:
        value = read()
    except Exception as error:  # noqa: BLE001 - the goal must end and the next ones begin, whatever it was
        return partial(fail, error)

    def end() -> None:
        try:
            take(value)
        except Exception as error:  # noqa: BLE001 - as above
            fail(error)

    return end
