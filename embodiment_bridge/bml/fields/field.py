# SPDX-License-Identifier: Apache-2.0
"""The kinds of keys that a node type declares, parameters of skills among them.

How each is read, written, and described in the schema.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Final

from embodiment_bridge.bml.base.conditions import KEY, Condition, to_value
from embodiment_bridge.bml.base.limits import Limits
from embodiment_bridge.bml.base.problems import at
from embodiment_bridge.bml.fields.values import Raw, Reader, Values, blackboard_key, scalar

Object = dict[str, Any]
ABSENT: Final = object()
LIMITS: Final = Limits()
"""Those that the schema tells."""


@dataclass(frozen=True)
class Field:
    """Describes one key of a node type, here with any value.

    attribute: of the dataclass, where it has another name than the key.
    required: a node without it is an error. It is always written.
    default: what a node without it has, where that is not the default of the dataclass.
    aliases: keys that tolerant reading takes for it.
    """

    key: str
    meaning: str = ""
    _: KW_ONLY
    attribute: str = ""
    required: bool = False
    default: object = None
    aliases: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The attribute of the dataclass."""
        return self.attribute or self.key

    @property
    def may_be_absent(self) -> bool:
        """Whether the default, where there is one, is all that there is to do where the key is not there."""
        return not (type(self).absent is not Field.absent or self.required or self.aliases)

    def key_in(self, raw: Raw, pointer: str, values: Values) -> str | None:
        """Return the key that is present: its own name, or the first alias, which is noted."""
        if self.key in raw:
            return self.key
        for alias in self.aliases:
            if alias in raw:
                text = f"'{alias}' is read as '{self.key}'"
                values.problems.tolerated(at(pointer, alias), "ALIAS_KEY", text)
                return alias
        return None

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> object:
        """Return the value under ``key``, which is there; a usable one after noting that it is bad."""
        return raw[key]

    def absent(self, raw: Raw, pointer: str, values: Values) -> object:
        """Return the value where the key is not there; ABSENT: that of the dataclass."""
        if self.required:
            values.missing(raw, pointer, self.key)
            return ""
        return ABSENT if self.default is None else self.default

    def write(self, value: Any) -> object:
        """Return the value as JSON."""
        return value

    def schema(self) -> Object:
        """Return the schema of the value."""
        return {}

    def described(self) -> Object:
        """Return the schema with what the value means."""
        return {"description": self.meaning, **self.schema()} if self.meaning else self.schema()


@dataclass(frozen=True)
class Text(Field):
    """Reads a text of at most so many characters as the field ``longest`` of the limits says.

    With one at least if needed.
    """

    longest: str = "max_name"
    not_empty: bool = False

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> str:
        longest = getattr(values.limits, self.longest)
        return values.text(raw, pointer, key, longest, required=self.required or self.not_empty)

    def schema(self) -> Object:
        least = {"minLength": 1} if self.required or self.not_empty else {}
        return {"type": "string", **least, "maxLength": getattr(LIMITS, self.longest)}


@dataclass(frozen=True)
class Number(Field):
    """Reads a number from ``low`` to ``high``; a bad one becomes the default, unless that is None."""

    low: float = 0.0
    high: float = 1.0

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> float | None:
        return values.number(raw, pointer, key, self.low, self.high)

    def write(self, value: float) -> float | int:
        """Write a whole number without ``.0``, as people do."""
        return int(value) if float(value).is_integer() else value

    def schema(self) -> Object:
        return {"type": "number", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Seconds(Number):
    """Reads a time of at most ``max_duration_s``."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> float | None:
        return values.number(raw, pointer, key, self.low, values.limits.max_duration_s)

    def schema(self) -> Object:
        return {"type": "number", "minimum": self.low, "maximum": LIMITS.max_duration_s}


@dataclass(frozen=True)
class Duration(Seconds):
    """Reads the length of an execution in s where the node carries it itself: 0 if it is bad or missing."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> float:
        return super().read(raw, pointer, key, values) or 0.0


@dataclass(frozen=True)
class Volume(Number):
    """Reads a volume, in percent once it is read."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> float | None:
        return values.volume(raw, pointer, key)

    def schema(self) -> Object:
        return {"type": "number", "minimum": 0, "maximum": 100}


@dataclass(frozen=True)
class Count(Field):
    """Reads a number of executions; -1 is for ever."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> int:
        return values.count(raw, pointer, key)

    def schema(self) -> Object:
        return {"type": "integer", "minimum": -1, "maximum": LIMITS.max_loop, "not": {"const": 0}}


@dataclass(frozen=True)
class Flag(Field):
    """Reads true or false; 0, 1 and the words as text are tolerated."""

    default: bool = False

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> bool:
        return values.flag(raw, pointer, key, self.default)

    def schema(self) -> Object:
        return {"type": "boolean"}


@dataclass(frozen=True)
class Scalar(Field):
    """Reads a boolean, number, text or null."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> object:
        return scalar(raw[key], at(pointer, key), values)

    def schema(self) -> Object:
        return {"$ref": "#/$defs/scalar"}


@dataclass(frozen=True)
class BlackboardKey(Field):
    """Reads the name of a value on the blackboard."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> str:
        return blackboard_key(raw, pointer, values)

    def schema(self) -> Object:
        return {"type": "string", "pattern": f"^{KEY.pattern}$"}


@dataclass(frozen=True)
class ConditionField(Field):
    """Reads a condition over the blackboard."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> Condition | None:
        return Reader(values).read(raw[key], at(pointer, key))

    def write(self, value: Condition) -> object:
        return to_value(value)

    def schema(self) -> Object:
        return {"$ref": "#/$defs/condition"}


MAX_PARAMETERS: Final = 50
LARGEST: Final = 1e9  # largest number in a key


@dataclass(frozen=True)
class SkillParameters(Field):
    """Reads numbers in SI units, and texts, by name. The body says which a skill takes."""

    def read(self, raw: Raw, pointer: str, key: str, values: Values) -> dict[str, float | str]:
        given = raw[key]
        if not isinstance(given, dict):
            values.wrong_type(pointer, key, given, "an object of numbers and texts")
            return {}
        where = at(pointer, key)
        if len(given) > MAX_PARAMETERS:
            text = f"{len(given)} parameters, {MAX_PARAMETERS} is the limit"
            values.problems.error(where, "TOO_LONG", text)
            return {}
        return {name: value for name in given if (value := _value(given, where, name, values)) is not None}

    def write(self, value: dict[str, float | str]) -> Object:
        return {name: _plain(one) for name, one in value.items()}

    def schema(self) -> Object:
        number = {"type": "number", "minimum": -LARGEST, "maximum": LARGEST}
        text = {"type": "string", "maxLength": LIMITS.max_text}
        value = {"anyOf": [number, text]}
        return {"type": "object", "maxProperties": MAX_PARAMETERS, "additionalProperties": value}


def _value(given: Raw, pointer: str, name: str, values: Values) -> float | str | None:
    value = given[name]
    if isinstance(value, str):
        return values.text(given, pointer, name, values.limits.max_text)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        values.wrong_type(pointer, name, value, "a number or a text")
        return None
    return values.number(given, pointer, name, -LARGEST, LARGEST)


def _plain(value: float | str) -> float | int | str:
    return int(value) if isinstance(value, float) and value.is_integer() else value
