# SPDX-License-Identifier: Apache-2.0
"""Conditions in Python: ``(key("battery") < 20) & ~key("mood").among("sad", "sleepy")``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Scalar = bool | int | float | str | None


@dataclass(frozen=True, slots=True)
class Predicate:
    """Builds a condition as JSON. ``&`` is all, ``|`` is any, ``~`` is not."""

    data: Mapping[str, Any]

    def __and__(self, other: "Predicate") -> "Predicate":
        """Return the condition that both are met."""
        return Predicate({"all": [self.data, other.data]})

    def __or__(self, other: "Predicate") -> "Predicate":
        """Return the condition that one is met."""
        return Predicate({"any": [self.data, other.data]})

    def __invert__(self) -> "Predicate":
        """Return the negated condition."""
        return Predicate({"not": self.data})

    def __bool__(self) -> bool:
        """Refuse a truth value: ``and``, ``or``, ``not`` and chains like ``1 < key < 5`` would lose a part of it.

        Raises:
            TypeError: always.
        """
        raise TypeError("a condition is met on the robot, not here: join conditions by & | ~")


class key:  # noqa: N801 - reads as a word of the language
    """Names a key of the blackboard, to be compared with a value."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str) -> None:
        self._name = name

    def _compared(self, op: str, value: object) -> Predicate:
        return Predicate({"key": self._name, "op": op, "value": value})

    def __eq__(self, value: object) -> Predicate:  # type: ignore[override]
        """Return whether the values are equal and of one type."""
        return self._compared("==", value)

    def __ne__(self, value: object) -> Predicate:  # type: ignore[override]
        """Return whether the values differ, or their types do."""
        return self._compared("!=", value)

    def __lt__(self, value: float | str) -> Predicate:
        """Return whether the value is less."""
        return self._compared("<", value)

    def __le__(self, value: float | str) -> Predicate:
        """Return whether the value is less or equal."""
        return self._compared("<=", value)

    def __gt__(self, value: float | str) -> Predicate:
        """Return whether the value is more."""
        return self._compared(">", value)

    def __ge__(self, value: float | str) -> Predicate:
        """Return whether the value is more or equal."""
        return self._compared(">=", value)

    def among(self, *values: Scalar) -> Predicate:
        """Return whether the value is one of these."""
        return self._compared("in", list(values))

    def exists(self) -> Predicate:
        """Return the condition that there is a value."""
        return self._compared("exists", True)
