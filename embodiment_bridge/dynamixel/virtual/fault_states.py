# SPDX-License-Identifier: Apache-2.0
"""Faults that are a state of a servo, not of a packet: they begin at their time and are undone at its end."""

from collections.abc import Callable, Iterable
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.dynamixel.virtual.drive import AXES, SOUND, MotorDrive
from embodiment_bridge.dynamixel.virtual.faults import Faults, Rule
from embodiment_bridge.dynamixel.virtual.servo import Servo
from embodiment_bridge.dynamixel.virtual.servos import Servos
from embodiment_bridge.dynamixel.virtual.x_servo import XServo

Action = Callable[[Servo, Rule], None]


class FaultStates:
    """Begins and ends the state faults of a bus."""

    def __init__(self, faults: Faults, servos: Servos) -> None:
        self._faults, self._servos = faults, servos

    def check(self, rule: Rule) -> None:
        """Check the options of a fault.

        Raises:
            ConfigError: the text names the option, its value and the choices.
        """
        for name, value in rule.options.items():
            if name == "state":
                if value not in AXES:
                    raise ConfigError(unknown("state of an axis", str(value), AXES))
            elif name == "register":
                for servo in self._concerned(rule):
                    servo.table.item(str(value))
            elif name == "shutdown":
                if value not in (None, True, False):
                    raise ConfigError(f"fault {rule.kind!r}: shutdown is {value!r}; it must be true or false")
            elif isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 65535:
                raise ConfigError(
                    f"fault {rule.kind!r}: {name} is {value!r}; it must be a number from 0 to 65535"
                )

    def update(self, now: float) -> None:
        """Begin and end the faults that are due at ``now`` s."""
        for rule in self._faults.states():
            if not rule.done and rule.start <= now and rule.kind in _BEGIN:
                rule.done = True
                rule.hits += 1
                total = self._faults.total
                total[rule.kind] = total.get(rule.kind, 0) + 1
                for servo in self._concerned(rule):
                    servo.advance(now)
                    _BEGIN[rule.kind](servo, rule)
            if now >= rule.end:
                self.undo(rule)
                self._faults.remove(rule)

    def undo(self, rule: Rule) -> None:
        """Undo a state, if it can be undone."""
        if rule.kind in _UNDO and rule.done:
            for servo in self._concerned(rule):
                _UNDO[rule.kind](servo, rule)

    def _concerned(self, rule: Rule) -> Iterable[Servo]:
        """The servos of a fault; a brown-out is always for all of them."""
        everybody = rule.id is None or rule.kind == "brown_out"
        return self._servos.chain if everybody else self._servos.by_id(rule.id or 0)


def _hardware_error(servo: Servo, rule: Rule) -> None:
    shut_down = rule.options["shutdown"]
    servo.raise_error(int(rule.number("bits")), shut_down=None if shut_down is None else bool(shut_down))


def _no_hardware_error(servo: Servo, rule: Rule) -> None:
    if not servo.shut_down:
        servo.errors &= ~int(rule.number("bits"))
        servo.touch()


def _brown_out(servo: Servo, rule: Rule) -> None:
    servo.reboot()


def _set_axis(servo: Servo, state: str) -> None:
    if isinstance(servo.drive, MotorDrive):
        servo.drive.axis = state
        servo.drive.disturb()


def _axis(servo: Servo, rule: Rule) -> None:
    _set_axis(servo, str(rule.options["state"]))


def _sound_axis(servo: Servo, rule: Rule) -> None:
    _set_axis(servo, SOUND)


def _wrong_identity(servo: Servo, rule: Rule) -> None:
    for name in ("model_number", "firmware_version"):
        if value := int(rule.number(name)):
            servo.memory.set(name, value)


def _right_identity(servo: Servo, rule: Rule) -> None:
    servo.memory.set("model_number", servo.table.number)
    servo.memory.set("firmware_version", servo.table.firmware)


def _refuse_eeprom(servo: Servo, rule: Rule) -> None:
    servo.eeprom_refused = True


def _take_eeprom(servo: Servo, rule: Rule) -> None:
    servo.eeprom_refused = False


def _stick(servo: Servo, rule: Rule) -> None:
    servo.stuck_items.add(str(rule.options["register"]))


def _unstick(servo: Servo, rule: Rule) -> None:
    servo.stuck_items.discard(str(rule.options["register"]))


def _trip(servo: Servo, rule: Rule) -> None:
    if isinstance(servo, XServo):
        servo.trip_watchdog()


_BEGIN: Final[dict[str, Action]] = {
    "hardware_error": _hardware_error,
    "brown_out": _brown_out,
    "axis": _axis,
    "wrong_identity": _wrong_identity,
    "eeprom_refused": _refuse_eeprom,
    "register_stuck": _stick,
    "watchdog_trip": _trip,
}
_UNDO: Final[dict[str, Action]] = {
    "hardware_error": _no_hardware_error,
    "axis": _sound_axis,
    "wrong_identity": _right_identity,
    "eeprom_refused": _take_eeprom,
    "register_stuck": _unstick,
}
