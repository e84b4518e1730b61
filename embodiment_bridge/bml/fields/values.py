# SPDX-License-Identifier: Apache-2.0
"""Reads the values of one node's keys, conditions among them.

Each is checked for type and range, and a bad one is noted.

Every reader gives a usable value even when it noted an error, so that all errors of a document are found.
"""

import math
from typing import Any, Final

from embodiment_bridge.bml.base.conditions import (
    GROUPS,
    KEY,
    LARGEST,
    OPERATORS,
    Compare,
    Condition,
    Group,
    Value,
)
from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.base.problems import Problems, at, short

FOREVER: Final = -1
Raw = dict[str, Any]
MISSING: Final = object()
_NUMBERS: Final = frozenset({int, float})  # not bool, which is an int in Python
_BOOLEANS: Final = {"true": True, "false": False, "1": True, "0": False}


class Values:
    """Reads values; its readers share the list of problems, the limits and the unit of volume."""

    def __init__(self, problems: Problems, limits: Limits, full_volume: float) -> None:
        self.problems = problems
        self.limits = limits
        self._full_volume = full_volume  # the number that means 100 % in this document

    def with_problems(self, problems: Problems) -> "Values":
        """Return the same readers, noting in another list."""
        return Values(problems, self.limits, self._full_volume)

    def text(self, raw: Raw, pointer: str, key: str, longest: int, *, required: bool = False) -> str:
        """Return the text of ``key``; empty when it is not there. A required text has at least one character."""
        value: object = raw.get(key, MISSING)
        if value is MISSING:
            if required:
                self.missing(raw, pointer, key)
            return ""
        if not isinstance(value, str):
            self.wrong_type(pointer, key, value, "a text")
            return ""
        if len(value) > longest:
            text = f"'{key}' has {len(value)} characters, {longest} is the limit"
            self.problems.error(at(pointer, key), "TOO_LONG", text)
        elif required and not value:
            self.problems.error(at(pointer, key), "EMPTY_TEXT", f"'{key}' must not be empty")
        return value

    def number(self, raw: Raw, pointer: str, key: str, low: float, high: float) -> float | None:
        """Return the number of ``key``, None when it is not there or bad."""
        value = raw.get(key, MISSING)
        if type(value) not in _NUMBERS:
            if value is not MISSING:
                self.wrong_type(pointer, key, value, "a number")
            return None
        if not low <= value <= high:
            if isinstance(value, int) or math.isfinite(value):  # others are noted as NOT_FINITE
                text = f"'{key}' is {short(value)}, allowed is {low:g} to {high:g}"
                self.problems.error(at(pointer, key), "OUT_OF_RANGE", text)
            return None
        found: float = value + 0.0  # a float, and no -0.0
        return found

    def volume(self, raw: Raw, pointer: str, key: str) -> float | None:
        """Return the volume in percent, None when not given."""
        value = self.number(raw, pointer, key, 0.0, self._full_volume)
        if value is None:
            return None
        if 0.0 < value <= 1.0 and self._full_volume > 1.0:
            text = f"the volume {value:g} is in percent; was {100.0 * value:g} meant?"
            self.problems.warning(at(pointer, key), "VOLUME_SCALE", text)
        return value * 100.0 / self._full_volume

    def count(self, raw: Raw, pointer: str, key: str) -> int:
        """Return the number of executions that ``key`` (which is there) gives; 1 when it is bad."""
        value = raw[key]
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # JSON does not tell 2.0 from 2
        if isinstance(value, bool) or not isinstance(value, int):
            if not isinstance(value, float) or math.isfinite(value):
                self.wrong_type(pointer, key, value, "a whole number")
            return 1
        if value == 0:
            self.problems.tolerated(at(pointer, key), "LOOP_ZERO", f"'{key}' is 0, read as 1 (no loop)")
            return 1
        if not FOREVER <= value <= self.limits.max_loop:
            text = f"'{key}' is {short(value)}, allowed is -1 (for ever) or 1 to {self.limits.max_loop}"
            self.problems.error(at(pointer, key), "OUT_OF_RANGE", text)
            return 1
        return value

    def flag(self, raw: Raw, pointer: str, key: str, default: bool) -> bool:
        """Return the truth value of ``key``; 0, 1 and the words as text are tolerated."""
        value = raw.get(key, MISSING)
        if value is MISSING:
            return default
        if isinstance(value, bool):
            return value
        word = value.lower() if isinstance(value, str) else str(value) if isinstance(value, int) else ""
        if word not in _BOOLEANS:
            self.wrong_type(pointer, key, value, "true or false")
            return default
        text = f"'{key}' is {short(value)}, read as {short(_BOOLEANS[word])}"
        self.problems.tolerated(at(pointer, key), "BOOLEAN_SPELLING", text)
        return _BOOLEANS[word]

    def missing(self, raw: Raw, pointer: str, key: str) -> None:
        """Note that a key is not there which is needed."""
        self.problems.error(pointer, "MISSING_KEY", f"{_kind(raw)} needs the key '{key}'")

    def wrong_type(self, pointer: str, key: str, value: object, wanted: str) -> None:
        """Note that the value of ``key`` is of another JSON type."""
        text = f"'{key}' must be {wanted}, not {short(value)}"
        self.problems.error(at(pointer, key), "WRONG_TYPE", text)


