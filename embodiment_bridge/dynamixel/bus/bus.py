# SPDX-License-Identifier: Apache-2.0
"""A servo bus and the thread that owns its port.

The thread opens the port, finds the servos, sets them up and drives them, and begins again when the port is lost.
"""

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.dynamixel.bus.client import BusClient, GivenWay
from embodiment_bridge.dynamixel.bus.cycle import Cycle, CycleTimes, Target
from embodiment_bridge.dynamixel.bus.making_safe import PATIENCE_S, Guardian, make_safe, safe_packets
from embodiment_bridge.dynamixel.bus.port import Port, latency_timer_ms, open_port, open_sdk_port
from embodiment_bridge.dynamixel.bus.request_queue import RequestQueue
from embodiment_bridge.dynamixel.bus.requests import BusRequest, Done
from embodiment_bridge.dynamixel.bus.servo import SERVING, BusState, JointReading, Servo, described_servos
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.calibration import Stored
from embodiment_bridge.dynamixel.config.servo_config import BusConfig
from embodiment_bridge.dynamixel.tables.control_table import ControlTable

BACKOFF_S, BACKOFF_LATEST_S = 0.1, 2.0  # s between tries to open the port
# s between two cycles after which the positions of the joints count as unknown: the process was stopped meanwhile.
GAP_S = 0.25
STEP_S = 0.01  # s: a cycle may always take this long


OpenPort = Callable[[str, int], Port]
PORT_HANDLERS: Mapping[str, OpenPort] = {"own": open_port, "sdk": open_sdk_port}


