# SPDX-License-Identifier: Apache-2.0
"""Supervises the servos of a bus, in its thread: finds, sets up and drives them, handles silence and faults."""

from collections.abc import Callable, Iterable, Sequence
from math import inf

from embodiment_bridge.core.errors import CommandError, ConfigError
from embodiment_bridge.dynamixel.bus.client import COLLIDE, BusClient, GivenWay
from embodiment_bridge.dynamixel.bus.joints import JointScale
from embodiment_bridge.dynamixel.bus.making_safe import limp_packets
from embodiment_bridge.dynamixel.bus.reading import MISSES, Reader, plan_reads
from embodiment_bridge.dynamixel.bus.servo import CALIBRATE, Servo
from embodiment_bridge.dynamixel.bus.settings import MARGINS_S, Settings
from embodiment_bridge.dynamixel.bus.turns import are_counted, find_turns, seen_last
from embodiment_bridge.dynamixel.config.calibration import Stored
from embodiment_bridge.dynamixel.config.servo_config import BusConfig
from embodiment_bridge.dynamixel.wire.instructions import HardwareError

RETRY_S, RETRY_LATEST_S = 0.5, 4.0  # s between searches for a silent servo, doubled each time
SILENT_S = 0.25  # s without an answer, while others answer, before a servo is taken out of the list
# The same if no servo answers, or none did a moment ago: more likely the computer is busy than all servos are gone.
ALL_SILENT_S = 1.5
OFF_AGAIN_S = 0.1  # s between two packets "torque off" to silent servos
TRIES = 2  # reads before a servo gets no torque: an answer may be late
RESTART_S = 0.35  # s for which a servo is silent after a reboot, at least
# servos that get torque in one cycle, so that a cycle (and an emergency stop after it) stays short
AT_ONCE = 2
FAULT_BITS = {
    HardwareError.VOLTAGE: "voltage",
    HardwareError.OVERHEATING: "overheating",
    HardwareError.HALL: "encoder",  # the sensor that turns the field of a brushless motor
    HardwareError.ENCODER: "encoder",
    HardwareError.SHOCK: "shock",
    HardwareError.OVERLOAD: "overload",
}
UNNAMED = "does not answer; an AX, and an MX with protocol 1.0, must be named as its model"
LIMP = "; limp until it is asked for"


