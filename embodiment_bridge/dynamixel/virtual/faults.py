# SPDX-License-Identifier: Apache-2.0
"""The faults of a virtual bus.

Which kind, on which servo, and when; faults of packets, and those that are a state of a servo and are undone at
their end.
"""

import math
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.dynamixel.virtual.drive import AXES, SOUND, MotorDrive
from embodiment_bridge.dynamixel.virtual.execute import Servos
from embodiment_bridge.dynamixel.virtual.servo import Servo
from embodiment_bridge.dynamixel.virtual.x_servo import XServo

Option = float | str | bool | None  # value of a fault's option
LARGEST: Final = 1e9  # number as an option

# Kinds with their options and defaults. Faults of the wire are checked for each packet; the others
# (STATES) begin once at their time, and are undone at its end.
WIRE: Final[Mapping[str, Mapping[str, Option]]] = {
    "drop_status": {},
    "drop_instruction": {},
    "delay_status": {"seconds": 0.01},
    "corrupt_crc": {},
    "truncate": {"bytes": 4},
    "empty_status": {"error": 7},
    "duplicate_id": {},
    "noise": {"leading": 3, "trailing": 0},
    "echo": {},
    "absent": {},
    "chain_break": {},
    "chain_continues": {},
    "baud_mismatch": {},
    "slow": {"seconds": 0.001},
    "partial_fast": {"blocks": 1},
    "unstuffed_status": {},
}
STATES: Final[Mapping[str, Mapping[str, Option]]] = {
    "hardware_error": {"bits": 0x20, "shutdown": None},
    "brown_out": {},
    "axis": {"state": "stuck"},
    "wrong_identity": {"model_number": 0, "firmware_version": 0},
    "unplug": {},
    "eeprom_refused": {},
    "register_stuck": {"register": "torque_enable"},
    "watchdog_trip": {},
}
KINDS: Final[Mapping[str, Mapping[str, Option]]] = {**WIRE, **STATES}


@dataclass(slots=True)
class Rule:
    """One fault.

    id: of the servo; None: any. skip: packets that pass first. count: packets that are hit; probability: per packet.
    start, end: s of the clock.
    """

    handle: int
    kind: str
    id: int | None = None
    skip: int = 0
    count: float = math.inf
    probability: float = 1.0
    start: float = 0.0
    end: float = math.inf
    options: dict[str, Option] = field(default_factory=dict)
    done: bool = False  # a state fault has begun
    hits: int = 0

    def number(self, name: str) -> float:
        """The value of an option that is a number.

        Raises:
            ConfigError: the option has another value.
        """
        value = self.options[name]
        if not isinstance(value, int | float) or not abs(value) <= LARGEST:
            raise ConfigError(
                f"fault {self.kind!r}: {name} is {value!r:.80}; it must be a number up to {LARGEST:g}"
            )
        return float(value)


class Faults:
    """The faults of a bus. ``seed``: of the random numbers, which are repeatable."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.rules: list[Rule] = []
        self.total: dict[str, int] = {}  # hits by kind
        self._handle = 0
        self._by_kind: dict[str, list[Rule]] = {}

    def add(
        self,
        kind: str,
        now: float,
        *,
        id: int | None = None,
        skip: int = 0,
        count: float | None = None,
        probability: float = 1.0,
        after: float = 0.0,
        duration: float | None = None,
        options: Mapping[str, Option] | None = None,
    ) -> Rule:
        """Add a fault that begins after ``after`` s and lasts ``duration`` s.

        Raises:
            ConfigError: the fault or option is unknown, or a number is out of its range.
        """
        if kind not in KINDS:
            raise ConfigError(unknown("fault", str(kind), KINDS))
        given = dict(options or {})
        for name in given:
            if name not in KINDS[kind]:
                raise ConfigError(unknown(f"option of fault {kind!r}", str(name), KINDS[kind]))
        numbers = {"skip": (skip, 1e9), "probability": (probability, 1.0), "after": (after, 1e9)}
        numbers |= {"count": (count, 1e9)} if count is not None else {}
        numbers |= {"duration": (duration, 1e9)} if duration is not None else {}
        numbers |= {"id": (id, 253)} if id is not None else {}
        for name, (value, upper) in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= upper:
                raise ConfigError(
                    f"fault {kind!r}: {name} is {value!r:.80}; it must be a number from 0 to {upper:g}"
                )
        self._handle += 1
        start = now + after
        end = start + duration if duration is not None else math.inf
        count = math.inf if count is None else count
        rule = Rule(self._handle, kind, id, skip, count, probability, start, end, {**KINDS[kind], **given})
        for name, usual in KINDS[kind].items():
            if isinstance(usual, int | float):
                rule.number(name)
        self.rules.append(rule)
        self._sort()
        return rule

    def remove(self, rule: Rule) -> None:
        """Remove a fault."""
        if rule in self.rules:
            self.rules.remove(rule)
            self._sort()

    def hit(self, kind: str, id: int | None, now: float) -> Rule | None:
        """The rule that hits a packet of a servo now, or None; the hit is counted."""
        for rule in self._by_kind.get(kind, ()):
            if (rule.id is not None and rule.id != id) or not rule.start <= now < rule.end or rule.count <= 0:
                continue
            if rule.probability < 1.0 and self.random.random() >= rule.probability:
                continue
            if rule.skip > 0:
                rule.skip -= 1
                continue
            rule.count -= 1
            rule.hits += 1
            self.total[kind] = self.total.get(kind, 0) + 1
            return rule
        return None

    def active(self, kind: str, now: float) -> bool:
        """Whether a rule of this kind is active now; it is not counted as a hit."""
        return any(rule.start <= now < rule.end for rule in self._by_kind.get(kind, ()))

    def has(self, kind: str) -> bool:
        """Whether there is a rule of this kind; a fast check."""
        return kind in self._by_kind

    def states(self) -> list[Rule]:
        """The rules of state faults."""
        return [rule for rule in self.rules if rule.kind in STATES]

    def _sort(self) -> None:
        self._by_kind = {}
        for rule in self.rules:
            self._by_kind.setdefault(rule.kind, []).append(rule)


# Faults that are a state of a servo, not of a packet: they begin at their time and are undone at its end.

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