class ServoBus:
    """Drives all servos on one wire. Public methods may be called by any thread; only ``stop`` waits for the bus.

    Args:
        config: from the robot description.
        stored: entries of the user's calibration file, by joint.
        margin_s: s that an answer may come later than its time on the wire.
        open_port: opens a port by name and bits per second; raises LinkError. None: as ``config.port_handler`` says.
    """

    def __init__(
        self,
        config: BusConfig,
        stored: Mapping[str, Stored] | None = None,
        *,
        margin_s: float = 0.01,
        open_port: OpenPort | None = None,
    ) -> None:
        self.config = config
        self._stored = dict(stored or {})
        self._margin_s = margin_s
        self._open_port = open_port or PORT_HANDLERS[config.port_handler]
        self.servos = described_servos(config, self._stored)
        self.state = BusState.CLOSED
        self.reason = ""
        self.connects = 0
        self.read_kind = ""
        self.rejected = 0
        self.times = CycleTimes()
        self._active = False
        self._stopping = False
        self._estop = ""  # torque_off or hold during an emergency stop
        self.carried_out = ""  # likewise, what the servos were told last
        self._wake = threading.Event()
        self._requests = RequestQueue()
        self._targets: tuple[float, Mapping[str, Target]] = (float("-inf"), {})
        self._thread: threading.Thread | None = None
        self._opened = False  # since ``start``
        self._safe = False  # the shutdown policies have been carried out
        self._stop_by: float | None = None  # s of the monotonic clock
        self._guarded: tuple[Guardian, list[tuple[ControlTable, str]]] | None = None
        self.guardian_problem = ""
        self.unsafe: Mapping[str, str] = {}  # after ``stop``: by joint, why its torque may still be on

    def start(self) -> None:
        """Open the port and keep it open, until ``stop``."""
        if self._thread is None:
            self._stopping = self._opened = self._safe = False
            self._stop_by, self.unsafe = None, {}
            self._thread = threading.Thread(
                target=self._run, name=f"servo bus {self.config.name}", daemon=True
            )
            self._thread.start()

    def stop_soon(self) -> None:
        """Let the bus begin to ``stop`` by itself. A signal handler may call it at any time: it takes no lock."""
        self._stopping = True

    def stop(self) -> None:
        """Carry out the shutdown policies, close the port and wait for that: some seconds when servos do not answer.

        This is done whatever state the servos are believed to be in, even if the port must be opened again for it.
        ``unsafe`` then has the joints for which it could not be confirmed.
        """
        self.stop_soon()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def activate(self, on: bool) -> None:
        """Drive the joints, or apply the shutdown policy to them."""
        self._active = on
        self._request(Servo.want if on else Servo.release)

    def command(self, targets: Mapping[str, Target]) -> None:
        """Set the targets of joints; after ``command_timeout_s`` without a call the joints hold."""
        self._targets = (time.monotonic(), targets)

    def emergency_stop(self, action: str) -> None:
        """Begin a stop, ``torque_off`` or ``hold``, before all other work; ``""`` ends it where the joints are."""
        self._estop = action
        self._wake.set()

    def request(self, work: BusRequest, done: Done) -> None:
        """Do ``work`` between two cycles; ``done(success, text, value)`` is called once, by any thread."""
        work.at_once(self.servos)
        if self.state not in SERVING:
            done(False, self._not_serving(), 0)
        else:
            self._requests.add(work, done)
            if self.state not in SERVING:  # lost since the check above: nothing else may refuse it
                self._requests.refuse_new(self._not_serving())
            self._wake.set()

    def readings(self) -> tuple[JointReading, ...]:
        """Return the latest reading of each joint.

        Each value is consistent in itself; two of them may be one cycle apart.
        """
        return tuple(servo.reading() for servo in self.servos)

    def _request(self, action: Callable[[Servo], None]) -> None:
        for servo in self.servos:
            action(servo)
        self._wake.set()

    def _run(self) -> None:
        backoff = BACKOFF_S
        while not self._ended():
            port: Port | None = None
            try:
                port = self._open_port(self.config.port_name, self.config.baud_rate)
                self._opened = True
                self._set_state(BusState.OPEN)
                backoff = BACKOFF_S
                self._serve_guarded(port)
            except LinkError as error:
                self._mark_lost(str(error))
                self._mark_unsafe(str(error))
            finally:
                if port is not None:
                    port.close()
            if not self._ended():
                self._wake.wait(BACKOFF_S if self._stopping else backoff)
                self._wake.clear()
                backoff = min(2.0 * backoff, BACKOFF_LATEST_S)
        if not self._opened:
            self.unsafe = {}  # the servos were never driven by us
        self._set_state(BusState.CLOSED)
        self._refuse_work()

    def _ended(self) -> bool:
        """Return whether the thread may end: everything is done, or there is no time left."""
        if not self._stopping or self._safe or not self._opened:
            return self._stopping
        return time.monotonic() >= self._deadline()

    def _deadline(self) -> float:
        """Return when to give up making the servos safe, s; counted from when the thread notices the stop."""
        if self._stop_by is None:
            self._stop_by = time.monotonic() + PATIENCE_S
        return self._stop_by

    def _serve_guarded(self, port: Port) -> None:
        """Serve the bus with a guardian; the guardian also acts when this thread ends by a programming error."""
        guardian = Guardian(port.fileno())
        failed = True
        try:
            self._serve(port, guardian)
            failed = False
        except LinkError:
            failed = False
            raise
        finally:
            if failed:
                self._mark_lost("the thread of the bus ended by a programming error")
                self._mark_unsafe(self.reason)
            guardian.close(act=failed)
            self._guarded = None

    def _mark_unsafe(self, why: str) -> None:
        """Note that the joints which are to be limp may still be driven."""
        self.unsafe = {servo.joint: why for servo in self.config.servos if servo.on_shutdown == "off"}

    def _update_guardian(self, guardian: Guardian, now: float) -> None:
        """Give the guardian new packets if a model or mode has changed, and check that it runs."""
        known = [(servo.table, servo.mode) for servo in self.servos]
        if self._guarded != (guardian, known):
            self._guarded = guardian, known
            guardian.set_packets(safe_packets(self.servos))
        guardian.check(now)
        self.guardian_problem = guardian.problem

    def _set_state(self, state: BusState, reason: str = "") -> None:
        self.reason, self.state = reason, state  # who sees the state on another thread finds its reason

    def _mark_lost(self, reason: str) -> None:
        now = time.monotonic()
        for servo in self.servos:
            servo.fall_silent("the bus is lost", now)
        self._set_state(BusState.LOST, reason)
        self._refuse_work()

    def _not_serving(self) -> str:
        return f"bus {self.config.name!r} is {self.state.value}: {self.reason}"

    def _refuse_work(self) -> None:
        self._requests.refuse(self._not_serving())

    def _serve(self, port: Port, guardian: Guardian) -> None:
        protocols = {servo.id: servo.table.protocol for servo in self.servos}
        client = BusClient(port, self.config.baud_rate, margin_s=self._margin(), protocols=protocols)
        for servo in self.servos:
            servo.counters = client.counters[servo.id]
        supervisor = Supervisor(client, self.config, self.servos, self._stored)
        cycle = Cycle(client, supervisor, self.servos, self._after_found)
        self._update_guardian(guardian, time.monotonic())
        self._bring_up(supervisor, cycle)
        if not self._stopping:
            self.connects += 1
            self._cycle_for_ever(client, cycle, supervisor, guardian)
        self._shut_down(client, supervisor)

    def _bring_up(self, supervisor: Supervisor, cycle: Cycle) -> None:
        """Find the servos and set them up, unless the bus is stopped meanwhile."""
        if not self._stopping:
            self._set_state(BusState.PROBE)
        for servo in self.servos:
            self._unless_stopped(cycle, supervisor, partial(supervisor.find, servo))
        supervisor.plan_reads()
        for servo in self.servos:
            if self._stopping:
                return
            self._set_state(BusState.CONFIGURE)
            now = time.monotonic()
            servo.silent, servo.retry_at, servo.retry_s = True, now, 0.0
            if servo.found:
                set_up = partial(supervisor.set_up, servo, now, first=not servo.known)
                self._unless_stopped(cycle, supervisor, set_up)
                self._after_found(servo)
        cycle.settle()

    def _unless_stopped(self, cycle: Cycle, supervisor: Supervisor, work: Callable[[], object]) -> None:
        """Do ``work``. It begins anew after an emergency stop, and is left when the bus is to stop.

        The servos may be driven during it: those of a bus that was lost and is there again.
        """
        while not self._stopping:
            if self._estop != cycle.estop:
                cycle.apply_estop(self._estop)
            supervisor.calm_unruly(time.monotonic())
            with suppress(GivenWay), cycle.giving_way(lambda: self._stopping or self._estop != cycle.estop):
                work()
                return

    def _margin(self) -> float:
        timer = latency_timer_ms(self.config.port_name)  # ms for which the adapter holds bytes back
        held_s = 2e-3 * timer[0] if timer is not None else 0.0
        return self._margin_s + held_s + 1e-6 * self.config.return_delay_us

    def _after_found(self, servo: Servo) -> None:
        """Keep a servo driven whose torque was on, with ``on_start`` keep."""
        if servo.config.on_start == "keep" and servo.torque:
            servo.wanted = True

    def _cycle_for_ever(
        self, client: BusClient, cycle: Cycle, supervisor: Supervisor, guardian: Guardian
    ) -> None:
        period = 1.0 / self.config.rate_hz
        last = time.monotonic()
        due = last
        dt = usual = max(period, STEP_S)  # s since the last cycle, limited
        hurried = False  # cycles follow each other without a pause
        while not self._stopping:
            now = time.monotonic()
            if now - last > GAP_S:
                cycle.resume()
            dt = min(now - last, 2.0 * max(dt, usual))  # missed time is not caught up in one step
            self._update_guardian(guardian, now)
            self._cycle(cycle, supervisor, now, dt, hurried=hurried)
            self.rejected = client.rejected
            end = time.monotonic()
            self.times.add(now - last, end - now)
            last = now
            due = max(due + period, end - period)
            hurried = due <= end
            if not hurried and self._estop == cycle.estop and self._wake.wait(due - end):
                self._wake.clear()

    def _cycle(self, cycle: Cycle, supervisor: Supervisor, now: float, dt: float, *, hurried: bool) -> None:
        if self._estop != cycle.estop:
            cycle.apply_estop(self._estop)
        self.carried_out = cycle.estop
        commanded_at, targets = self._targets
        fresh = self._active and not self._estop and now - commanded_at < self.config.command_timeout_s
        hurried = hurried and not self._requests
        if cycle.exchange(targets, now, dt, fresh=fresh, hurried=hurried):
            return
        try:
            with cycle.giving_way(lambda: self._estop != cycle.estop):
                cycle.tend(now)
                if cycle.estop == "torque_off":
                    supervisor.keep_limp(now)
                else:
                    supervisor.drive(now)
                self._requests.step(supervisor, self.servos, now, stopped=bool(self._estop))
        except GivenWay:  # an emergency stop comes first, in the next cycle
            return
        self.read_kind = supervisor.reader.kind
        cycle.settle()
        self._update_state()

    def _update_state(self) -> None:
        silent = [servo.config.joint for servo in self.servos if servo.silent]
        if len(silent) == len(self.servos):
            refused = [servo.reason for servo in self.servos if servo.found and not servo.known]
            why = next(filter(None, refused), "no servo answers: power, wiring, baud rate?")
            self._set_state(BusState.LOST, why)
        elif silent:
            self._set_state(BusState.DEGRADED, f"no answer from {', '.join(silent)}")
        elif self._estop:
            self._set_state(BusState.READY, "emergency stop")
        elif any(servo.torque for servo in self.servos):
            self._set_state(BusState.ACTIVE)
        else:
            self._set_state(BusState.READY)

    def _shut_down(self, client: BusClient, supervisor: Supervisor) -> None:
        self.unsafe = make_safe(client, self.servos, self._deadline())
        for servo in self.servos:
            if servo.torque and not servo.silent and servo.config.on_shutdown == "hold":
                supervisor.attempt(servo, lambda one: supervisor.settings.write_goal_of_rest(one, one.ticks))
        self._safe = True
