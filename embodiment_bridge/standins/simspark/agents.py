# SPDX-License-Identifier: Apache-2.0
"""The agent port of the stand-in: a robot for each connection that asks for one."""

from collections.abc import Iterator
from random import Random
from typing import Protocol

from embodiment_bridge.standins.simspark.faults import Faults
from embodiment_bridge.standins.simspark.orders import Orders
from embodiment_bridge.standins.simspark.percepts import Perceptors
from embodiment_bridge.standins.simspark.world import World

SYNC_AFTER = 5  # percepts, after which a server in sync mode waits for agents


class Conversation(Protocol):
    """What one client of a port says and hears."""

    def hear(self, payload: bytes) -> None:
        """Take a frame of the client's."""

    def message(self) -> str:
        """What this cycle has for it; empty when nothing."""

    def waits(self) -> bool:
        """Whether a world in sync mode must not go on yet, for this client has not answered."""

    def leave(self) -> None:
        """The client is gone."""


class AgentConversation:
    """A player, from its scene on."""

    def __init__(self, world: World, faults: Faults, random: Random, *, true_pose: bool) -> None:
        self._world = world
        self._faults = faults
        self._random = random
        self._true_pose = true_pose
        self._orders = Orders(world)
        self._perceptors: Perceptors | None = None
        self._last = ""
        self._count = 0
        self._answered = False

    def hear(self, payload: bytes) -> None:
        """See ``Conversation``."""
        self._orders.obey(payload)
        self._answered = self._answered or self._orders.synced

    def message(self) -> str:
        """See ``Conversation``: a percept per cycle; of a robot that was killed the last one, again and again."""
        player = self._orders.player
        if player is None:
            return ""
        if not player.frozen:
            if self._perceptors is None:
                self._perceptors = Perceptors(self._world, player, true_pose=self._true_pose)
            self._last = self._perceptors.percept()
            self._orders.ready = True
        self._count += 1
        self._answered = False
        return self._faults.spoil(self._last, self._random)

    def waits(self) -> bool:
        """See ``Conversation``."""
        player = self._orders.player
        return player is not None and not player.frozen and self._count >= SYNC_AFTER and not self._answered

    def leave(self) -> None:
        """See ``Conversation``: the robot leaves the world."""
        if self._orders.player is not None:
            self._world.remove(self._orders.player)


class Recorded:
    """A conversation that was recorded: what the client says does not matter once it has said something."""

    def __init__(self, messages: tuple[str, ...], faults: Faults, random: Random, *, at_once: bool) -> None:
        self._messages: Iterator[str] = iter(messages)
        self._faults = faults
        self._random = random
        self._begun = at_once
        self._last = ""

    def hear(self, payload: bytes) -> None:
        """See ``Conversation``."""
        self._begun = True

    def message(self) -> str:
        """See ``Conversation``: the next message; after the last one that, again and again."""
        if not self._begun:
            return ""
        self._last = next(self._messages, self._last)
        return self._faults.spoil(self._last, self._random)

    def waits(self) -> bool:
        """See ``Conversation``."""
        return False

    def leave(self) -> None:
        """See ``Conversation``."""
