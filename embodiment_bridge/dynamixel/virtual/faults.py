# SPDX-License-Identifier: Apache-2.0
"""The faults of a virtual bus.

Which kind, on which servo, and when; faults of packets, and those that are a state of a servo and are undone at
their end.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.dynamixel.virtual.drive import AXES, SOUND, MotorDrive
from embodiment_bridge.dynamixel.virtual.execute import Servos
from embodiment_bridge.dynamixel.virtual.servo import Servo
from embodiment_bridge.dynamixel.virtual.x_servo import XServo

Option = float | str | bool | None  # value of a fault's option
# When a fault strikes: the largest value of each; the least is 0.
TIMING: Final = {"id": 253, "skip": 1e9, "count": 1e9, "probability": 1.0, "after": 1e9, "duration": 1e9}
LARGEST: Final = 65535  # number as an option

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


@dataclass(slots=True, eq=False)
class Rule:
    """Describes one fault.

    id: of the servo; None: any. skip: packets that pass first. count: packets that are hit; probability: per packet.
    start, end: s of the clock.
    """

    kind: str
    id: int | None
    skip: float
    count: float
    probability: float
    start: float
    end: float
    options: Mapping[str, Option]
    begun: bool = False  # of a fault that is a state
    hits: int = 0

    def number(self, name: str) -> float:
        """Return the value of an option that is a number."""
        return float(self.options[name] or 0)

    def concerns(self, id: int | None, now: float) -> bool:
        """Return whether it is its time (s), it is for this servo, and there are packets left that it may hit."""
        return (self.id is None or self.id == id) and self.start <= now < self.end and self.count > 0


class Faults:
    """Holds the faults of a bus of ``servos``. ``seed``: of the random numbers, which are repeatable."""

    def __init__(self, servos: Servos, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.rules: list[Rule] = []
        self.total: Counter[str] = Counter()  # hits by kind
        self._servos = servos
        self._by_kind: dict[str, list[Rule]] = {}

    def add(self, kind: str, now: float, given: Mapping[str, Option]) -> Rule:
        """Add a fault that begins after ``after`` s and lasts ``duration`` s.

        given: options, those of ``TIMING`` among them.

        Raises:
            ConfigError: the fault, the servo or an option is unknown, or a value is out of its range.
        """
        if kind not in KINDS:
            raise ConfigError(unknown("fault", str(kind), KINDS))
        for name in given:
            if name not in TIMING and name not in KINDS[kind]:
                raise ConfigError(unknown(f"option of fault {kind!r}", str(name), KINDS[kind]))
        known = [servo.id for servo in self._servos.chain]
        if given.get("id") is not None and given["id"] not in known:
            there = ", ".join(map(str, known))
            raise ConfigError(f"fault {kind!r}: there is no servo {given['id']} (there are: {there})")
        timing = {
            name: _number(kind, name, given[name], most)
            for name, most in TIMING.items()
            if given.get(name) is not None
        }
        start = now + timing.get("after", 0.0)
        rule = Rule(
            kind,
            int(timing["id"]) if "id" in timing else None,
            timing.get("skip", 0),
            timing.get("count", math.inf),
            timing.get("probability", 1.0),
            start,
            start + timing.get("duration", math.inf),
            {name: given.get(name, usual) for name, usual in KINDS[kind].items()},
        )
        self._check(rule)
        self.rules.append(rule)
        self._sort()
        return rule

    def _check(self, rule: Rule) -> None:
        for name, value in rule.options.items():
            if name == "state" and value not in AXES:
                raise ConfigError(unknown("state of an axis", str(value), AXES))
            if name == "register":
                for servo in self._concerned(rule):
                    servo.table.item(str(value))
            elif name == "shutdown" and value not in (None, True, False):
                raise ConfigError(f"fault {rule.kind!r}: shutdown is {value!r}; it must be true or false")
            elif name not in ("state", "shutdown"):
                _number(rule.kind, name, value, LARGEST)

    def remove(self, rule: Rule) -> None:
        """End a fault; a state is undone, if it can be."""
        if rule in self.rules:
            if rule.begun:
                self._set_state(rule, on=False)
            self.rules.remove(rule)
            self._sort()

    def update(self, now: float) -> None:
        """Begin and end the states that are due at ``now`` s."""
        for rule in [rule for rule in self.rules if rule.kind in STATES]:
            if not rule.begun and rule.start <= now and rule.kind in _EFFECTS:
                rule.begun = True
                rule.hits += 1
                self.total[rule.kind] += 1
                for servo in self._concerned(rule):
                    servo.advance(now)
                self._set_state(rule, on=True)
            if now >= rule.end:
                self.remove(rule)

    def _set_state(self, rule: Rule, *, on: bool) -> None:
        for servo in self._concerned(rule):
            _EFFECTS[rule.kind](servo, rule, on)

    def hit(self, kind: str, id: int | None, now: float) -> Rule | None:
        """Return the rule that hits a packet of a servo now, or None; the hit is counted."""
        for rule in self._by_kind.get(kind, ()):
            if not rule.concerns(id, now):
                continue
            if rule.probability < 1.0 and self.random.random() >= rule.probability:
                continue
            if rule.skip > 0:
                rule.skip -= 1
                continue
            rule.count -= 1
            rule.hits += 1
            self.total[kind] += 1
            return rule
        return None

    def would_hit(self, kind: str, id: int | None, now: float) -> bool:
        """Return whether a rule hits each packet of a servo now; nothing is counted."""
        return any(
            rule.concerns(id, now) and rule.probability >= 1.0 and not rule.skip
            for rule in self._by_kind.get(kind, ())
        )

    def active(self, kind: str, now: float) -> bool:
        """Return whether it is the time of a fault that is a state."""
        return any(rule.start <= now < rule.end for rule in self._by_kind.get(kind, ()))

    def _concerned(self, rule: Rule) -> Iterable[Servo]:
        """Return the servos of a fault; a brown-out is always for all of them."""
        everybody = rule.id is None or rule.kind == "brown_out"
        return self._servos.chain if everybody else self._servos.by_id(rule.id or 0)

    def _sort(self) -> None:
        self._by_kind = {}
        for rule in self.rules:
            self._by_kind.setdefault(rule.kind, []).append(rule)


def _number(kind: str, name: str, value: Option, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise ConfigError(f"fault {kind!r}: {name} is {value!r:.80}; it must be a number from 0 to {most:g}")
    return value


def _hardware_error(servo: Servo, rule: Rule, on: bool) -> None:
    bits, shut_down = int(rule.number("bits")), rule.options["shutdown"]
    if on:
        servo.raise_error(bits, shut_down=None if shut_down is None else bool(shut_down))
    elif not servo.shut_down:
        servo.errors &= ~bits
        servo.touch()


def _brown_out(servo: Servo, rule: Rule, on: bool) -> None:
    if on:
        servo.reboot()


def _axis(servo: Servo, rule: Rule, on: bool) -> None:
    if isinstance(servo.drive, MotorDrive):
        servo.drive.axis = str(rule.options["state"]) if on else SOUND
        servo.drive.disturb()


def _wrong_identity(servo: Servo, rule: Rule, on: bool) -> None:
    for name, right in (("model_number", servo.table.number), ("firmware_version", servo.table.firmware)):
        if wrong := int(rule.number(name)):
            servo.memory.set(name, wrong if on else right)


def _eeprom_refused(servo: Servo, rule: Rule, on: bool) -> None:
    servo.eeprom_refused = on


def _register_stuck(servo: Servo, rule: Rule, on: bool) -> None:
    change = servo.stuck_items.add if on else servo.stuck_items.discard
    change(str(rule.options["register"]))


def _watchdog_trip(servo: Servo, rule: Rule, on: bool) -> None:
    if on and isinstance(servo, XServo):
        servo.trip_watchdog()


# What the beginning of a state does to a servo, and its end.
_EFFECTS: Final[dict[str, Callable[[Servo, Rule, bool], None]]] = {
    "hardware_error": _hardware_error,
    "brown_out": _brown_out,
    "axis": _axis,
    "wrong_identity": _wrong_identity,
    "eeprom_refused": _eeprom_refused,
    "register_stuck": _register_stuck,
    "watchdog_trip": _watchdog_trip,
}
