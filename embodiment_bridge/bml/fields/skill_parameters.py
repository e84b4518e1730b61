# SPDX-License-Identifier: Apache-2.0
"""The key with the parameters of a skill: numbers and texts by name."""

from dataclasses import dataclass
from typing import Final

from embodiment_bridge.bml.base.pointer import at
from embodiment_bridge.bml.fields.field import LIMITS, Field, Object
from embodiment_bridge.bml.fields.values import Raw, Values

MAX_PARAMETERS: Final = 50
LARGEST: Final = 1e9  # of a number


@dataclass(frozen=True)
class SkillParameters(Field):
    """Numbers in SI units, and texts, by name. The body says which a skill takes."""

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
