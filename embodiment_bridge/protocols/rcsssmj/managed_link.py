# SPDX-License-Identifier: Apache-2.0
"""The simulator in this process as the link of a session: reading steps it, and several links may share one world."""

import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.link.event_link import Counters, EventLink
from embodiment_bridge.protocols.rcsssmj.commands import (
    Action,
    Frame,
    Init,
    Order,
    PlaceBall,
    PlacePlayer,
    Reset,
)
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed_world import (
    CYCLE,
    ManagedPlayer,
    ManagedWorld,
    require_rcsssmj,
)

# A simulated world that several links of this process share: each of their robots is stepped with all others.

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


PEER: Final = "managed://rcsssmj"
Command: TypeAlias = Init | Action | Frame | Order
WORLDS: Final = Worlds()  # those of this process


class ManagedLink(EventLink[Percept, Command]):
    """Each read lets a cycle of the simulation pass; commands take effect in the next one.

    Nothing comes before ``Init``, with which the robot joins; it leaves when the link is closed. A world is new for
    its first link and gone with the last.

    Args:
        counters: of the session.
        clock: s, of the session.
        factor: simulated time per time of the clock; 0 as fast as it is read.
        rules: of the world.
        world: its name; ``own``: no other link is in it.
    """

    peer = PEER
    silent = ""

    def __init__(
        self,
        counters: Counters,
        clock: Callable[[], float],
        factor: float,
        rules: str = "ssim",
        world: str = OWN,
    ) -> None:
        self.arrived = clock()
        self._counters = counters
        self._clock = clock
        self._closed = threading.Event()
        self._name = world
        self._world = WORLDS.enter(world, rules, factor, clock)
        self._seat = Seat()

    @override
    def read(self, timeout: float) -> list[Percept]:
        if self._seat.player is None:
            self._closed.wait(timeout)
        percept = None
        if self._seat.player is not None:
            percept = self._world.take(self._seat, timeout, self._closed.is_set)
        if self._closed.is_set():
            raise LinkError(f"{self.peer}: closed")
        if percept is None:
            return []
        self.arrived = self._clock()
        return [percept]

    @override
    def write(self, commands: Iterable[Command]) -> bool:
        return sum(self._take(command) for command in commands) > 0

    @override
    def close(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            self._world.leave(self._seat)
            WORLDS.leave(self._name)

    def _take(self, command: Command) -> bool:
        seat, world = self._seat, self._world
        try:
            if isinstance(command, Init):
                world.enter(seat, command)
            elif seat.player is None:
                raise CommandError(f"{type(command).__name__}: no robot has joined")
            elif isinstance(command, PlaceBall):
                world.change(lambda it: it.place_ball(command.position, command.velocity))
            elif isinstance(command, PlacePlayer):
                order = (command.team, command.number, command.position, command.turn)
                world.change(lambda it: it.place_player(*order))
            elif isinstance(command, Reset):
                world.change(lambda it: it.reset())
            else:
                world.change(partial(_apply, seat.player, command))
        except CommandError as error:
            self._counters.refuse(error)
            return False
        return True


def _apply(player: ManagedPlayer, command: Action | Frame, _: ManagedWorld) -> None:
    player.apply(command)


def make_opener(values: ParameterValues) -> Callable[[Counters, Callable[[], float]], ManagedLink]:
    """Return a function that opens links for a session with these parameters: see ``managed`` of ``ProtocolSpec``.

    Raises:
        ConfigError: rcsssmj is not installed.
    """
    require_rcsssmj()
    factor, rules, world = (
        float(values["realtime_factor"]),
        str(values.get("rules", "ssim")),
        str(values.get("world", OWN)),
    )
    return partial(_open, factor, rules, world)


def _open(
    factor: float, rules: str, world: str, counters: Counters, clock: Callable[[], float]
) -> ManagedLink:
    return ManagedLink(counters, clock, factor, rules, world)
