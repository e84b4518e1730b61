# SPDX-License-Identifier: Apache-2.0
"""A parameter as data; nodes and protocols declare their parameters with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

ParameterValues: TypeAlias = Mapping[str, bool | int | float | str]
"""Values of parameters by name, as a protocol gets them."""

NodeValues: TypeAlias = Mapping[str, Any]
"""Values of parameters by name, as a node gets them: each has the type of its parameter's default."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a node or a protocol: its default gives the type; the description names the unit."""

    name: str
    default: bool | int | float | str | list[str]
    description: str
    lower: float | None = None
    upper: float | None = None
    choices: tuple[str, ...] = ()
    fixed: bool = True  # read when the node is configured; a later change is refused
    safety: bool = False  # a limit that protects a robot or people: a name that is nearly this one is refused
