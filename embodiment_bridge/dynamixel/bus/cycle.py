# SPDX-License-Identifier: Apache-2.0
"""Runs the cycles of a bus: turn targets of joints into goals, write them, read values, do one piece of other work.

When cycles follow each other without a pause and there is no other work, the values of one cycle are decoded
and the goals of the next are computed while the wire is busy with the question of the cycle between. So the wire is
never idle, and a value is at most one cycle older than it could be.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import nan
from time import monotonic
from typing import NamedTuple

from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.health import Health
from embodiment_bridge.dynamixel.bus.joints import GOAL_ITEMS, OLD_SIGN, GoalFilter
from embodiment_bridge.dynamixel.bus.reading import MISSES
from embodiment_bridge.dynamixel.bus.servo import Servo
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.servo_config import POSITION_MODES


class Target(NamedTuple):
    """Represents the target of one joint: rad, rad/s, Nm; nan where not given.

    The servo's mode decides which is used.
    """

    position: float = nan
    velocity: float = nan
    effort: float = nan


NO_TARGET = Target()


class _Prepared(NamedTuple):
    """Holds goals of a cycle to come; ``goals`` are those of the servos before and with it, rad."""

    state: list[tuple[int, str, int]]
    packets: bytes
    goals: list[tuple[GoalFilter, float, float]]


class GoalWriter:
    """Writes goals with one sync write for each kind of goal; they are sent together with the next question."""

    def __init__(self, client: BusClient) -> None:
        self._client = client
        self._ready: _Prepared | None = None

    def write(
        self, servos: Sequence[Servo], targets: Mapping[str, Target], dt: float, *, fresh: bool, same: bool
    ) -> None:
        """Write the goals of all ``servos`` (driven ones), ``dt`` s after the last ones.

        fresh: whether the targets are recent; with old ones the joints hold.

        same: the servos are known to be the same, in the same state, as when ``prepare`` was called.
        """
        ready, self._ready = self._ready, None
        if ready is not None and (same or ready.state == _state(servos)):
            self._client.hold(ready.packets)
        else:
            self._client.hold(self._packets(servos, targets, dt, fresh=fresh))

    def prepare(
        self, servos: Sequence[Servo], targets: Mapping[str, Target], dt: float, *, fresh: bool
    ) -> None:
        """Compute what the next ``write`` sends, if the servos do not change until then."""
        before = [(servo.goals, servo.goals.goal) for servo in servos]
        packets = self._packets(servos, targets, dt, fresh=fresh)
        self._ready = _Prepared(_state(servos), packets, [(goals, old, goals.goal) for goals, old in before])

    def forget(self) -> None:
        """Drop the prepared goals.

        Those that were sent last are the goals again, except of a servo that began anew.
        """
        if self._ready is None:
            return
        for goals, old, prepared in self._ready.goals:
            if goals.goal == prepared:
                goals.goal = old
        self._ready = None

    def _packets(
        self, servos: Sequence[Servo], targets: Mapping[str, Target], dt: float, *, fresh: bool
    ) -> bytes:
        groups: dict[tuple[int, int], dict[int, bytes]] = {}
        for servo in servos:
            config = servo.config
            target = targets.get(config.joint, NO_TARGET)
            fit = not servo.held and not servo.lost_turn  # that one was left driven as it was found
            name, value = goal_of(servo, target, dt, fresh=fresh and fit)
            item = servo.table.items[name]
            place = item.address, item.size
            data = value.to_bytes(item.size, "little", signed=item.signed)
            if place in groups:
                groups[place][config.id] = data
            else:
                groups[place] = {config.id: data}
        return b"".join(
            [self._client.sync_write_packets(address, size, data) for (address, size), data in groups.items()]
        )


def _state(servos: Sequence[Servo]) -> list[tuple[int, str, int]]:
    return [(servo.config.id, servo.mode, servo.starts) for servo in servos]


def goal_of(servo: Servo, target: Target, dt: float, *, fresh: bool) -> tuple[str, int]:
    """Return the register, by name, and its value that bring the joint to its target."""
    mode, scale, limits, goals = servo.mode, servo.scale, servo.limits, servo.goals
    if mode in POSITION_MODES:
        ticks = scale.ticks(goals.position(target.position, dt, fresh=fresh))
        if mode == "position":  # not by min and max, which take longer than all else here
            if ticks < limits.lowest:
                ticks = limits.lowest
            elif ticks > limits.highest:
                ticks = limits.highest
        return "goal_position", ticks
    fresh = fresh and not servo.misses  # a motor that would run on is not driven blindly
    old = servo.table.protocol == 1
    if mode == "velocity":
        raw = scale.raw_velocity(goals.velocity(target.velocity, servo.position, dt, fresh=fresh))
        raw = min(max(raw, -limits.velocity), limits.velocity)
        return ("moving_speed", _old_speed(raw)) if old else ("goal_velocity", raw)
    speed = scale.velocity(servo.speed)
    if mode == "current":
        raw = scale.raw_current(goals.effort(target.effort, servo.position, speed, dt, fresh=fresh))
        return "goal_current", min(max(raw, -limits.current), limits.current)
    share = goals.share_of_full(target.effort, servo.position, speed, dt, fresh=fresh)
    reverse = -1 if servo.config.reduction < 0.0 else 1
    return GOAL_ITEMS[mode], round(reverse * share * limits.pwm)


def _old_speed(raw: int) -> int:
    # In joint mode 0 would be full speed for an AX, but in wheel mode it stands still.
    return -raw | OLD_SIGN if raw < 0 else raw


KEPT = 500


class CycleTimes:
    """Measures how long the last cycles of a bus took. Filled by the bus thread; others may look."""

    def __init__(self) -> None:
        self.count = 0
        self._periods: deque[float] = deque(maxlen=KEPT)
        self._lengths: deque[float] = deque(maxlen=KEPT)

    def add(self, period: float, length: float) -> None:
        """Note a cycle that began ``period`` s after the one before, and was busy for ``length`` s."""
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


# s that a servo needs to restart, at least: in a longer pause of this computer it may have
RESTART_LEAST_S = 0.2


class Cycle:
    """Runs the cycles of one open bus, in its thread.

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
        """Make questions to servos raise ``GivenWay`` inside this context, as soon as ``urgent()`` is True."""
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
        """Return whether all servos answer, have no error, and have the torque that is wanted."""
        for servo in self._servos:
            if servo.silent or servo.misses or servo.alert or not servo.is_as_wanted:
                return False
        return True
