# SPDX-License-Identifier: Apache-2.0
"""Requests to a bus, carried out between two cycles: torque, mode, restart, registers, calibration."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Protocol

from typing_extensions import override

from embodiment_bridge.core.errors import BridgeError, CommandError, unknown
from embodiment_bridge.dynamixel.bus.client import GivenWay
from embodiment_bridge.dynamixel.bus.foreign_settings import MEANINGS
from embodiment_bridge.dynamixel.bus.joints import Calibration
from embodiment_bridge.dynamixel.bus.servo import Servo, check_mode, stored_of
from embodiment_bridge.dynamixel.bus.settings import LIMIT_ITEMS
from embodiment_bridge.dynamixel.bus.supervisor import Supervisor
from embodiment_bridge.dynamixel.config.calibration import LARGEST_SHIFT, Stored

Done = Callable[[bool, str, int], None]
RESTART_PATIENCE_S = 5.0
MOVING = 0.05  # rad/s: a faster joint counts as moving
SMALL_SHIFT = 0.05  # rad by which a driven joint may be calibrated at most
# Registers that the driver writes in every cycle, or with which it would lose the servo.
GUARDED = frozenset(
    {
        "id", "baud_rate", "protocol_type", "operating_mode", "torque_enable", "status_return_level", "bus_watchdog",
        "goal_pwm", "goal_current", "goal_velocity", "goal_position", "moving_speed", "cw_angle_limit",
        "ccw_angle_limit", *MEANINGS,
    }
)  # fmt: skip


class BusRequest(Protocol):
    """Represents one kind of request to a bus.

    drives: whether it may switch torque on; such a request is refused during an emergency stop.
    touched: whether it may have changed a servo, or what is known of it, by now; one that was refused has not.
    effect: what it has changed and leaves so if it fails now; empty for nothing.
    """

    drives: bool
    touched: bool = False
    effect: str = ""

    def at_once(self, servos: Sequence[Servo]) -> None:
        """Do what needs no answer, on any thread, also if the request is refused because the bus is lost."""
        return

    def begin(
        self, supervisor: Supervisor, servos: Sequence[Servo], now: float
    ) -> "tuple[str, int] | Callable[[float], tuple[str, int] | None]":
        """Do it, on the thread of the bus.

        Returns:
            The result, a text and a number; or a function of the time (s) that is called in each cycle until it
            returns the result.

        Raises:
            BridgeError: the request cannot be done.
        """


class SetTorque(BusRequest):
    """Switches the torque of joints; an empty list: of all joints of the bus."""

    def __init__(self, joints: Sequence[str], *, on: bool) -> None:
        self._joints, self._on = joints, on
        self.drives = on

    @override
    def at_once(self, servos: Sequence[Servo]) -> None:
        if not self._on:
            for servo in _chosen(servos, self._joints):
                servo.let_go()

    @override
    def begin(self, supervisor: Supervisor, servos: Sequence[Servo], now: float) -> tuple[str, int]:
        chosen = _chosen(servos, self._joints)
        problems = self._drive(supervisor, chosen) if self._on else self._let_go(supervisor, chosen)
        if problems:
            raise CommandError("; ".join(problems))
        return "driven" if self._on else "limp", 0

    def _drive(self, supervisor: Supervisor, chosen: Sequence[Servo]) -> list[str]:
        """Switch torque on; what fails is told, and not done later: somebody may have the joint in the hand then."""
        problems = []
        for servo in chosen:
            if servo.silent:
                problems.append(f"joint {servo.config.joint!r} does not answer")
                continue
            before, servo.wanted = servo.wanted, False
            try:
                if not servo.torque:
                    self.touched = True
                    supervisor.torque_on(servo)
                    servo.reason = servo.reason if servo.error else ""
            except CommandError as error:
                supervisor.send_torque_off([servo])  # only its answer may be lost
                problems.append(str(error))
                continue
            except GivenWay:
                servo.wanted = before
                raise
            servo.wanted, servo.locked = True, False
        return problems

    def _let_go(self, supervisor: Supervisor, chosen: Sequence[Servo]) -> list[str]:
        """Switch torque off: first without waiting for answers, also of servos that are not heard.

        Then confirm it.
        """
        self.touched = True
        for servo in chosen:
            servo.let_go()
        supervisor.send_torque_off(chosen)
        problems = []
        for servo in chosen:
            try:
                if servo.silent:
                    raise CommandError("it does not answer")
                supervisor.settings.torque_off(servo)
            except CommandError as error:
                problems.append(
                    f"joint {servo.config.joint!r} MAY STILL BE DRIVEN: torque off was sent, but {error}"
                )
        return problems


class Reboot(BusRequest):
    """Restarts servos; an empty list: those with a hardware error."""

    drives = False

    def __init__(self, joints: Sequence[str]) -> None:
        self._joints = joints

    @override
    def begin(
        self, supervisor: Supervisor, servos: Sequence[Servo], now: float
    ) -> tuple[str, int] | Callable[[float], tuple[str, int] | None]:
        chosen = _chosen(servos, self._joints)
        if not self._joints:
            chosen = [servo for servo in chosen if servo.error]
        for servo in chosen:
            if servo.table.protocol == 1:
                raise CommandError(
                    f"joint {servo.config.joint!r} ({servo.table.model}) cannot be rebooted: cut its power"
                )
        for servo in chosen:
            self.touched = True
            before = servo.locked
            # Also if the servo restarts and its answer is lost, or it comes back after this request has failed.
            servo.locked = before or not servo.config.faults.torque_after_reboot
            try:
                supervisor.reboot(servo, now)
            except GivenWay:  # nothing was sent
                servo.locked = before
                raise
            self.effect = f"restarted: {_names(chosen[: chosen.index(servo) + 1])}"
        if not chosen:
            return "no servo has a hardware error", 0
        self.effect = ""
        return lambda later: _restarted(chosen, later - now)


def _names(servos: Sequence[Servo]) -> str:
    return ", ".join(servo.config.joint for servo in servos)


def _restarted(chosen: Sequence[Servo], waited: float) -> tuple[str, int] | None:
    away = [servo for servo in chosen if servo.silent]
    if not away:
        for servo in chosen:
            if not servo.error:  # else it may be locked for a new fault
                servo.locked = not servo.config.faults.torque_after_reboot
        return f"restarted: {_names(chosen)}", len(chosen)
    if waited > RESTART_PATIENCE_S:
        raise CommandError(f"not back {RESTART_PATIENCE_S:g} s after a restart: {_names(away)}")
    return None


class SetMode(BusRequest):
    """Sets the mode of joints; an empty list: of all joints of the bus."""

    drives = False

    def __init__(self, joints: Sequence[str], mode: str, *, force: bool) -> None:
        self._joints, self._mode, self._force = joints, mode, force

    @override
    def begin(self, supervisor: Supervisor, servos: Sequence[Servo], now: float) -> tuple[str, int]:
        chosen = _chosen(servos, self._joints)
        for servo in chosen:
            speed = servo.scale.velocity(servo.speed)
            if abs(speed) > MOVING and not self._force:
                raise CommandError(
                    f"joint {servo.config.joint!r} moves at {speed:.2f} rad/s; let it rest, or force"
                )
            if servo.silent:
                raise CommandError(f"joint {servo.config.joint!r} does not answer")
            check_mode(servo, self._mode)
        for servo in chosen:
            before = servo.mode
            if before != self._mode:
                self.touched = True
                try:
                    supervisor.set_mode(servo, self._mode, now)  # `drive` switches the torque on again
                except (BridgeError, GivenWay):
                    # Half of it may be done: the servo is set up anew, in the mode that it had.
                    servo.mode = before
                    supervisor.silence(servo, now, "its mode was being changed", 0.0)
                    raise
            self.effect = f"in mode {self._mode} now: {_names(chosen[: chosen.index(servo) + 1])}"
        return f"mode {self._mode}", len(chosen)


class Register(BusRequest):
    """Reads a register by name, or writes it first."""

    drives = False

    def __init__(self, joint: str, name: str, value: int | None) -> None:
        self._joint, self._name, self._value = joint, name, value

    @override
    def begin(self, supervisor: Supervisor, servos: Sequence[Servo], now: float) -> tuple[str, int]:
        servo = _chosen(servos, [self._joint])[0]
        item = servo.table.item(self._name)
        if self._value is not None:
            if item.access == "r":
                raise CommandError(f"register {self._name!r} can only be read")
            if self._name in GUARDED or self._name.startswith("indirect_"):
                raise CommandError(
                    f"register {self._name!r} is the driver's own: it cannot be written by hand"
                )
            if item.eeprom and servo.torque:
                raise CommandError(f"register {self._name!r} is locked while joint {self._joint!r} is driven")
            if supervisor.settings.value(servo, self._name) != self._value:
                try:
                    supervisor.settings.write(servo, self._name, self._value)
                    supervisor.settings.note_limit(servo, self._name, self._value)
                except (CommandError, GivenWay):
                    # It may be written: a limit must not be taken for what it was.
                    if self._name in LIMIT_ITEMS:
                        supervisor.silence(servo, now, "its limits were being changed", 0.0)
                    raise
        raw = supervisor.settings.value(servo, self._name)
        supervisor.settings.note_limit(servo, self._name, raw)
        unit = f"{raw * item.factor:g} {item.unit}".strip() if item.unit else ""
        return unit, raw


class Calibrate(BusRequest):
    """Calibrates joints: their present positions are these angles (rad).

    keep: puts entries into the user's file, or raises BridgeError. It is called on a thread of its own, because a disk
    may take its time; what it could not keep does not come into force.
    """

    drives = False

    def __init__(self, positions: Mapping[str, float], keep: Callable[[Mapping[str, Stored]], None]) -> None:
        self._positions, self._keep = positions, keep

    @override
    def begin(
        self, supervisor: Supervisor, servos: Sequence[Servo], now: float
    ) -> Callable[[float], tuple[str, int] | None]:
        chosen = _chosen(servos, list(self._positions))
        for servo in chosen:
            _check_calibration(servo, self._positions[servo.config.joint])
        changes = {servo: self._positions[servo.config.joint] - servo.position for servo in chosen}
        shifts = {servo: servo.scale.calibration.shift + change for servo, change in changes.items()}
        entries = {servo.config.joint: stored_of(servo, change=change) for servo, change in changes.items()}
        kept = Future[None]()
        self.effect = "the calibration file may have it already, although it is not in force: calibrate again"

        def keep() -> None:
            try:
                self._keep(entries)
            except BridgeError as error:
                self.effect = ""
                kept.set_exception(error)
            else:
                self.effect = self.effect.replace("may have", "has")
                kept.set_result(None)

        threading.Thread(target=keep, name="keeps a calibration", daemon=True).start()
        return lambda _: self._come_into_force(shifts) if kept.done() and not kept.result() else None

    def _come_into_force(self, shifts: Mapping[Servo, float]) -> tuple[str, int]:
        # Not the changes of the begin: another calibration may have come into force since.
        changes = {servo: shift - servo.scale.calibration.shift for servo, shift in shifts.items()}
        for servo, change in changes.items():
            _check_driven(servo, change)  # its torque may have come on meanwhile
        self.touched = True
        texts = []
        for servo, change in changes.items():
            servo.scale.calibrate(Calibration(shifts[servo], servo.scale.calibration.turns))
            servo.goals.start(servo.goals.goal + change)  # the horn stays where it is
            servo.calibrated_on, servo.lost_turn = servo.table.name, ""
            if servo.uncalibrated:
                servo.uncalibrated, servo.note = False, ""
            texts.append(f"{servo.config.joint} {servo.scale.calibration.shift:+.4f} rad")
        return f"shifted by {', '.join(texts)}", len(changes)


def _check_calibration(servo: Servo, angle: float) -> None:
    """Refuse a calibration after which a joint could move by itself, now or when its torque comes on.

    Raises:
        CommandError: the joint does not answer, moves, is driven while the shift is large, or cannot be at that angle.
    """
    name, config = servo.config.joint, servo.config
    if servo.silent or not servo.known:
        raise CommandError(f"joint {name!r} does not answer")
    if not config.lower <= angle <= config.upper:
        raise CommandError(
            f"joint {name!r} cannot be at {angle:g} rad: its range is {config.lower:g}..{config.upper:g} rad"
        )
    change = angle - servo.position
    shift = servo.scale.calibration.shift + change
    if not abs(shift) <= LARGEST_SHIFT:
        raise CommandError(f"joint {name!r}: a shift of {shift:g} rad is more than {LARGEST_SHIFT:g} rad")
    _check_driven(servo, change)
    if servo.torque and abs(servo.scale.velocity(servo.speed)) > MOVING:
        raise CommandError(f"joint {name!r} moves; let it rest, or go limp")


def _check_driven(servo: Servo, change: float) -> None:
    if servo.torque and abs(change) > SMALL_SHIFT:
        raise CommandError(
            f"joint {servo.config.joint!r} is driven, and would be shifted by {change:+.3f} rad: let it go limp first "
            f"(set_torque); driven, {SMALL_SHIFT:g} rad at most"
        )


def _chosen(servos: Sequence[Servo], joints: Sequence[str]) -> list[Servo]:
    if not joints:
        return list(servos)
    by_name = {servo.config.joint: servo for servo in servos}
    for joint in joints:
        if joint not in by_name:
            raise CommandError(unknown("joint", joint, by_name))
    return [by_name[joint] for joint in joints]
