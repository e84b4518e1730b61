# SPDX-License-Identifier: Apache-2.0
"""Commands of a player. As in rcssserver3d, unknown commands are ignored silently."""

from collections.abc import Sequence

from embodiment_bridge.standins.simspark.player import Player
from embodiment_bridge.standins.simspark.world import World
from embodiment_bridge.wire.sexpr import Node, SexprError, parse

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
