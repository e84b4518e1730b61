# SPDX-License-Identifier: Apache-2.0
"""Holds: of all skills or of some sources, and the rate at which time passes for each."""

from collections.abc import Collection, Iterable

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.gait.walk import near

HOLD_S = 0.2  # s in which a hold slows a motion down to rest, and its end speeds it up again
SOURCE_LIMIT = 100  # sources that can be held at once
LONGEST_SOURCE = 1000  # characters of the name of a source


class Holds:
    """Holds skills by source: ``ask`` for a hold or its end; ``step`` changes the rates smoothly.

    A source is the name given with a skill (``SkillRequest.source``); the empty name means all sources.
    """

    def __init__(self) -> None:
        self.all = False
        self.rate = 1.0  # for skills without a source, 0 (held) to 1
        self._rates: dict[str, float] = {}  # rate by source, if it is held or still speeds up
        self._held: set[str] = set()

    def ask(self, on: bool, source: str, active: Iterable[str]) -> None:
        """Hold the skills of ``source`` (empty: all skills), or end the hold.

        active: sources that have skills now. When there are too many holds, those of other sources may be forgotten.

        Raises:
            CommandError: too many sources with skills are held, or the name is too long.
        """
        if not source:
            self.all = on
        elif not on:
            self._held.discard(source)
        elif source not in self._held:
            running = set(active)
            self._make_room(source, running)
            self._held.add(source)
            self._rates.setdefault(source, 1.0 if source in running else 0.0)  # later skills start at rest

    @property
    def any(self) -> bool:
        """Whether something is to be still."""
        return self.all or bool(self._held)

    def holds(self, source: str) -> bool:
        """Return whether skills of this source are to be still."""
        return self.all or source in self._held

    def rate_of(self, source: str) -> float:
        """Return the rate at which time passes for skills of this source, 0..1."""
        return min(self.rate, self._rates.get(source, self.rate))

    def step(self, dt: float) -> None:
        """Let ``dt`` s pass."""
        self.rate = _after(dt, self.rate, held=self.all)
        for source, rate in tuple(self._rates.items()):
            held = source in self._held
            self._rates[source] = _after(dt, rate, held=held)
            if not held and self._rates[source] >= 1.0:
                del self._rates[source]

    def _make_room(self, source: str, active: Collection[str]) -> None:
        if len(source) > LONGEST_SOURCE:
            raise CommandError(
                f"the name of a source has at most {LONGEST_SOURCE} characters, not {len(source)}"
            )
        if len(self._held) < SOURCE_LIMIT:
            return
        for idle in self._held - set(active):
            self._held.discard(idle)
            self._rates.pop(idle, None)
        if len(self._held) >= SOURCE_LIMIT:
            raise CommandError(f"{len(self._held)} sources with skills are held already")


def _after(dt: float, rate: float, *, held: bool) -> float:
    """Return a rate when ``dt`` s have passed."""
    return near(rate, 0.0 if held else 1.0, dt / HOLD_S)
