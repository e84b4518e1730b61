# SPDX-License-Identifier: Apache-2.0
"""The agent port of the stand-in.

A robot for each connection that asks for one, its commands, and faults on request.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from typing_extensions import override

from embodiment_bridge.standins.simspark.percepts import Perceptors
from embodiment_bridge.standins.simspark.player import Player
from embodiment_bridge.standins.simspark.world import World
from embodiment_bridge.wire.sexpr import Node, SexprError, parse

# Commands of a player. As in rcssserver3d, unknown commands are ignored silently.

MAX_LISTS = 200  # of one frame; a frame for a Nao with everything has 28


class Orders:
    """Carries out the frames of one connection.

    player: set when an existing scene was requested. synced: the last frame had a ``(syn)``.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.player: Player | None = None
        self.synced = False
        self.ready = False  # whether the first percept was sent; the init effector exists from then on

    def obey(self, payload: bytes) -> None:
        """Carry out a frame."""
        self.synced = False
        try:
            lists = parse(payload.rstrip(b"\0"))
        except SexprError:
            return
        for item in lists[:MAX_LISTS]:
            if isinstance(item, list) and item and isinstance(item[0], str):
                self._do(item[0], item[1:])

    def _do(self, name: str, rest: Sequence[Node]) -> None:
        words = [word for word in rest if isinstance(word, str)]
        player = self.player
        if name == "syn":
            self.synced = True
        elif name == "scene":
            if player is None:
                self.player = self._world.add(" ".join(words))
        elif player is None or player.frozen:
            return
        elif name == "init":
            if self.ready:
                fields = {
                    str(field[0]): field[1] for field in rest if isinstance(field, list) and len(field) == 2
                }
                number = _whole(fields.get("unum", "0"))
                team = fields.get("teamname", "")
                if number is not None and isinstance(team, str):
                    self._world.join(player, team, number)
        elif name == "beam":
            numbers = _numbers(words)
            if len(numbers) == 3:
                self._world.beam(player, *numbers)
        elif name == "say":
            if len(words) == 1:
                self._world.say(player, words[0])
        elif len(numbers := _numbers(words)) == 1:
            player.drive(name, numbers[0])


def _numbers(words: Sequence[str]) -> list[float]:
    """The words as numbers; empty if one is not a number."""
    try:
        return [float(word) for word in words]
    except ValueError:
        return []


def _whole(value: Node) -> int | None:
    try:
        return int(value) if isinstance(value, str) and len(value) < 10 else None
    except ValueError:
        return None


# Faults of a server on request, for testing clients.

_NUMBER = re.compile(
    r"(?<=\(ax )[-0-9.]+(?=\))|(?<=\(rt )[-0-9.]+|(?<=\(a )[-0-9.]+|(?<=\(pol )[-0-9.]+|(?<=\(SLT )[-0-9.e]+"
)
UNKNOWN = "(IMG (s 2 2) (d AAAA))(foo (n bar) (val 1 2))"


@dataclass(frozen=True, slots=True)
class Faults:
    """slow_s: additional time per cycle, s. cut_s: time after which a client is disconnected, s.

    burst: cycles that are run in a row, as a server does that is short of time; nothing is read meanwhile.
    nan, unknown, lost: shares (0..1) of messages with a nan, with unknown lists, or that are not sent.
    """

    slow_s: float = 0.0
    cut_s: float = 0.0
    nan: float = 0.0
    unknown: float = 0.0
    lost: float = 0.0
    burst: int = 1

    def spoil(self, text: str, random: Random) -> str:
        """The message with its faults; empty if it is lost."""
        if self.lost and random.random() < self.lost:
            return ""
        if self.nan and random.random() < self.nan:
            found = list(_NUMBER.finditer(text))
            if found:
                hit = random.choice(found)
                text = f"{text[: hit.start()]}nan{text[hit.end() :]}"
        if self.unknown and random.random() < self.unknown:
            text += UNKNOWN
        return text


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
