# SPDX-License-Identifier: Apache-2.0
"""Reading a condition, and the keys and values of the blackboard."""

import math

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
from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import short
from embodiment_bridge.bml.fields.values import Raw, Values


class Reader:
    """Reads one condition; bad parts are noted and left out. Its depth is bounded, so it may recurse."""

    def __init__(self, values: Values) -> None:
        self._reading = values
        self._left = values.limits.max_condition_parts

    def read(self, value: object, pointer: str, level: int = 1) -> Condition | None:
        """The condition at ``pointer``; None when it is bad."""
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
    """The key of a value on the blackboard, under ``key``."""
    key = values.text(raw, pointer, "key", values.limits.max_name, required=True)
    if key and not KEY.fullmatch(key):
        text = f"{short(key)} is not a key (a letter or '_', then at most 127 letters, digits and '_ . / -')"
        values.problems.error(at(pointer, "key"), "BAD_KEY", text)
    return key


def scalar(value: object, pointer: str, values: Values) -> Value:
    """A boolean, number, text or null; None when it is something else."""
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
    return value if math.isfinite(value) else None  # else noted as NOT_FINITE
