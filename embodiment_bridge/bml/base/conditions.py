# SPDX-License-Identifier: Apache-2.0
"""Conditions over named values: as data, and decided. There are no expressions to evaluate.

A key that is not there has the value null, and one that is set to null is not there.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Value = bool | int | float | str | None
KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]{0,127}")
OPERATORS = ("==", "!=", "<", "<=", ">", ">=", "exists", "in")
GROUPS = ("all", "any", "not")
LARGEST = 2**53  # beyond that JSON readers disagree about whole numbers


@dataclass(frozen=True, slots=True)
class Compare:
    """Compares the value of ``key`` with ``value``; for ``in`` a tuple of values, for ``exists`` a boolean."""

    key: str
    op: str
    value: Value | tuple[Value, ...] = True


@dataclass(frozen=True, slots=True)
class Group:
    """Joins conditions: ``kind`` is all, any or not (which has one part)."""

    kind: str
    parts: tuple["Condition", ...]


Condition = Compare | Group


def holds(condition: Condition, lookup: Callable[[str], Value]) -> bool:
    """Return whether the condition is met; ``lookup`` gives the value of a key, None when it has none."""
    if isinstance(condition, Compare):
        return _compare(condition, lookup(condition.key))
    if condition.kind == "not":
        return not holds(condition.parts[0], lookup)
    met = (holds(part, lookup) for part in condition.parts)
    return all(met) if condition.kind == "all" else any(met)


def same(one: Value, other: Value) -> bool:
    """Return whether two values are equal and of one JSON type: true is not 1, 1 is 1.0."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _compare(test: Compare, found: Value) -> bool:
    wanted = test.value
    if test.op == "exists":
        return (found is not None) == wanted
    if isinstance(wanted, tuple):
        return any(same(found, one) for one in wanted)
    if test.op in ("==", "!="):
        return same(found, wanted) == (test.op == "==")
    if isinstance(found, str) and isinstance(wanted, str):
        return _ordered(test.op, (found > wanted) - (found < wanted))
    if _is_number(found) and _is_number(wanted):
        return _ordered(test.op, (found > wanted) - (found < wanted))  # type: ignore[operator]
    return False


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _ordered(op: str, sign: int) -> bool:
    return {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}[op]


def to_value(condition: Condition) -> dict[str, Any]:
    """Return the condition as JSON values."""
    if isinstance(condition, Compare):
        value = list(condition.value) if isinstance(condition.value, tuple) else condition.value
        return {"key": condition.key, "op": condition.op, "value": value}
    parts = [to_value(part) for part in condition.parts]
    return {condition.kind: parts[0] if condition.kind == "not" else parts}


def describe(condition: Condition) -> str:
    """Return the condition for people."""
    if isinstance(condition, Compare):
        if condition.op == "exists":
            return f"{condition.key} {'exists' if condition.value else 'does not exist'}"
        value = list(condition.value) if isinstance(condition.value, tuple) else condition.value
        return f"{condition.key} {condition.op} {'null' if value is None else repr(value)}"
    if condition.kind == "not":
        return f"not ({describe(condition.parts[0])})"
    return f" {'and' if condition.kind == 'all' else 'or'} ".join(
        f"({describe(part)})" for part in condition.parts
    )
