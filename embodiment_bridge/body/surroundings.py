# SPDX-License-Identifier: Apache-2.0
"""The fixed frames in which a body tells where it is, and the things that it knows around it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import cos, sin
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import wrap_angle


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

    @property
    def properties(self) -> tuple[tuple[str, str], ...]:
        """Further (name, value) pairs, such as the ``owner`` of what is in a hand."""


Things: TypeAlias = Callable[[], Mapping[str, Thing]]
"""The things that the body sees or remembers now, by id."""


def no_things() -> Mapping[str, Thing]:
    """For a body that sees nothing."""
    return {}


MAP = "map"


class Place(NamedTuple):
    """A place on the ground: m, and a heading in rad."""

    x: float
    y: float
    yaw: float


ORIGIN = Place(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class FixedFrames:
    """The frames of one body; names are without its prefix.

    base: frame of the base values of ``BodyState``.
    placed: where the origin of each other frame is in ``map``.
    shared: whether all bodies of this peer have the same ``map``, which then is also known without the prefix.
    """

    base: str = MAP
    placed: Mapping[str, Place] = field(default_factory=lambda: MappingProxyType({}))
    shared: bool = False

    def in_base(self, frame: str, prefix: str, place: Place) -> Place:
        """A place in ``frame`` (with the prefix; empty: the base frame) as one in the base frame.

        Raises:
            CommandError: there is no such frame, or it is not known yet where it is.
        """
        name = self._name(frame, prefix)
        if name == self.base:
            return place
        return _inverse(self._origin(self.base, prefix), _moved(self._origin(name, prefix), place))

    def _name(self, frame: str, prefix: str) -> str:
        if not frame:
            return self.base
        if frame == MAP and self.shared:
            return MAP
        if prefix and not frame.startswith(prefix):
            raise CommandError(unknown("frame", frame, self._names(prefix)))
        return frame.removeprefix(prefix)

    def _origin(self, name: str, prefix: str) -> Place:
        if name == MAP:
            return ORIGIN
        if name not in self.placed:
            raise CommandError(unknown("frame", prefix + name, self._names(prefix)))
        return self.placed[name]

    def _names(self, prefix: str) -> list[str]:
        names = {prefix + name for name in (MAP, self.base, *self.placed)}
        return sorted(names | {MAP} if self.shared else names)


def _moved(origin: Place, place: Place) -> Place:
    """A place in a frame, in the frame in which the origin of that frame is given."""
    c, s = cos(origin.yaw), sin(origin.yaw)
    return Place(
        origin.x + c * place.x - s * place.y,
        origin.y + s * place.x + c * place.y,
        wrap_angle(origin.yaw + place.yaw),
    )


def _inverse(origin: Place, place: Place) -> Place:
    """The opposite of ``_moved``."""
    c, s = cos(origin.yaw), sin(origin.yaw)
    x, y = place.x - origin.x, place.y - origin.y
    return Place(c * x + s * y, c * y - s * x, wrap_angle(place.yaw - origin.yaw))
