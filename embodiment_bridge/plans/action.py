# SPDX-License-Identifier: Apache-2.0
"""One action of a plan, with the names that the brain gave."""

import re
from dataclasses import dataclass
from math import isfinite
from typing import Final

from embodiment_bridge.core.rotation import Vector

SIMPLE: Final = ("boolean", "int", "float", "string")
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


@dataclass(frozen=True, slots=True)
class Action:
    """One action: its place in the plan (from 1), its name in snake_case or camelCase, its parameters."""

    name: str
    sequence: int = 1
    parameters: tuple[Parameter, ...] = ()


def snake_case(name: str) -> str:
    """Convert ``sniffAt`` to ``sniff_at``; brains until 2011 wrote names in camelCase."""
    return _HUMP.sub(r"_\1", name.strip()).lower()
