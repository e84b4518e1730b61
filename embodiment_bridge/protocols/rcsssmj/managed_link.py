# SPDX-License-Identifier: Apache-2.0
"""The simulator in this process as a link of a session: reading steps it, so it goes as fast as it is read."""

import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeAlias

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, LinkError
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
from embodiment_bridge.protocols.rcsssmj.managed_world import ManagedPlayer, ManagedWorld, require_rcsssmj
from embodiment_bridge.protocols.rcsssmj.shared_world import OWN, Seat, Worlds

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
    """What opens links for a session with these parameters of the protocol: see ``managed`` of ``ProtocolSpec``.

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
