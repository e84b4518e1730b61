# SPDX-License-Identifier: Apache-2.0
"""A simulated world that several links of this process share: each of their robots is stepped with all others."""

import threading
from collections.abc import Callable
from typing import Final

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.protocols.rcsssmj.commands import Init
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed_world import CYCLE, ManagedPlayer, ManagedWorld

PATIENCE: Final = 5.0  # s that a world waits for a robot that does not take its percept, as the server does
OWN: Final = "own"  # the name of a world that nobody else is in


class Seat:
    """The place of one link in a world. player: None until its robot has joined."""

    def __init__(self) -> None:
        self.player: ManagedPlayer | None = None
        self.percept: Percept | None = None  # not taken yet
        self.waiting = False  # for the next one


class SharedWorld:
    """Steps when each link waits for its next percept, so robots are in step whatever threads do.

    Args:
        rules: of the world.
        factor: simulated time per time of the clock; 0 as fast as all links read.
        clock: s.
    """

    def __init__(self, rules: str, factor: float, clock: Callable[[], float]) -> None:
        self.terms = (rules, factor)
        self._clock = clock
        self._period = CYCLE / factor if factor else 0.0
        self._condition = threading.Condition()
        self._world = ManagedWorld(rules)
        self._seats: list[Seat] = []
        self._due = 0.0
        self._stepped = clock()

    def enter(self, seat: Seat, init: Init) -> None:
        """Place the robot of a link; its first percept waits for it.

        Raises:
            CommandError, LinkError: see ``ManagedWorld.add``.
        """
        with self._condition:
            seat.player = self._world.add(init)
            seat.percept = seat.player.percept
            self._seats.append(seat)
            self._stepped = self._clock()
            self._due = self._stepped + self._period

    def leave(self, seat: Seat) -> bool:
        """Take the robot of a link out; returns whether others are still there."""
        with self._condition:
            if seat in self._seats:
                self._seats.remove(seat)
            if seat.player is not None:
                self._world.remove(seat.player)
            self._condition.notify_all()
            return bool(self._seats)

    def change(self, action: Callable[[ManagedWorld], None]) -> None:
        """Do something with the world, between two cycles."""
        with self._condition:
            action(self._world)

    def take(self, seat: Seat, timeout: float, over: Callable[[], bool]) -> Percept | None:
        """The next percept of a robot; None when there is none within ``timeout`` s, or when it is ``over()``."""
        with self._condition:
            end = self._clock() + timeout
            seat.waiting = True
            self._condition.notify_all()
            while seat.percept is None and not over():
                now = self._clock()
                if now >= end:
                    break
                wait = self._advance(now)
                if wait:
                    self._condition.wait(min(wait, end - now))
            seat.waiting = False
            percept, seat.percept = seat.percept, None
            return percept

    def wake(self) -> None:
        """Let links that wait look whether it is over."""
        with self._condition:
            self._condition.notify_all()

    def _advance(self, now: float) -> float:
        """Let a cycle pass if it is time; else return how long to wait, s."""
        ready = all(seat.waiting and seat.percept is None for seat in self._seats)
        if not ready and now < self._stepped + PATIENCE:
            return self._stepped + PATIENCE - now
        if now < self._due:
            return self._due - now
        self._world.step()
        self._stepped = self._clock()
        self._due = max(self._due + self._period, self._stepped)  # what was late for long is not caught up
        for seat in self._seats:
            seat.percept = seat.player.percept if seat.player is not None else None
        self._condition.notify_all()
        return 0.0


class Worlds:
    """The worlds of this process, by name; each is gone with its last link."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._worlds: dict[str, tuple[SharedWorld, int]] = {}

    def enter(self, name: str, rules: str, factor: float, clock: Callable[[], float]) -> SharedWorld:
        """The world of that name, a new one where there is none; ``OWN`` is always a new one.

        Raises:
            ConfigError: it is there, with other rules or another speed.
        """
        if name == OWN:
            return SharedWorld(rules, factor, clock)
        with self._lock:
            world, links = self._worlds.get(name) or (SharedWorld(rules, factor, clock), 0)
            if world.terms != (rules, factor):
                there = f"rules {world.terms[0]!r} and realtime_factor {world.terms[1]:g}"
                raise ConfigError(f"world {name!r} is there with {there}, not with {rules!r} and {factor:g}")
            self._worlds[name] = world, links + 1
            return world

    def leave(self, name: str) -> None:
        """A link has left the world of that name."""
        with self._lock:
            if name in self._worlds:
                world, links = self._worlds.pop(name)
                if links > 1:
                    self._worlds[name] = world, links - 1
