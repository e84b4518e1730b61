# SPDX-License-Identifier: Apache-2.0
"""Follows one thing that a camera sees with noise, and sometimes takes for another or sees where it is not.

A sighting is evidence. Several guesses of where the thing is are kept, each a filter for steady speed; the one that the
last pictures agree with is believed. In m and s of the body's clock.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import dist, sqrt
from typing import Final

from embodiment_bridge.core.rotation import Vector

WINDOW: Final = 0b11111  # the last pictures that are counted, one bit each
ENOUGH: Final = 3  # of them, in which a guess was seen, to be believed: two may be one mistake made twice
GATE: Final = 4.0  # sigmas that a sighting may be off a guess and still be of it
WIDEST: Final = 0.25  # m, of one sigma, after any time unseen: beyond GATE of it is another guess
FASTEST: Final = 3.0  # m/s, one sigma of the speed of a new guess of a thing that moves
LOST: Final = 0.5  # s after which nothing is known of the speed of what moves
MOST: Final = 8  # guesses of one thing


@dataclass(slots=True, eq=False)
class Guess:
    """Holds a place where the thing may be, filtered for steady speed.

    variance: of the place (m2), of place and speed (m2/s), of the speed (m2/s2), the same along each axis.
    seen: the last pictures, a bit each, the latest is the lowest: whether it was seen.
    """

    place: Vector
    time: float
    variance: tuple[float, float, float]
    speed: Vector = (0.0, 0.0, 0.0)
    seen: int = 1

    @property
    def spread(self) -> float:
        """The uncertainty of the place, m, one sigma along an axis."""
        return sqrt(self.variance[0])

    def _ahead(self, time: float, restless: float) -> tuple[Vector, tuple[float, float, float]]:
        """Return the place and the variances at a time; restless: m/s2, one sigma of what may speed it up."""
        dt = time - self.time
        pp, pv, vv = self.variance
        if dt > LOST and restless:
            return self.place, (pp + (FASTEST * dt) ** 2, 0.0, FASTEST**2)
        push = (restless * dt) ** 2
        x, y, z = (a + dt * b for a, b in zip(self.place, self.speed, strict=True))
        more = pp + 2.0 * dt * pv + dt * dt * vv + 0.25 * push * dt * dt
        return (x, y, z), (more, pv + dt * vv + 0.5 * push * dt, vv + push)

    def off(self, place: Vector, noise: float, time: float, restless: float) -> float:
        """Return by how many sigmas a sighting is off; noise: m2 along an axis."""
        there, (variance, *_) = self._ahead(time, restless)
        return dist(there, place) / sqrt(min(variance, WIDEST**2) + noise)

    def take(self, place: Vector, noise: float, time: float, restless: float) -> None:
        """Correct the guess by a sighting."""
        there, (pp, pv, vv) = self._ahead(time, restless)
        share, push = pp / (pp + noise), pv / (pp + noise)
        errors = [a - b for a, b in zip(place, there, strict=True)]
        x, y, z = (a + share * error for a, error in zip(there, errors, strict=True))
        u, v, w = (a + push * error for a, error in zip(self.speed, errors, strict=True))
        self.place, self.speed, self.time = (x, y, z), (u, v, w), time
        self.variance = ((1.0 - share) * pp, (1.0 - share) * pv, vv - push * pv)
        self.seen |= 1


class Track:
    """Holds the guesses of one thing; ``moves``: whether it may be elsewhere in the next picture."""

    def __init__(self, *, moves: bool) -> None:
        self._restless = 2.0 if moves else 0.0  # m/s2; a ball that is kicked is another guess
        self._first = FASTEST**2 if moves else 0.0
        self._guesses: list[Guess] = []
        self._believed: Guess | None = None

    def look(self, sightings: Iterable[tuple[Vector, float]], time: float) -> Guess | None:
        """Return the guess that is believed, if this picture shows it.

        Args:
            sightings: places in one picture with their noise (m2 along an axis); none of them may be of the thing.
            time: of the picture; it does not go back.
        """
        for guess in self._guesses:
            guess.seen = (guess.seen << 1) & WINDOW
        for place, noise in sightings:
            self._sort(place, noise, time)
        self._guesses.sort(key=_support, reverse=True)
        best = self._guesses[0] if self._guesses else None
        if best is not None and _support(best) >= ENOUGH:
            rivals = self._believed is None or _support(best) > _support(self._believed)
            self._believed = best if rivals else self._believed
        believed = self._believed
        others = [one for one in self._guesses[:MOST] if one.seen and one is not believed]
        self._guesses = others if believed is None else [believed, *others]
        return believed if believed is not None and believed.seen & 1 else None

    @property
    def idle(self) -> bool:
        """Whether none of the last pictures had anything of it."""
        return not any(guess.seen for guess in self._guesses)

    def _sort(self, place: Vector, noise: float, time: float) -> None:
        """Give a sighting to the guess that it is nearest to, or make it a guess of its own."""
        free: Sequence[Guess] = [one for one in self._guesses if not one.seen & 1]
        best = min(free, key=lambda one: one.off(place, noise, time, self._restless), default=None)
        if best is not None and best.off(place, noise, time, self._restless) <= GATE:
            best.take(place, noise, time, self._restless)
        else:
            self._guesses.append(Guess(place, time, (noise, 0.0, self._first)))


def _support(guess: Guess) -> int:
    """Return in how many of the last pictures it was seen."""
    return guess.seen.bit_count()
