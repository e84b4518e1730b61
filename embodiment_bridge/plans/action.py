# SPDX-License-Identifier: Apache-2.0
"""Actions of a plan, and their parameters, which are matched by type and order because brains differ in the names."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.core.rotation import Vector

NUMBERS: Final = ("int", "float")
SIMPLE: Final = ("boolean", *NUMBERS, "string")
TYPES: Final = (*SIMPLE, "vector", "rotation", "entity")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an action. Its ``type`` says which field is used.

    value: text of a simple value, or id of an entity. vector: m in ``map``. rotation: roll, pitch, yaw in rad.
    entity_type: the brain's own type of the entity, such as ``object``.
    """

    type: str
    name: str = ""
    value: str = ""
    vector: Vector | None = None
    rotation: Vector | None = None
    entity_type: str = ""

    @property
    def number(self) -> float | None:
        """The text as a finite number, or None."""
        try:
            number = float(self.value)
        except ValueError:
            return None
        return number if isfinite(number) else None

    @property
    def readable(self) -> bool:
        """Whether it has a value of its type."""
        if self.type in NUMBERS:
            return self.number is not None
        if self.type in ("vector", "rotation"):
            triple = self.vector if self.type == "vector" else self.rotation
            return triple is not None and all(map(isfinite, triple))
        if self.type == "boolean":
            return self.value in ("true", "false")
        return self.type != "entity" or bool(self.value)


@dataclass(frozen=True, slots=True)
class Action:
    """One action: its place in the plan (from 1), its name in snake_case or camelCase, its parameters."""

    name: str
    sequence: int = 1
    parameters: tuple[Parameter, ...] = ()


def snake_case(name: str) -> str:
    """Convert ``sniffAt`` to ``sniff_at``; brains until 2011 wrote names in camelCase."""
    return _HUMP.sub(r"_\1", name.strip()).lower()


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter of an action, as the vocabulary names it."""

    name: str
    type: str
    mandatory: bool


Signature = tuple[Slot, ...]
"""The parameters of an action, in order."""


def bind(action: Action, signature: Signature) -> Mapping[str, Parameter]:
    """The parameters of an action, by their names in the vocabulary.

    Each parameter goes into the first free slot of its type, so parameters may be left out and may have any name.
    Parameters without a slot are ignored.

    Raises:
        CommandError: a mandatory parameter is missing or cannot be read; the text names it.
    """
    bound: dict[str, Parameter] = {}
    for given in action.parameters:
        slot = next((s for s in signature if s.name not in bound and _fits(given.type, s.type)), None)
        if slot is not None:
            bound[slot.name] = given
    for slot in signature:
        found = bound.get(slot.name)
        if found is None and slot.mandatory:
            raise CommandError(f"action {action.name!r} needs a parameter {slot.name!r} of type {slot.type}")
        if found is not None and not found.readable:
            value = repr(found.value[:40]) if found.type in SIMPLE else "nothing that can be read"
            raise CommandError(
                f"action {action.name!r}: parameter {slot.name!r} of type {slot.type} is {value}"
            )
    return bound


def _fits(given: str, wanted: str) -> bool:
    return given == wanted or (given in NUMBERS and wanted in NUMBERS)
