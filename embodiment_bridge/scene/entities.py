# SPDX-License-Identifier: Apache-2.0
"""The entities that a body sees, and remembers when it looks elsewhere. In ``map``, m."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from math import dist
from typing import Final, TypeAlias

from embodiment_bridge.core.properties import FORGOTTEN
from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.scene.tracking import Track

DEFAULT_KEEP: Final = 86400.0  # s; things are forgotten by looking, a day only bounds what is kept
GONE_AFTER: Final = 3  # pictures in a row that show the place of a thing without the thing
GONE_IN_DOUBT: Final = 25  # of a camera that misses things, and does not see through others
LANDMARK: Final = "landmark"  # the kind of what stands for ever
# s between pictures that are looked at while nobody asks; a look takes as long as a step of motion
IDLE_S: Final = 0.2
DEFAULT_LIMIT: Final = 200  # things; a whole soccer game has 21 other players, 30 landmarks and a ball


@dataclass(frozen=True, slots=True)
class Sighting:
    """One thing in one picture.

    id: unique, and the same for the same thing in each picture. kind: ball, player, landmark, ...
    position: of its centre. size: extents along x, y, z; 0 where unknown.
    properties: further (name, value) pairs.
    spread: one sigma along an axis by which the position may be off; 0: it is exact, and there is such a thing.
    """

    id: str
    kind: str
    position: Vector
    size: Vector = (0.0, 0.0, 0.0)
    properties: tuple[tuple[str, str], ...] = ()
    spread: float = 0.0


@dataclass(frozen=True, slots=True)
class Known:
    """A sighting with its time: ``seen_s`` s of the body's clock, and ``stamp`` of the caller.

    visible: it is in the latest picture; otherwise it is remembered.
    """

    sighting: Sighting
    seen_s: float
    stamp: object
    visible: bool

    @property
    def kind(self) -> str:
        """The kind of the entity."""
        return self.sighting.kind

    @property
    def position(self) -> Vector:
        """The place where it was seen, m."""
        return self.sighting.position

    @property
    def size(self) -> Vector:
        """Its size, m."""
        return self.sighting.size

    @property
    def properties(self) -> tuple[tuple[str, str], ...]:
        """Its further properties."""
        return self.sighting.properties


Derived: TypeAlias = Callable[[Mapping[str, Known]], Iterable[Known]]
"""Makes further things of those that are known, such as a goal of its posts."""


def nothing(_: Mapping[str, Known]) -> Iterable[Known]:
    """No further things."""
    return ()


class EntityMemory:
    """Remembers things that are out of view, until their place is seen and they are not there.

    A thing is also forgotten ``keep_s`` s after it was seen last, and when there are more than ``limit``, those not
    seen for longest: it may still be there. ``forgotten`` has those of the latest picture, with the property FORGOTTEN.
    When the clock goes back, the world is a new one, and everything but the latest picture is gone.

    Of things that are seen with noise (``spread``) it knows what several pictures agree on, see ``tracking``.

    ``derived`` is asked after each picture for further things, which are known as long as it makes them.
    """

    def __init__(
        self, keep_s: float = DEFAULT_KEEP, limit: int = DEFAULT_LIMIT, derived: Derived = nothing
    ) -> None:
        self._keep_s = keep_s
        self._limit = limit
        self._known: dict[str, Known] = {}  # those seen last come first
        self._derived = derived
        self._further: dict[str, Known] = {}
        self.forgotten: list[Known] = []
        self._missed: dict[str, int] = {}  # pictures in a row in which a thing should be and is not
        self._tracks: dict[str, Track] = {}  # of the things that are seen with noise
        self._asked = True
        self._looked = float("nan")  # s of the body's clock

    @property
    def sightings(self) -> Mapping[str, Sighting]:
        """All known things by id."""
        return {id_: known.sighting for id_, known in self.things.items()}

    @property
    def things(self) -> Mapping[str, Known]:
        """All known things by id, with what is known of them; who asks has the next picture looked at."""
        self._asked = True
        return self._known | self._further

    def clear(self) -> None:
        """Forget everything."""
        self._known, self._missed, self._further, self.forgotten = {}, {}, {}, []
        self._tracks = {}
        self._looked = float("nan")

    def due(self, now_s: float, wanted: bool) -> bool:
        """Whether to look at a picture: at each while things are wanted, otherwise five times a second."""
        asked, self._asked = self._asked, False
        return wanted or asked or not 0.0 <= now_s - self._looked < IDLE_S

    def blind(self) -> None:
        """A picture came that cannot be placed: nothing is in view now as far as this knows."""
        if any(known.visible for known in self._known.values()):
            self._keep({id_: replace(known, visible=False) for id_, known in self._known.items()})

    def look(
        self,
        picture: Iterable[Sighting],
        now_s: float,
        stamp: object,
        covers: Callable[[Vector], bool] | None = None,
    ) -> list[Known]:
        """Add a new picture; return all known things, those seen last first.

        Args:
            picture: the things in it.
            now_s: time on the body's clock, s.
            stamp: the caller's time.
            covers: whether a thing at a place in ``map`` would be in the picture; None: unknown, so that only time
                and number forget.
        """
        if now_s < self._looked:
            self._tracks = {}
        self._looked = now_s
        things = self._believed(islice(picture, self._limit), now_s)
        known = {thing.id: Known(thing, now_s, stamp, True) for thing in things}
        missed: dict[str, int] = {}
        self.forgotten = []
        for id_, old in self._known.items():
            age = now_s - old.seen_s
            if id_ in known or not age >= 0.0:
                continue
            if covers is not None and covers(old.sighting.position):
                missed[id_] = self._missed.get(id_, 0) + 1
            if missed.get(id_, 0) >= (GONE_IN_DOUBT if old.sighting.spread else GONE_AFTER):
                continue
            if age > self._keep_s or len(known) >= self._limit:
                self.forgotten.append(_forgotten(old))
            else:
                known[id_] = replace(old, visible=False) if old.visible else old
        self._missed = missed
        self._tracks = {id_: one for id_, one in self._tracks.items() if id_ in known or not one.idle}
        self._keep(known)
        return [*known.values(), *self._further.values()]

    def _believed(self, picture: Iterable[Sighting], now_s: float) -> Iterator[Sighting]:
        """The things of a picture; of those that are seen with noise, what is believed of them."""
        doubtful: dict[str, list[Sighting]] = {id_: [] for id_ in self._tracks}
        for thing in picture:
            if thing.spread:
                doubtful.setdefault(thing.id, []).append(thing)
            else:
                yield thing
        for id_, seen in doubtful.items():
            track = self._tracks.get(id_) or Track(moves=seen[0].kind != LANDMARK)
            self._tracks[id_] = track
            guess = track.look([(thing.position, thing.spread**2) for thing in seen], now_s)
            if guess is not None:
                thing = min(seen, key=lambda one: dist(one.position, guess.place))
                properties = (*thing.properties, ("spread", f"{guess.spread:.2f}"))
                yield replace(thing, position=guess.place, spread=guess.spread, properties=properties)

    def _keep(self, known: dict[str, Known]) -> None:
        self._known = known
        self._further = {thing.sighting.id: thing for thing in self._derived(known)}


def _forgotten(known: Known) -> Known:
    thing = known.sighting
    return replace(known, sighting=replace(thing, properties=(*thing.properties, FORGOTTEN)), visible=False)
