# SPDX-License-Identifier: Apache-2.0
"""What a body saw, and remembers for a while when it looks elsewhere. In ``map``, metres."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from embodiment_bridge.core.rotation import Vector

DEFAULT_KEEP: Final = 10.0  # s; a rolling ball has stopped by then, and players are somewhere else
DEFAULT_LIMIT: Final = 200  # things; a whole soccer game has 21 other players, 30 landmarks and a ball


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing in one picture.

    id: the same for the same thing each time, and of one thing only. kind: ball, player, landmark, ...
    position: of its middle. size: extents along x, y, z; 0 where unknown.
    properties: what else is known, by name.
    """

    id: str
    kind: str
    position: Vector
    size: Vector = (0.0, 0.0, 0.0)
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """A sighting and when it was: ``seen_s`` s of the body's clock, ``stamp`` whatever the caller stamps with.

    visible: it is in the latest picture; else it is remembered.
    """

    sighting: Sighting
    seen_s: float
    stamp: Any
    visible: bool


class EntityMemory:
    """Keeps what is not seen any more for ``keep_s`` s, and never more than ``limit`` things.

    When there are more, the ones not seen for longest are forgotten first. A clock that goes backwards is that of
    another world: all but the latest picture is forgotten.
    """

    def __init__(self, keep_s: float = DEFAULT_KEEP, limit: int = DEFAULT_LIMIT) -> None:
        self._keep_s = keep_s
        self._limit = limit
        self._known: dict[str, Known] = {}  # those seen last come first

    def clear(self) -> None:
        """Forget everything."""
        self._known = {}

    def look(self, picture: Iterable[Sighting], now_s: float, stamp: Any) -> list[Known]:
        """Take in a new picture; return all that is known after it, what was seen last first."""
        known = {thing.id: Known(thing, now_s, stamp, True) for thing in islice(picture, self._limit)}
        for id_, old in self._known.items():
            if len(known) == self._limit:
                break
            if id_ not in known and 0.0 <= now_s - old.seen_s <= self._keep_s:
                known[id_] = replace(old, visible=False) if old.visible else old
        self._known = known
        return list(known.values())
