# SPDX-License-Identifier: Apache-2.0
"""The entities that a body sees, and remembers for a while when it looks elsewhere. In ``map``, m."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

from embodiment_bridge.core.rotation import Vector

DEFAULT_KEEP: Final = 10.0  # s; after that a rolling ball has stopped and players are elsewhere
DEFAULT_LIMIT: Final = 200  # things; a whole soccer game has 21 other players, 30 landmarks and a ball


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing in one picture.

    id: unique, and the same for the same thing in each picture. kind: ball, player, landmark, ...
    position: of its centre. size: extents along x, y, z; 0 where unknown.
    properties: further (name, value) pairs.
    """

    id: str
    kind: str
    position: Vector
    size: Vector = (0.0, 0.0, 0.0)
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """A sighting with its time: ``seen_s`` s of the body's clock, and ``stamp`` of the caller.

    visible: it is in the latest picture; otherwise it is remembered.
    """

    sighting: Sighting
    seen_s: float
    stamp: object
    visible: bool


class EntityMemory:
    """Remembers things for ``keep_s`` s after they were seen last, at most ``limit`` things.

    When there are more, those not seen for longest are forgotten first. When the clock goes back, the world is a
    new one, and everything but the latest picture is forgotten.
    """

    def __init__(self, keep_s: float = DEFAULT_KEEP, limit: int = DEFAULT_LIMIT) -> None:
        self._keep_s = keep_s
        self._limit = limit
        self._known: dict[str, Known] = {}  # those seen last come first

    def clear(self) -> None:
        """Forget everything."""
        self._known = {}

    def look(self, picture: Iterable[Sighting], now_s: float, stamp: object) -> list[Known]:
        """Add a new picture; return all known things, those seen last first."""
        known = {thing.id: Known(thing, now_s, stamp, True) for thing in islice(picture, self._limit)}
        for id_, old in self._known.items():
            if len(known) == self._limit:
                break
            if id_ not in known and 0.0 <= now_s - old.seen_s <= self._keep_s:
                known[id_] = replace(old, visible=False) if old.visible else old
        self._known = known
        return list(known.values())
