# SPDX-License-Identifier: Apache-2.0
"""Arguments of a tool call, checked: a model may send anything."""

import json
import sys
from collections.abc import Collection, Iterable, Mapping

from embodiment_bridge.core.errors import CommandError, quoted, unknown


class Arguments:
    """Each method gives one argument, or raises CommandError: the argument, its value and what it may be."""

    def __init__(self, tool: str, given: Mapping[str, object] | None, known: Iterable[str]) -> None:
        self._given = dict(given or {})
        names = tuple(known)
        for name in self._given:
            if name not in names:
                raise CommandError(unknown(f"argument of {tool}", name[:60], names))

    def has(self, name: str) -> bool:
        """Whether it was given, and is not null."""
        return self._given.get(name) is not None

    def text(self, name: str, longest: int) -> str:
        """A text with at least one character that is not blank."""
        value = self._value(name)
        if not isinstance(value, str) or not value.strip():
            raise self._wrong(name, "a text")
        if len(value) > longest:
            raise CommandError(f"argument {name!r} has {len(value)} characters; {longest} is the limit")
        return value

    def number(self, name: str, lower: float, upper: float) -> float:
        """A finite number within a range."""
        value = meant(self._value(name))
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not lower <= value <= upper:
            raise self._wrong(name, f"a number within {lower:g} to {upper:g}")
        return float(value)

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false; ``default`` where it is not given."""
        if default is not None and not self.has(name):
            return default
        value = meant(self._value(name))
        if not isinstance(value, bool):
            raise self._wrong(name, "true or false")
        return value

    def mapping(self, name: str) -> dict[str, object]:
        """An object."""
        value = meant(self._value(name))
        if not isinstance(value, dict):
            raise self._wrong(name, "an object")
        return value

    def parameters(self, name: str, numbers: Collection[str]) -> dict[str, float | str]:
        """Parameters of a skill: an object of finite numbers and texts; empty where it is not given.

        numbers: names of those that are no texts.
        """
        if not self.has(name):
            return {}
        found: dict[str, float | str] = {}
        for key, given in self.mapping(name).items():
            value = meant(given) if key in numbers else given
            is_number = (
                isinstance(value, (int, float))
                and not isinstance(value, bool)
                and abs(value) <= sys.float_info.max
            )
            if isinstance(value, str) or (is_number and isinstance(value, (int, float))):
                found[key] = value
            else:
                raise CommandError(f"parameter {key[:60]!r} is {quoted(value)}, not a number or a text")
        return found

    def _value(self, name: str) -> object:
        if not self.has(name):
            raise CommandError(f"the argument {name!r} is missing")
        return self._given[name]

    def _wrong(self, name: str, should: str) -> CommandError:
        return CommandError(f"argument {name!r} is {quoted(self._given[name])}, not {should}")


def meant(value: object) -> object:
    """The value of a text that is exactly one value of JSON, as some hosts send numbers and objects; else the same."""
    if not isinstance(value, str):
        return value
    try:
        found: object = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found
