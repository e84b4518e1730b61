# SPDX-License-Identifier: Apache-2.0
"""A parameter as data; nodes and protocols declare their parameters with it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a node or of a protocol: the default gives the type, the description names the unit."""

    name: str
    default: bool | int | float | str | list[str]
    description: str
    lower: float | None = None
    upper: float | None = None
    choices: tuple[str, ...] = ()
    fixed: bool = True  # read when the node is configured; a later change is refused
