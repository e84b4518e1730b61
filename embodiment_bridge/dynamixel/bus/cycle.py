# SPDX-License-Identifier: Apache-2.0
"""Runs the cycles of a bus: write goals, read values, do one piece of other work; and measures how long they take.

When cycles follow each other without a pause and there is no other work, the values of one cycle are decoded
and the goals of the next are computed while the wire is busy with the question of the cycle between. So the wire is
never idle, and a value is at most one cycle older than it could be.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import monotonic

from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.goal_writer import GoalWriter, Target
from embodiment_bridge.dynamixel.bus.health import Health
from embodiment_bridge.dynamixel.bus.reading import MISSES
from embodiment_bridge.dynamixel.bus.servo import Servo
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor

# How long the cycles of a bus take, over the last of them.

KEPT = 500


class CycleTimes:
    """Filled by the bus thread; others may look."""

    def __init__(self) -> None:
        self.count = 0
        self._periods: deque[float] = deque(maxlen=KEPT)
        self._lengths: deque[float] = deque(maxlen=KEPT)

    def add(self, period: float, length: float) -> None:
        """A cycle began ``period`` s after the one before, and was busy for ``length`` s."""
        self.count += 1
        self._periods.append(period)
        self._lengths.append(length)

    @property
    def rate_hz(self) -> float:
        """Cycles per second."""
        periods = tuple(self._periods)
        total = sum(periods)
        return len(periods) / total if total > 0.0 else 0.0

    @property
    def mean_ms(self) -> float:
        """Mean length of a cycle, without waiting for the next."""
        lengths = tuple(self._lengths)
        return 1e3 * sum(lengths) / len(lengths) if lengths else 0.0

    @property
    def longest_ms(self) -> float:
        """The longest of them."""
        return 1e3 * max(tuple(self._lengths), default=0.0)


RESTART_LEAST_S = (
    0.2  # s that a servo needs to restart, at least: in a longer pause of this computer it may have
)


class Cycle:
    """The cycles of one open bus, in its thread.

    estop: the emergency stop that has been carried out, as in ``ServoBus.emergency_stop``; empty: none.
    """

    def __init__(
        self,
        client: BusClient,
        supervisor: Supervisor,
        servos: Sequence[Servo],
        on_found: Callable[[Servo], None],
    ) -> None:
        self._client = client
        self._supervisor = supervisor
        self._servos = servos
        self._on_found = on_found
        self._writer = GoalWriter(client)
        self._health = Health(client, supervisor)
        self.estop = ""
        self._answering: list[Servo] = []
        self._resuming: list[Servo] = []  # driven, and not heard since a gap
        self._read_at = 0.0  # when the last read ended, s of the monotonic clock
        self.settle()

    def apply_estop(self, estop: str) -> None:
        """Begin or end an emergency stop; ``torque_off`` has been sent when this returns."""
        self._writer.forget()
        self.estop = estop
        if estop == "torque_off":
            self._supervisor.send_torque_off(self._servos)
            self._health.check_torque_next()
        self.settle()

    def resume(self) -> None:
        """Go on after a long gap: joints keep their goals until all have answered, then start from where they are."""
        self._writer.forget()
        self._resuming = list(self._driven)

    def exchange(
        self, targets: Mapping[str, Target], now: float, dt: float, *, fresh: bool, hurried: bool
    ) -> bool:
        """Write goals and read values; returns whether there is no other work in this cycle.

        targets, dt, fresh: see ``GoalWriter``. hurried: cycles follow each other without a pause, and no request waits.
        """
        fresh = fresh and not self._resuming
        calm = self._calm and hurried and now < self._health.due and not self._resuming
        reader = self._supervisor.reader
        if self.estop != "torque_off":
            self._writer.write(self._driven, targets, dt, fresh=fresh, same=self._calm)
        if calm:
            self._client.meanwhile = lambda: self._work_during_read(targets, dt, fresh=fresh)
        else:
            reader.store()
        complete = reader.read(self._answering, now)
        read_at = monotonic()
        paused, self._read_at = read_at - self._read_at >= RESTART_LEAST_S, read_at
        if calm and complete and not paused:
            return True
        back = [
            servo
            for servo in self._answering
            if (servo.misses >= MISSES or read_at - servo.heard >= RESTART_LEAST_S) and reader.answered(servo)
        ]
        if back:
            self._health.examine(back, now)
        reader.store()
        if self._resuming:
            for servo in self._resuming:
                if servo.heard == now:
                    servo.goals.start(servo.position)
            self._resuming = [one for one in self._resuming if one.heard != now and one in self._driven]
        return False

    @contextmanager
    def giving_way(self, urgent: Callable[[], bool]) -> Iterator[None]:
        """Inside this context, questions to servos raise ``GivenWay`` as soon as ``urgent()`` is True."""
        self._client.give_way = urgent
        try:
            yield
        finally:
            self._client.give_way = None

    def tend(self, now: float) -> None:
        """Update which servos are silent, look for one that is back, and check the health of one group."""
        self._supervisor.mark_silent(now)
        self._supervisor.look_for_silent(now, self._on_found)
        self._health.step([servo for servo in self._servos if not servo.silent], now)

    def settle(self) -> None:
        """Update the lists of servos that answer and that are driven."""
        answering = [servo for servo in self._servos if not servo.silent]
        if answering != self._answering:  # the same list object is kept: `Reader` caches by it
            self._answering = answering
        self._driven = [servo for servo in answering if servo.torque]
        self._calm = self._is_calm()

    def _work_during_read(self, targets: Mapping[str, Target], dt: float, *, fresh: bool) -> None:
        """Do the work that does not use the wire: store the last values and prepare the next goals."""
        self._supervisor.reader.store()
        self._calm = self._is_calm()
        if self.estop != "torque_off":
            self._writer.prepare(self._driven, targets, dt, fresh=fresh)

    def _is_calm(self) -> bool:
        """Whether all servos answer, have no error, and have the torque that is wanted."""
        for servo in self._servos:
            if servo.silent or servo.misses or servo.alert or not servo.is_as_wanted:
                return False
        return True