def _kind(raw: Raw) -> str:
    kind = raw.get("type")
    return f"a node of type {short(kind)}" if isinstance(kind, str) else "the node"


class Reader:
    """Reads one condition; bad parts are noted and left out. Its depth is bounded, so it may recurse."""

    def __init__(self, values: Values) -> None:
        self._reading = values
        self._left = values.limits.max_condition_parts

    def read(self, value: object, pointer: str, level: int = 1) -> Condition | None:
        """Return the condition at ``pointer``; None when it is bad."""
        values = self._reading
        enough = self._left > 0
        self._left -= 1
        if not enough:
            text = f"a condition has at most {values.limits.max_condition_parts} parts"
            values.problems.error(pointer, "CONDITION_TOO_LARGE", text)
            return None
        if not isinstance(value, dict):
            values.problems.error(pointer, "WRONG_TYPE", f"a condition must be an object, not {short(value)}")
            return None
        if level > values.limits.max_condition_depth:
            text = f"conditions are nested deeper than {values.limits.max_condition_depth}"
            values.problems.error(pointer, "CONDITION_TOO_LARGE", text)
            return None
        kinds = [kind for kind in GROUPS if kind in value]
        if not kinds:
            return self._compare(value, pointer)
        self._note_others(value, pointer, {kinds[0]})
        return self._group(kinds[0], value[kinds[0]], at(pointer, kinds[0]), level)

    def _group(self, kind: str, inside: object, pointer: str, level: int) -> Condition | None:
        if kind == "not":
            part = self.read(inside, pointer, level + 1)
            return None if part is None else Group(kind, (part,))
        if not isinstance(inside, list) or not inside:
            text = f"'{kind}' must be an array of at least one condition, not {short(inside)}"
            self._reading.problems.error(pointer, "WRONG_TYPE", text)
            return None
        # The parts behind the bound are not looked at: there may be a hundred thousand.
        inside = inside[: max(self._left, 0) + 1]
        parts = [self.read(item, f"{pointer}/{i}", level + 1) for i, item in enumerate(inside)]
        return Group(kind, tuple(part for part in parts if part is not None))

    def _compare(self, raw: Raw, pointer: str) -> Condition | None:
        values = self._reading
        self._note_others(raw, pointer, {"key", "op", "value"})
        key = blackboard_key(raw, pointer, values)
        op = values.text(raw, pointer, "op", values.limits.max_name, required=True)
        if op and op not in OPERATORS:
            text = values.problems.unknown("operator", op, OPERATORS)
            values.problems.error(at(pointer, "op"), "UNKNOWN_OPERATOR", text)
        if op == "exists":
            return Compare(key, op, values.flag(raw, pointer, "value", True))
        if "value" not in raw:
            values.problems.error(pointer, "MISSING_KEY", "a condition needs the key 'value'")
            return None
        if op == "in":
            return Compare(key, op, self._values(raw["value"], at(pointer, "value")))
        return Compare(key, op, scalar(raw["value"], at(pointer, "value"), values))

    def _values(self, value: object, pointer: str) -> tuple[Value, ...]:
        most = self._reading.limits.max_condition_parts
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            text = f"the value of 'in' must be an array of 1 to {most} values"
            self._reading.problems.error(pointer, "WRONG_TYPE", text)
            return ()
        self._left -= len(value)
        return tuple(scalar(item, f"{pointer}/{i}", self._reading) for i, item in enumerate(value))

    def _note_others(self, raw: Raw, pointer: str, known: set[str]) -> None:
        for key in raw:
            if key not in known:
                # Not tolerated: half a condition is another condition.
                text = self._reading.problems.unknown("key of a condition", key, known)
                self._reading.problems.error(at(pointer, key), "UNKNOWN_CONDITION_KEY", text)


def blackboard_key(raw: Raw, pointer: str, values: Values) -> str:
    """Return the key of a value on the blackboard, under ``key``."""
    key = values.text(raw, pointer, "key", values.limits.max_name, required=True)
    if key and not KEY.fullmatch(key):
        text = f"{short(key)} is not a key (a letter or '_', then at most 127 letters, digits and '_ . / -')"
        values.problems.error(at(pointer, "key"), "BAD_KEY", text)
    return key


def scalar(value: object, pointer: str, values: Values) -> Value:
    """Return a boolean, number, text or null; None when it is something else."""
    if isinstance(value, str):
        if len(value) > values.limits.max_text:
            text = f"a text has {len(value)} characters, {values.limits.max_text} is the limit"
            values.problems.error(pointer, "TOO_LONG", text)
        return value
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, (int, float)):
        text = f"a value is a boolean, a number, a text or null, not {short(value)}"
        values.problems.error(pointer, "WRONG_TYPE", text)
        return None
    if isinstance(value, int | float) and abs(value) > LARGEST and value == value // 1:
        text = f"a whole number is at most {LARGEST}, not {short(value)}"
        values.problems.error(pointer, "OUT_OF_RANGE", text)
        return None
    return value if math.isfinite(value) else None  # others are noted as NOT_FINITE
