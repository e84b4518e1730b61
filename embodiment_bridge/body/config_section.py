# SPDX-License-Identifier: Apache-2.0
"""Reads a YAML file in which every key must be known; its errors name the key, the value and what it may be."""

from collections.abc import Iterable
from math import inf, isfinite
from typing import Any

from embodiment_bridge.core import safe_yaml
from embodiment_bridge.core.errors import ConfigError, quoted, unknown

ANGLE_LIMIT = 10.0  # rad, for every angle of a body file


class Section:
    """A mapping of the file. Read its keys, then ``close`` it: keys that were not read are errors.

    Every method raises ConfigError with the file, the path of the key, the value and what it may be.
    """

    def __init__(self, where: str, data: object, path: str = "") -> None:
        self._where, self._path = where, path
        if not isinstance(data, dict) or not all(isinstance(key, str) for key in data):
            raise ConfigError(f"{self.name()}: {quoted(data)} is not a mapping from names to values")
        self._data: dict[str, Any] = data
        self._known: set[str] = set()

    def name(self, key: str = "") -> str:
        """File and path of a key, for messages."""
        path = ".".join(part for part in (self._path, key) if part)
        return f"{self._where}: {path}" if path else self._where

    def wrong(self, key: str, should: str) -> ConfigError:
        """The error that the value of ``key`` is not what it ``should`` be."""
        return ConfigError(f"{self.name(key)}: {quoted(self._data.get(key))} is not {should}")

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        self._known.add(key)
        return key in self._data

    def names(self) -> tuple[str, ...]:
        """All keys, in the order of the file."""
        return tuple(self._data)

    def value(self, key: str) -> Any:
        """The value as YAML gave it."""
        self._known.add(key)
        if key not in self._data:
            raise ConfigError(f"{self.name(key)}: missing")
        return self._data[key]

    def section(self, key: str) -> "Section":
        """The mapping under ``key``."""
        return Section(self._where, self.value(key), self.name(key)[len(self._where) + 2 :])

    def sections(self, key: str) -> list["Section"]:
        """The list of mappings under ``key``."""
        path = self.name(key)[len(self._where) + 2 :]
        return [Section(self._where, item, f"{path}[{i}]") for i, item in enumerate(self._list(key))]

    def number(
        self, key: str, lower: float = -inf, upper: float = inf, default: float | None = None
    ) -> float:
        """A finite number within ``lower`` and ``upper``, both included."""
        if default is not None and not self.has(key):
            return default
        return self._number(key, self.value(key), lower, upper)

    def numbers(self, key: str, count: int, lower: float = -inf, upper: float = inf) -> tuple[float, ...]:
        """A list of ``count`` finite numbers within ``lower`` and ``upper``."""
        values = self._list(key)
        if len(values) != count:
            raise self.wrong(key, f"a list of {count} numbers")
        return tuple(self._number(key, value, lower, upper) for value in values)

    def _number(self, key: str, value: object, lower: float, upper: float) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not isfinite(value):
            raise self.wrong(key, "a finite number")
        if not lower <= value <= upper:
            raise self.wrong(key, f"within {lower:g}..{upper:g}")
        return float(value)

    def text(self, key: str, choices: Iterable[str] | None = None, default: str | None = None) -> str:
        """A text, one of ``choices`` if given."""
        if default is not None and not self.has(key):
            return default
        value = self.value(key)
        if not isinstance(value, str):
            raise self.wrong(key, "a text")
        if choices is not None:
            self._check(key, value, choices)
        return value

    def texts(self, key: str, choices: Iterable[str]) -> tuple[str, ...]:
        """A list of different texts, each one of ``choices``."""
        values = self._list(key)
        for value in values:
            if not isinstance(value, str):
                raise self.wrong(key, "a list of texts")
            self._check(key, value, choices)
        if len(set(values)) < len(values):
            raise self.wrong(key, "free of repetition")
        return tuple(values)

    def flag(self, key: str) -> bool:
        """True or false; false if not there."""
        value = self.value(key) if self.has(key) else False
        if not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return value

    def _list(self, key: str) -> list[Any]:
        value = self.value(key)
        if not isinstance(value, list):
            raise self.wrong(key, "a list")
        return value

    def _check(self, key: str, value: str, choices: Iterable[str]) -> None:
        known = tuple(choices)
        if value not in known:
            raise ConfigError(f"{self.name(key)}: {unknown('value', value, known)}")

    def require(self, known: Iterable[str], all_of: bool = False) -> None:
        """Refuse keys that are not ``known``; with ``all_of``, refuse a mapping that lacks one of them."""
        names = tuple(known)
        for key in self._data:
            if key not in names:
                raise ConfigError(f"{self.name()}: {unknown('key', key, names)}")
        if all_of:
            for key in names:
                self.value(key)

    def close(self) -> None:
        """Refuse keys that were not read."""
        self.require(self._known)


def parse(text: str, where: str) -> Section:
    """The mapping at the top of YAML ``text``; ``where`` names the file in messages.

    Raises:
        ConfigError: not YAML, over a limit of ``safe_yaml``, a key given twice, or not a mapping.
    """
    try:
        data = safe_yaml.load(text)
    except ConfigError as error:
        raise ConfigError(f"{where}: cannot be read as YAML: {error}") from error
    return Section(where, data)
