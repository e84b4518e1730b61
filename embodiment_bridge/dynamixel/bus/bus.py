# SPDX-License-Identifier: Apache-2.0
"""A servo bus with the thread that owns its port: open, find, set up, drive, lose, open again, for ever.

CLOSED -> OPEN -> PROBE -> CONFIGURE -> READY -> ACTIVE <-> DEGRADED -> LOST -> (OPEN ...)
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from enum import Enum

from embodiment_bridge.core.errors import BridgeError, ConfigError, LinkError
from embodiment_bridge.dynamixel.bus.care import Care
from embodiment_bridge.dynamixel.bus.client import BusClient
from embodiment_bridge.dynamixel.bus.cycle import Cycle
from embodiment_bridge.dynamixel.bus.cycle_times import CycleTimes
from embodiment_bridge.dynamixel.bus.goal_writer import Target
from embodiment_bridge.dynamixel.bus.joints import Calibration
from embodiment_bridge.dynamixel.bus.port import Port, latency_timer_ms, open_port
from embodiment_bridge.dynamixel.bus.servo import JointReading, Servo, make_servo
from embodiment_bridge.dynamixel.bus.work import BusWork, Done, Work
from embodiment_bridge.dynamixel.config.calibration import Stored
from embodiment_bridge.dynamixel.config.servo_config import BusConfig
from embodiment_bridge.dynamixel.tables.control_table import ControlTable, table

BACKOFF_S, BACKOFF_LATEST_S = 0.1, 2.0  # s between tries to open the port
USUAL_MODEL = "xm430_w350"  # what a servo counts as until it said what it is
WORK_LIMIT = 256  # requests that wait; more are refused


class BusState(Enum):
    """How a bus stands."""

    CLOSED = "closed"  # not asked to be open
    OPEN = "open"  # the port was opened
    PROBE = "probe"  # the servos are asked who they are
    CONFIGURE = "configure"  # their settings are brought in order
    READY = "ready"  # they are read; nobody asked for their torque
    ACTIVE = "active"  # they are driven
    DEGRADED = "degraded"  # as before, but some do not answer
    LOST = "lost"  # the port is gone, or nobody answers on it


SERVING = frozenset({BusState.READY, BusState.ACTIVE, BusState.DEGRADED})


class ServoBus:
    """All servos of one wire. Every public method may be called by any thread; none of them waits for the bus.

    Args:
        config: what the description says.
        stored: what the user's calibration file says, by joint.
        margin_s: how much later than the wire needs an answer may come.
        open_port: opens a port by name and bits per second; raises LinkError.
    """

    def __init__(
        self,
        config: BusConfig,
        stored: Mapping[str, Stored] | None = None,
        *,
        margin_s: float = 0.01,
        open_port: Callable[[str, int], Port] = open_port,
    ) -> None:
        self.config = config
        self._stored = dict(stored or {})
        self._margin_s = margin_s
        self._open_port = open_port
        self.servos = tuple(
            make_servo(servo, _table_of(servo.model), _calibration(self._stored.get(servo.joint)))
            for servo in config.servos
        )
        self._check_registers()
        self.state = BusState.CLOSED
        self.reason = ""
        self.connects = 0
        self.read_kind = ""
        self.rejected = 0
        self.times = CycleTimes()
        self._active = False
        self._stopping = False
        self._estop = ""  # torque_off or hold, while stopped
        self._wake = threading.Event()
        self._work: deque[Work] = deque()
        self._waiting: list[Work] = []
        self._targets: tuple[float, Mapping[str, Target]] = (float("-inf"), {})
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Open the port and keep it open, until ``stop``."""
        if self._thread is None:
            self._stopping = False
            self._thread = threading.Thread(
                target=self._run, name=f"servo bus {self.config.name}", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """Make safe as the policies say, close the port, and wait for that (at most some tenths of a second)."""
        self._stopping = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def activate(self, on: bool) -> None:
        """Drive the joints, or bring them to what the shutdown policy says."""
        self._active = on
        self._request(_want if on else _release)

    def command(self, targets: Mapping[str, Target]) -> None:
        """What joints shall do from now on; after ``command_timeout_s`` without a call they hold."""
        self._targets = (time.monotonic(), targets)

    def emergency_stop(self, action: str) -> None:
        """``torque_off`` or ``hold``, before anything else; empty: let go on, from where the joints are then."""
        self._estop = action
        self._wake.set()

    def request(self, work: BusWork, done: Done) -> None:
        """Let ``work`` be done between two cycles; ``done(success, text, value)`` is called by the bus thread."""
        if len(self._work) >= WORK_LIMIT:
            done(False, "too many requests wait for this bus", 0)
        elif self._estop and work.drives:
            done(False, "emergency stop: release it first", 0)
        elif self.state not in SERVING:
            done(False, f"bus {self.config.name!r} is {self.state.value}: {self.reason}", 0)
        else:
            self._work.append(Work(work, done))
            self._wake.set()

    def readings(self) -> tuple[JointReading, ...]:
        """Every joint as it was told last. Each value is whole; two of them may be one cycle apart."""
        return tuple(servo.reading() for servo in self.servos)

    def _request(self, action: Callable[[Servo], None]) -> None:
        for servo in self.servos:
            action(servo)
        self._wake.set()

    def _check_registers(self) -> None:
        problems = [
            f"joint {servo.config.joint!r}: {why}"
            for servo in self.servos
            for name, value in servo.config.registers.items()
            if (why := _why_not(servo, name, value))
        ]
        if problems:
            raise ConfigError("\n  ".join([f"bus {self.config.name!r}:", *problems]))

    def _run(self) -> None:
        backoff = BACKOFF_S
        while not self._stopping:
            port: Port | None = None
            try:
                port = self._open_port(self.config.port_name, self.config.baud_rate)
                self._tell(BusState.OPEN)
                backoff = BACKOFF_S
                self._serve(port)
            except LinkError as error:
                self._lose(str(error))
            finally:
                if port is not None:
                    port.close()
            if not self._stopping:
                self._wake.wait(backoff)
                self._wake.clear()
                backoff = min(2.0 * backoff, BACKOFF_LATEST_S)
        self._tell(BusState.CLOSED)
        self._refuse_work()

    def _tell(self, state: BusState, reason: str = "") -> None:
        self.state, self.reason = state, reason

    def _lose(self, reason: str) -> None:
        now = time.monotonic()
        for servo in self.servos:
            servo.silent, servo.torque, servo.retry_at, servo.retry_s = True, False, now, 0.0
            servo.reason = "the bus is lost"
        self._tell(BusState.LOST, reason)
        self._refuse_work()

    def _refuse_work(self) -> None:
        for work in [*self._work, *self._waiting]:
            work.done(False, f"bus {self.config.name!r} is {self.state.value}: {self.reason}", 0)
        self._work.clear()
        self._waiting.clear()

    def _serve(self, port: Port) -> None:
        protocols = {servo.id: servo.table.protocol for servo in self.servos}
        client = BusClient(port, self.config.baud_rate, margin_s=self._margin(), protocols=protocols)
        for servo in self.servos:
            servo.counters = client.counters[servo.id]
        care = Care(client, self.config, self.servos, self._stored)
        self._tell(BusState.PROBE)
        care.find_all()
        self._tell(BusState.CONFIGURE)
        for servo in self.servos:
            now = time.monotonic()
            servo.silent, servo.retry_at, servo.retry_s = True, now, 0.0
            if servo.found:
                care.set_up(servo, now, first=not servo.known)
                self._after_found(servo)
            if self._stopping:
                return
        self.connects += 1
        self._cycle_for_ever(client, care)

    def _margin(self) -> float:
        timer = latency_timer_ms(self.config.port_name)  # how long an adapter holds bytes back
        held_s = 2e-3 * timer[0] if timer is not None else 0.0
        return self._margin_s + held_s + 1e-6 * self.config.return_delay_us

    def _after_found(self, servo: Servo) -> None:
        """One whose torque was on when we came counts as wanted where it is to be kept."""
        if servo.config.on_start == "keep" and servo.torque:
            servo.wanted = True

    def _cycle_for_ever(self, client: BusClient, care: Care) -> None:
        cycle = Cycle(client, care, self.servos, self._after_found)
        period = 1.0 / self.config.rate_hz
        last = time.monotonic()
        due = last
        hurried = False  # cycles follow each other without a pause
        while not self._stopping:
            now = time.monotonic()
            self._cycle(cycle, care, now, now - last, hurried=hurried)
            self.rejected = client.rejected
            end = time.monotonic()
            self.times.add(now - last, end - now)
            last = now
            due = max(due + period, end - period)
            hurried = due <= end
            if not hurried and self._estop == cycle.obeyed and self._wake.wait(due - end):
                self._wake.clear()
        self._shut_down(care)

    def _cycle(self, cycle: Cycle, care: Care, now: float, dt: float, *, hurried: bool) -> None:
        if self._estop != cycle.obeyed:
            cycle.obey(self._estop)
        told, targets = self._targets
        fresh = self._active and not self._estop and now - told < self.config.command_timeout_s
        hurried = hurried and not self._work and not self._waiting
        if cycle.exchange(targets, now, dt, fresh=fresh, hurried=hurried):
            return
        cycle.tend(now)
        if cycle.obeyed == "torque_off":
            care.keep_limp()
        elif self._estop != "torque_off":  # one that was not obeyed yet comes first, in the next cycle
            care.drive(now)
        self._do_work(care, now)
        self.read_kind = care.reader.kind
        cycle.settle()
        self._judge()

    def _judge(self) -> None:
        silent = [servo.config.joint for servo in self.servos if servo.silent]
        if len(silent) == len(self.servos):
            self._tell(BusState.LOST, "no servo answers: power, wiring, baud rate?")
        elif silent:
            self._tell(BusState.DEGRADED, f"no answer from {', '.join(silent)}")
        elif self._estop:
            self._tell(BusState.READY, "emergency stop")
        elif any(servo.torque for servo in self.servos):
            self._tell(BusState.ACTIVE)
        else:
            self._tell(BusState.READY)

    def _do_work(self, care: Care, now: float) -> None:
        if self._waiting:
            self._waiting = [work for work in self._waiting if not work.look(now)]
        if self._work:
            work = self._work.popleft()
            if not work.begin(care, self.servos, now):
                self._waiting.append(work)

    def _shut_down(self, care: Care) -> None:
        for servo in self.servos:
            if servo.silent or not servo.torque:
                continue
            if servo.config.on_shutdown == "off":
                care.attempt(servo, care.settings.torque_off)
            elif servo.config.on_shutdown == "hold":
                care.attempt(servo, lambda one: care.settings.write_goal_of_rest(one, one.ticks))


def _why_not(servo: Servo, register: str, value: int) -> str:
    try:
        servo.table.item(register).encode(value)
    except BridgeError as error:
        return str(error)
    return ""


def _want(servo: Servo) -> None:
    start = servo.config.on_start
    servo.wanted = start == "on" or (start == "keep" and (servo.wanted or servo.torque))
    servo.locked = False


def _release(servo: Servo) -> None:
    servo.wanted = servo.wanted and servo.config.on_shutdown != "off"


def _table_of(model: str) -> ControlTable:
    return table(model or USUAL_MODEL)


def _calibration(stored: Stored | None) -> Calibration:
    return Calibration(stored.shift if stored else 0.0)


def stored_now(servos: Sequence[Servo], *, clean: bool) -> dict[str, Stored]:
    """What the user's file shall keep of these servos."""
    return {
        servo.config.joint: Stored(
            servo.id,
            servo.table.name,
            servo.scale.calibration.shift,
            servo.ticks + round(servo.scale.calibration.turns * servo.scale.ticks_per_turn)
            if servo.known
            else None,
            clean,
        )
        for servo in servos
    }
