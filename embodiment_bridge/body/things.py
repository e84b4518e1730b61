# SPDX-License-Identifier: Apache-2.0
"""The things that a body knows around it, as far as skills go to them."""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias


class Thing(Protocol):
    """A thing that the body knows: ``position`` of its centre and ``size`` (0: unknown) along the axes of map, m."""

    @property
    def kind(self) -> str:
        """Ball, player, wall, ..."""

    @property
    def position(self) -> tuple[float, float, float]:
        """Its centre."""

    @property
    def size(self) -> tuple[float, float, float]:
        """Its extents."""


Things: TypeAlias = Callable[[], Mapping[str, Thing]]
"""The things that the body sees or remembers now, by id."""


def no_things() -> Mapping[str, Thing]:
    """For a body that sees nothing."""
    return {}
