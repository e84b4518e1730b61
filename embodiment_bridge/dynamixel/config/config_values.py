# SPDX-License-Identifier: Apache-2.0
"""Values of a servo description from XML (always texts) or YAML (typed); all problems are collected."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from math import inf, isfinite

from embodiment_bridge.core.errors import unknown

TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no")
PROBLEM_LIMIT = 50  # further problems are only counted


class Problems:
    """The problems of a description, reported together at the end."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._more = 0

    def add(self, text: str) -> None:
        """Add a problem."""
        if len(self._texts) < PROBLEM_LIMIT:
            self._texts.append(text)
        else:
            self._more += 1

    def __bool__(self) -> bool:
        return bool(self._texts)

    def __str__(self) -> str:
        more = [f"and {self._more} more"] if self._more else []
        return "\n  ".join([*self._texts, *more])


class Values:
    """The entries of one thing (a bus, a joint); an entry that is never read is reported as unknown.

    A value that cannot be used is reported, and its default is used.
    """

    def __init__(self, where: str, data: Mapping[str, object], problems: Problems) -> None:
        self.where = where
        self._data = data
        self._problems = problems
        self._read: set[str] = set()

    def wrong(self, key: str, should: str) -> None:
        """Report that the value of ``key`` is not ``should``."""
        shown = repr(self._data.get(key))
        self._problems.add(
            f"{self.where}: {key} {shown if len(shown) <= 60 else shown[:60] + '...'} is not {should}"
        )

    def has(self, key: str) -> bool:
        """Whether the entry is there."""
        self._read.add(key)
        return key in self._data

    def text(self, key: str, default: str = "", choices: Collection[str] | None = None) -> str:
        """A text, one of ``choices`` if given."""
        if not self.has(key):
            return default
        value = self._data[key]
        text = str(value).strip() if isinstance(value, (str, int, float)) else ""
        if isinstance(value, bool):
            text = "on" if value else "off"  # YAML reads these words as booleans
        if not text or len(text) > 1000:
            self.wrong(key, "a text")
            return default
        if choices is not None and text not in choices:
            self._problems.add(f"{self.where}: {unknown(key, text, choices)}")
            return default
        return text

    def number(self, key: str, default: float, lower: float = -inf, upper: float = inf) -> float:
        """A finite number within the limits, both included."""
        if not self.has(key):
            return default
        value = _number(self._data[key])
        if value is None or not lower <= value <= upper:
            bounded = isfinite(lower) or isfinite(upper)
            self.wrong(key, f"a number within {lower:g}..{upper:g}" if bounded else "a finite number")
            return default
        return value

    def whole(self, key: str, default: int, lower: int, upper: int) -> int:
        """A whole number within the limits, both included."""
        value = self.number(key, default, lower, upper)
        if value != int(value):
            self.wrong(key, "a whole number")
            return default
        return int(value)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        if not self.has(key):
            return default
        text = str(self._data[key]).strip().lower()
        if text not in (*TRUE, *FALSE):
            self.wrong(key, "true or false")
            return default
        return text in TRUE

    def close(self) -> None:
        """Report the entries that were not read."""
        for key in self._data:
            if key not in self._read:
                near = get_close_matches(key, self._read, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                self._problems.add(f"{self.where}: unknown entry {key!r}{hint}")


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str) and not value.isascii():
        return None
    try:
        number = (
            float(int(value, 0))
            if isinstance(value, str) and value.lower().startswith("0x")
            else float(value)
        )
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None