class Supervisor:
    """Keeps the servos of a bus in the state in which they should be.

    Args:
        client: of the open bus.
        bus: its description.
        servos: all servos of the bus.
        stored: entries of the user's calibration file, by joint.
    """

    def __init__(
        self, client: BusClient, bus: BusConfig, servos: Sequence[Servo], stored: dict[str, Stored]
    ) -> None:
        self._client = client
        self._bus = bus
        self._servos = servos
        self._stored = stored
        self._all_silent_at = -inf  # when no servo answered last, s
        self._off_again_at = -inf  # s
        self.settings = Settings(client, bus)
        self.plan_reads()

    def plan_reads(self) -> None:
        """Plan the reads of each cycle by the servos that were found."""
        tables = {servo.id: servo.table for servo in self._servos}
        fast = self._bus.fast_read and all(
            servo.table.protocol == 2 and 0 < servo.table.fast_read_firmware <= servo.firmware
            for servo in self._servos
            if servo.found
        )
        self.reader = Reader(self._client, plan_reads(tables), fast=fast)

    def find(self, servo: Servo) -> bool:
        """Return whether the servo answers; a model other than described gets its own table."""
        servo.found = False
        counters = self._client.counters[servo.id]
        damaged = counters.damaged
        found = self.settings.identify(servo)
        if found is None:
            servo.reason = "does not answer" if servo.config.model else UNNAMED
            if counters.damaged >= damaged + len(MARGINS_S):  # each try, so it is no noise
                servo.reason = COLLIDE
            return False
        number, servo.firmware = found
        try:
            table = self.settings.table_for(servo, number, servo.firmware)
        except CommandError as error:
            servo.reason = str(error)
            return False
        servo.found = True
        servo.reason = ""
        if table is not servo.table:
            if servo.config.model and number != servo.table.number:
                servo.note = f"is a {table.model}, not a {servo.table.model} as described"
            servo.table = table
            servo.scale = JointScale(servo.config, table, servo.scale.calibration)
        if servo.scale.calibration.shift and servo.calibrated_on != table.name:
            servo.distrust(
                f"its calibration was made on a {servo.calibrated_on}, not a {table.name}{CALIBRATE}"
            )
        return True

    def set_up(self, servo: Servo, now: float, *, first: bool) -> bool:
        """Write the settings of a servo that was found and read its position; whether it is ready."""
        before = servo.ticks if servo.known else None
        policy = servo.config
        try:
            keep = policy.on_start == "keep" and first
            errors = self.settings.configure(servo, self.reader.plan.blocks[servo.id], keep=keep)
            if first and policy.on_start == "off" and servo.torque:
                self.settings.torque_off(servo)
            if not self.reader.read_one(servo, now):
                raise CommandError("does not report its position")
        except (CommandError, ConfigError) as error:  # ConfigError: the model that was found lacks a register
            servo.reason = str(error)
            self._wait(servo, now)
            return False
        last, sure = seen_last(servo, before, self._stored.get(servo.config.joint))
        find_turns(servo, last, sure=sure)
        if servo.lost_turn and not (keep and servo.torque):  # one that is left driven holds where it is
            servo.locked = True
        servo.silent, servo.misses, servo.retry_s = False, 0, 0.0
        if not first and policy.on_lost == "off":
            servo.locked = True
            if servo.torque:
                self.attempt(servo, self.settings.torque_off)
        if servo.table.protocol == 1:  # it has no register for them: its answers tell
            errors = servo.reported
        if errors != servo.error:
            self.handle_fault(servo, errors, now)
        if not first and errors and servo.table.protocol == 1 and not servo.torque:
            self.leave_limp(servo)  # it has shut down while it was silent
        return True

    def has_lost_settings(self, servo: Servo) -> bool:
        """Return whether a servo that answered lost the settings that it was given, or is silent now."""
        try:
            return self.settings.are_lost(servo, self.reader.plan.blocks[servo.id])
        except CommandError:
            return True

    def look_for_silent(self, now: float, on_found: Callable[[Servo], None]) -> None:
        """Ask one silent servo whose retry time has come."""
        for servo in self._servos:
            if servo.silent and now >= servo.retry_at:
                if self._find_again(servo) and self.set_up(servo, now, first=not servo.known):
                    on_found(servo)
                else:
                    self._wait(servo, now)
                return

    def _find_again(self, servo: Servo) -> bool:
        found = self._client.ping(servo.id)
        if found is None:
            return False
        if servo.found and found == (servo.table.number, servo.firmware):
            servo.reason = ""
            return True
        if not self.find(servo):
            return False
        self.plan_reads()
        return True

    def _wait(self, servo: Servo, now: float) -> None:
        """Set the time of the next search; soon if no other servo is delayed by it."""
        alone = all(one.silent for one in self._servos)
        servo.retry_s = RETRY_S if alone else min(max(2.0 * servo.retry_s, RETRY_S), RETRY_LATEST_S)
        servo.retry_at = now + servo.retry_s

    def mark_silent(self, now: float) -> None:
        """Mark servos as silent that did not answer for some cycles and for some time."""
        listed = [servo for servo in self._servos if not servo.silent]
        if all(servo.misses for servo in listed):
            self._all_silent_at = now
        for servo in listed:
            if servo.misses < MISSES:
                continue
            # After the computer was busy, the first servos of the list may answer a moment before the others.
            others_alone = now - max(servo.heard, self._all_silent_at)
            if others_alone >= SILENT_S or now - servo.heard >= ALL_SILENT_S:
                self.silence(servo, now, "does not answer any more")

    def silence(self, servo: Servo, now: float, reason: str, wait: float = RETRY_S) -> None:
        """Mark a servo as silent: it is not asked again for ``wait`` s."""
        servo.fall_silent(reason, now + wait)
        self._off_again_at = -inf

    def drive(self, now: float) -> None:
        """Switch torque on or off as wanted, for at most ``AT_ONCE`` servos in each cycle."""
        self.calm_unruly(now)
        done = 0
        for servo in self._servos:
            if servo.silent or servo.is_as_wanted or now < servo.retry_at:
                continue
            on, held = servo.wanted and not servo.locked, servo.held
            self.attempt(servo, self.torque_on if on else self.settings.torque_off)
            servo.held = held  # only who asks for the torque ends it
            if not servo.is_as_wanted:
                servo.retry_at = now + RETRY_S
            done += 1
            if done >= AT_ONCE:
                return

    def send_torque_off(self, servos: Iterable[Servo]) -> None:
        """Stop the motors and switch torque off without waiting for answers."""
        chosen = list(servos)
        self._client.hold(limp_packets(chosen))
        self._client.flush()
        for servo in chosen:
            servo.torque, servo.unsure = False, servo.torque or servo.unsure or servo.silent

    def calm_unruly(self, now: float) -> None:
        """Send torque off, again and again, to servos that do not answer, and that nobody wants to be driven so."""
        self._send_off_again(now, [servo for servo in self._servos if servo.is_unruly])

    def keep_limp(self, now: float) -> None:
        """Switch off any torque that is on: a servo may have missed the emergency stop.

        Silent servos, which cannot say so, are sent it again and again: they may hear.
        """
        for servo in self._servos:
            if servo.torque and not servo.silent:
                self.attempt(servo, self.settings.torque_off)
        self._send_off_again(now, [servo for servo in self._servos if servo.silent])

    def _send_off_again(self, now: float, servos: Sequence[Servo]) -> None:
        if servos and now >= self._off_again_at:
            self._off_again_at = now + OFF_AGAIN_S
            self.send_torque_off(servos)

    def torque_on(self, servo: Servo) -> None:
        """Switch the torque on where the joint is now.

        Raises:
            CommandError: the servo refuses, or does not answer, or it cannot be known where it is.
        """
        self._read_position(servo, servo.heard)
        if servo.lost_turn:
            find_turns(servo, None)
            if servo.lost_turn:
                servo.locked = True
                raise CommandError(f"joint {servo.config.joint!r} {servo.lost_turn}")
        before = servo.ticks
        forgets = (
            servo.mode == "position" and are_counted(servo) and servo.table.within_turn(before) != before
        )
        try:
            servo.ticks = self.settings.torque_on(servo, before)
        except (CommandError, GivenWay):
            if forgets:  # it may have forgotten its turns by now: it is set up anew
                self.silence(servo, servo.heard, "its torque was being switched on", 0.0)
            raise
        if forgets:
            find_turns(servo, before)
            servo.goals.start(servo.position)
        servo.held = False
        if self.reader.read_one(servo, servo.heard):
            servo.goals.start(servo.position)

    def set_mode(self, servo: Servo, mode: str, now: float) -> None:
        """Set another mode, with the torque off, and restore the whole turns that the servo forgets in it.

        Raises:
            CommandError: the servo refuses, or does not answer; half of it may be done.
        """
        self.settings.torque_off(servo)
        self._read_position(servo, now)
        before = servo.ticks
        self.settings.set_mode(servo, mode)
        self._read_position(servo, now)
        # Those of a joint that turns without end mean nothing, and in `position` its goals would be out of reach.
        if servo.table.protocol == 2 and (servo.config.lower > -inf or servo.config.upper < inf):
            find_turns(servo, before)

    def _read_position(self, servo: Servo, now: float) -> None:
        """Read where a servo is; raises CommandError if it does not tell."""
        if not any(self.reader.read_one(servo, now) for _ in range(TRIES)):
            raise CommandError(f"joint {servo.config.joint!r} does not report its position")

    def attempt(self, servo: Servo, action: Callable[[Servo], object]) -> None:
        """Do ``action`` with a servo; an error becomes its ``reason``, after the hardware error that it has."""
        try:
            action(servo)
        except CommandError as error:
            servo.reason = f"{_hardware_error(servo.error)}: {error}" if servo.error else str(error)
        else:
            if not servo.silent and not servo.error:
                servo.reason = ""

    def handle_fault(self, servo: Servo, bits: int, now: float) -> None:
        """Apply the fault policy to the hardware errors of a servo (``bits``, all of them), once for each new one."""
        new = bits & ~servo.error
        servo.error = bits
        if not bits:
            servo.held = False
            if not servo.locked:
                servo.reason = ""
            return
        servo.reason = _hardware_error(bits)
        policy = servo.config.faults
        actions = {getattr(policy, name) for bit, name in FAULT_BITS.items() if new & bit}
        if "reboot" in actions and servo.table.protocol == 2:
            servo.locked = servo.locked or "torque_off" in actions
            self._reboot_for(servo, now)
        elif actions & {"torque_off", "reboot"}:
            servo.locked = True
            self.attempt(servo, self.settings.torque_off)
            servo.reason = f"{_hardware_error(bits)}{LIMP}"
        elif "hold" in actions:
            servo.held = True

    def leave_limp(self, servo: Servo) -> None:
        """Leave a servo of protocol 1.0 limp that has shut down: switching its torque on would end its shutdown."""
        if not servo.locked:
            servo.locked = True
            servo.reason = f"{servo.reason or 'has shut down'}{LIMP}"

    def _reboot_for(self, servo: Servo, now: float) -> None:
        policy = servo.config.faults
        servo.reboots = [time for time in servo.reboots if now - time < 60.0]
        servo.locked = servo.locked or not policy.torque_after_reboot  # what another error locked stays so
        if len(servo.reboots) >= policy.reboots_per_minute:
            servo.locked = True
            servo.reason += f"; restarted {len(servo.reboots)} times within a minute, left as it is"
            return
        servo.reboots.append(now)
        try:
            self.attempt(servo, lambda one: self.reboot(one, now))
        except GivenWay:  # nothing was sent: the error counts as new when it is looked at again
            servo.reboots.pop()
            servo.error = 0
            raise

    def reboot(self, servo: Servo, now: float) -> None:
        """Restart a servo of protocol 2.0; it is found and set up again when it is back.

        Raises:
            CommandError: the servo does not answer.
        """
        answer = self._client.reboot(servo.id)
        if answer is None:
            raise CommandError(f"joint {servo.config.joint!r} (servo {servo.id}) does not answer")
        servo.know_torque(False)
        self.silence(servo, now, "restarts", RESTART_S)
        servo.error, servo.alert = 0, False


def _hardware_error(bits: int) -> str:
    names = [name for bit, name in FAULT_BITS.items() if bits & bit]
    return f"hardware error: {', '.join(names) or hex(bits)}"
