# SPDX-License-Identifier: Apache-2.0
"""Faults that are a state of a servo, not of a packet: brought about when their time comes, undone when it is over."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.dynamixel.virtual.drive import AXES, SOUND, MotorDrive
from embodiment_bridge.dynamixel.virtual.faults import Rule
from embodiment_bridge.dynamixel.virtual.servo import Servo
from embodiment_bridge.dynamixel.virtual.x_servo import XServo

if TYPE_CHECKING:
    from embodiment_bridge.dynamixel.virtual.bus import VirtualBus

Deed = Callable[[Servo, Any], None]


class FaultStates:
    """Does and undoes the state faults of a bus."""

    def __init__(self, bus: "VirtualBus") -> None:
        self._bus = bus

    def check(self, rule: Rule) -> None:
        """Refuse options that cannot be.

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
        """Do what is due by ``now``."""
        for rule in self._bus.faults.states():
            if not rule.done and rule.start <= now and rule.kind in _DEEDS:
                rule.done = True
                rule.hits += 1
                total = self._bus.faults.total
                total[rule.kind] = total.get(rule.kind, 0) + 1
                for servo in self._concerned(rule):
                    servo.advance(now)
                    _DEEDS[rule.kind](servo, rule.options)
            if now >= rule.end:
                self.undo(rule)
                self._bus.faults.remove(rule)

    def undo(self, rule: Rule) -> None:
        """End a state that can be ended."""
        if rule.kind in _UNDO and rule.done:
            for servo in self._concerned(rule):
                _UNDO[rule.kind](servo, rule.options)

    def _concerned(self, rule: Rule) -> Iterable[Servo]:
        """A brown-out is for all, whichever servo is named."""
        servos = self._bus.servos
        everybody = rule.id is None or rule.kind == "brown_out"
        return servos.chain if everybody else servos.by_id(rule.id or 0)


def _hardware_error(servo: Servo, options: Any) -> None:
    servo.raise_error(int(options["bits"]), shut_down=options["shutdown"])


def _no_hardware_error(servo: Servo, options: Any) -> None:
    if not servo.shut_down:
        servo.errors &= ~int(options["bits"])
        servo.touch()


def _brown_out(servo: Servo, options: Any) -> None:
    servo.reboot()


def _axis(servo: Servo, options: Any) -> None:
    if isinstance(servo.drive, MotorDrive):
        servo.drive.axis = options["state"]
        servo.drive.disturb()


def _sound_axis(servo: Servo, options: Any) -> None:
    _axis(servo, {"state": SOUND})


def _wrong_identity(servo: Servo, options: Any) -> None:
    for name in ("model_number", "firmware_version"):
        if options[name]:
            servo.memory.set(name, int(options[name]))


def _right_identity(servo: Servo, options: Any) -> None:
    servo.memory.set("model_number", servo.table.number)
    servo.memory.set("firmware_version", servo.table.firmware)


def _refuse_eeprom(servo: Servo, options: Any) -> None:
    servo.eeprom_refused = True


def _take_eeprom(servo: Servo, options: Any) -> None:
    servo.eeprom_refused = False


def _stick(servo: Servo, options: Any) -> None:
    servo.stuck_items.add(options["register"])


def _unstick(servo: Servo, options: Any) -> None:
    servo.stuck_items.discard(options["register"])


def _trip(servo: Servo, options: Any) -> None:
    if isinstance(servo, XServo):
        servo.trip_watchdog()


_DEEDS: Final[dict[str, Deed]] = {
    "hardware_error": _hardware_error,
    "brown_out": _brown_out,
    "axis": _axis,
    "wrong_identity": _wrong_identity,
    "eeprom_refused": _refuse_eeprom,
    "register_stuck": _stick,
    "watchdog_trip": _trip,
}
_UNDO: Final[dict[str, Deed]] = {
    "hardware_error": _no_hardware_error,
    "axis": _sound_axis,
    "wrong_identity": _right_identity,
    "eeprom_refused": _take_eeprom,
    "register_stuck": _unstick,
}
