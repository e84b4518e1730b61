# SPDX-License-Identifier: Apache-2.0
"""Reading the values of one node's keys: each is checked for type and range, and a bad one is noted.

Every reader gives a usable value even when it noted an error, so that all errors of a document are found.
"""

import math
from typing import Any, Final

from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.base.problems import Problems, short

FOREVER: Final = -1
Raw = dict[str, Any]
MISSING: Final = object()
_NUMBERS: Final = frozenset({int, float})  # not bool, which is an int in Python
_BOOLEANS: Final = {"true": True, "false": False, "1": True, "0": False}


class Values:
    """Readers of values that share the list of problems, the limits and the unit of volume."""

    def __init__(self, problems: Problems, limits: Limits, full_volume: float) -> None:
        self.problems = problems
        self.limits = limits
        self._full_volume = full_volume  # what the document writes for 100 %

    def with_problems(self, problems: Problems) -> "Values":
        """The same readers, noting in another list."""
        return Values(problems, self.limits, self._full_volume)

    def text(self, raw: Raw, pointer: str, key: str, longest: int, *, required: bool = False) -> str:
        """The text of ``key``; empty when it is not there. A required text has at least one character."""
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
        """The number of ``key``, None when it is not there or bad."""
        value = raw.get(key, MISSING)
        if type(value) not in _NUMBERS:
            if value is not MISSING:
                self.wrong_type(pointer, key, value, "a number")
            return None
        if not low <= value <= high:
            if isinstance(value, int) or math.isfinite(value):  # else noted as NOT_FINITE
                text = f"'{key}' is {short(value)}, allowed is {low:g} to {high:g}"
                self.problems.error(at(pointer, key), "OUT_OF_RANGE", text)
            return None
        found: float = value + 0.0  # a float, and no -0.0
        return found

    def volume(self, raw: Raw, pointer: str, key: str) -> float | None:
        """The volume in percent, None when not given."""
        value = self.number(raw, pointer, key, 0.0, self._full_volume)
        if value is None:
            return None
        if 0.0 < value <= 1.0 and self._full_volume > 1.0:
            text = f"the volume {value:g} is in percent; was {100.0 * value:g} meant?"
            self.problems.warning(at(pointer, key), "VOLUME_SCALE", text)
        return value * 100.0 / self._full_volume

    def count(self, raw: Raw, pointer: str, key: str) -> int:
        """The number of executions that ``key`` (which is there) gives; 1 when it is bad."""
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
        """The truth value of ``key``; 0, 1 and the words as text are tolerated."""
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
