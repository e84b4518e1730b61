# SPDX-License-Identifier: Apache-2.0
"""The agent port of the stand-in: a robot for each connection that asks for one."""

from collections.abc import Iterator
from random import Random
from typing import Protocol

from typing_extensions import override

from embodiment_bridge.standins.simspark.faults import Faults
from embodiment_bridge.standins.simspark.orders import Orders
from embodiment_bridge.standins.simspark.percepts import Perceptors
from embodiment_bridge.standins.simspark.world import World

SYNC_AFTER = 5  # percepts after which a server in sync mode waits for agents


class Conversation(Protocol):
    """The conversation with one client of a port."""

    def hear(self, payload: bytes) -> None:
        """Handle a frame of the client."""

    def message(self) -> str:
        """The message of this cycle to the client; empty if there is none."""

    def waits(self) -> bool:
        """Whether a world in sync mode has to wait, because this client has not answered yet."""

    def leave(self) -> None:
        """Handle the end of the connection."""


class AgentConversation(Conversation):
    """The conversation with a player. A robot that was killed gets its last percept again and again."""

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

    @override
    def hear(self, payload: bytes) -> None:
        self._orders.obey(payload)
        self._answered = self._answered or self._orders.synced

    @override
    def message(self) -> str:
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

    @override
    def waits(self) -> bool:
        player = self._orders.player
        return player is not None and not player.frozen and self._count >= SYNC_AFTER and not self._answered

    @override
    def leave(self) -> None:
        if self._orders.player is not None:
            self._world.remove(self._orders.player)


class Recorded(Conversation):
    """A recorded stream. It starts with the first frame of the client, and repeats its last message at the end."""

    def __init__(self, messages: tuple[str, ...], faults: Faults, random: Random, *, at_once: bool) -> None:
        self._messages: Iterator[str] = iter(messages)
        self._faults = faults
        self._random = random
        self._begun = at_once
        self._last = ""

    @override
    def hear(self, payload: bytes) -> None:
        self._begun = True

    @override
    def message(self) -> str:
        if not self._begun:
            return ""
        self._last = next(self._messages, self._last)
        return self._faults.spoil(self._last, self._random)

    @override
    def waits(self) -> bool:
        return False

    @override
    def leave(self) -> None:
        pass
