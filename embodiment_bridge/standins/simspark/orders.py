# SPDX-License-Identifier: Apache-2.0
"""Carries out the commands of players and trainers. As rcssserver3d, it does not answer, and ignores unknown ones."""

from collections.abc import Callable, Iterator, Sequence
from math import isfinite, radians
from typing import Final, TypeAlias

from embodiment_bridge.standins.simspark.player import Player
from embodiment_bridge.standins.simspark.world import (
    BALL_RADIUS,
    FIELD_LENGTH,
    FIELD_WIDTH,
    PLAY_MODES,
    World,
)
from embodiment_bridge.wire.sexpr import Node, SexprError, parse

MAX_LISTS: Final = 200  # of one frame
SIDES: Final = {"Left": "left", "Right": "right"}  # case-sensitive
FREE_KICK: Final = 2.0  # m that players are moved away from a dropped ball
LONGEST: Final = 1e6  # m, s
BESIDE: Final = 0.6  # m between players that were put beside the field; number 7 stands at the middle line


Fields: TypeAlias = dict[str, list[str]]  # the lists in a command, by their first words


class Orders:
    """Carries out the frames of one player's connection.

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
        for name, fields, words in _commands(payload):
            self._do(name, fields, words)

    def _do(self, name: str, fields: Fields, words: list[str]) -> None:
        player = self.player
        if name == "syn":
            self.synced = True
        elif name == "scene":
            if player is None:
                self.player = self._world.add(" ".join(words))
        elif player is None or player.frozen:
            return
        elif name == "init":
            number, team = _whole(fields.get("unum", ["0"])), fields.get("teamname", [""])
            if self.ready and number is not None and len(team) == 1:
                self._world.join(player, team[0], number)
        elif name == "beam":
            numbers = _numbers(words, 3)
            if numbers:
                self._world.beam(player, *numbers)
        elif name == "say":
            if len(words) == 1:
                self._world.say(player, words[0])
        elif numbers := _numbers(words, 1):
            player.drive(name, numbers[0])


def _whole(words: Sequence[str]) -> int | None:
    try:
        return int(words[0]) if len(words) == 1 and len(words[0]) < 10 else None
    except ValueError:
        return None


class Trainer:
    """Carries out a trainer's commands. selected: the player for kill and repos without a name."""

    def __init__(self, world: World, end: Callable[[], None]) -> None:
        self.selected: Player | None = None
        self._world = world
        self._commands: dict[str, Callable[[Fields, list[str]], None]] = {
            "agent": self._agent,
            "ball": self._ball,
            "playMode": self._play_mode,
            "dropBall": self._drop_ball,
            "kickOff": self._kick_off,
            "select": self._select,
            "kill": self._kill,
            "repos": self._repos,
            "time": self._time,
            "score": self._score,
            "reqfullstate": self._request_full_state,
            "killsim": lambda fields, words: end(),
        }

    def obey(self, payload: bytes) -> None:
        """Carry out a frame; its lists are side by side, lists around them are not known."""
        for name, fields, words in _commands(payload):
            if name in self._commands:
                self._commands[name](fields, words)

    def _agent(self, fields: Fields, words: list[str]) -> None:
        player = self._player(fields)
        if player is None:
            self.selected = None
            return
        place, move = _numbers(fields.get("pos"), 3), _numbers(fields.get("move"), 4)
        if place:
            player.carry((place[0], place[1], place[2]), player.yaw)
        if move:
            player.put((move[0], move[1], move[2]), radians(move[3] + 90.0))

    def _ball(self, fields: Fields, words: list[str]) -> None:
        ball = self._world.ball
        place, speed = _numbers(fields.get("pos"), 3), _numbers(fields.get("vel"), 3)
        if place:
            ball.place = (place[0], place[1], place[2])
        if speed:
            ball.speed = (speed[0], speed[1], speed[2])

    def _play_mode(self, fields: Fields, words: list[str]) -> None:
        if words and words[0] in PLAY_MODES:
            self._world.game.play_mode = words[0]

    def _drop_ball(self, fields: Fields, words: list[str]) -> None:
        world = self._world
        x = min(max(world.ball.place[0], -FIELD_LENGTH / 2), FIELD_LENGTH / 2)
        y = min(max(world.ball.place[1], -FIELD_WIDTH / 2), FIELD_WIDTH / 2)
        world.ball.place, world.ball.speed = (x, y, BALL_RADIUS), (0.0, 0.0, 0.0)
        for player in world.players:
            dx, dy = player.place[0] - x, player.place[1] - y
            away = (dx * dx + dy * dy) ** 0.5
            if player.side and away < FREE_KICK:
                out = FREE_KICK / away if away > 0.01 else 0.0
                player.carry(
                    (x + dx * out, y + (dy * out if out else FREE_KICK), player.place[2]), player.yaw
                )
        world.game.play_mode = "PlayOn"

    def _kick_off(self, fields: Fields, words: list[str]) -> None:
        if words[:1] in (["Left"], ["Right"], ["None"]):
            side = self._world.random.choice(("Left", "Right")) if words[0] == "None" else words[0]
            self._world.ball.place, self._world.ball.speed = (0.0, 0.0, BALL_RADIUS), (0.0, 0.0, 0.0)
            self._world.game.play_mode = f"KickOff_{side}"

    def _select(self, fields: Fields, words: list[str]) -> None:
        if fields.get("unum") == ["-1"]:
            self.selected = None
            return
        named, players = self._player(fields), self._world.players
        if named is None and players:
            last = players.index(self.selected) if self.selected in players else -1
            named = players[(last + 1) % len(players)]
        self.selected = named

    def _kill(self, fields: Fields, words: list[str]) -> None:
        player = self._player(fields) if fields else self.selected
        if player is not None:
            self._world.kill(player)
            self.selected = None if player is self.selected else self.selected

    def _repos(self, fields: Fields, words: list[str]) -> None:
        player = self._player(fields) if fields else self.selected
        if player is not None:
            y = FIELD_WIDTH / 2 + 0.5
            x = BESIDE * (7 - player.number) * (1.0 if player.side == "right" else -1.0)
            y = -y if self._world.ball.place[1] >= 0.0 else y  # on the side that the ball is not on
            player.carry((x, y, 1.0), player.yaw)  # a robot that lies stays so

    def _time(self, fields: Fields, words: list[str]) -> None:
        values = _numbers(words, 1)
        if values and values[0] >= 0.0:
            self._world.game.time = values[0]

    def _score(self, fields: Fields, words: list[str]) -> None:
        left, right = _numbers(fields.get("left"), 1), _numbers(fields.get("right"), 1)
        if left and right:
            self._world.game.scores = {"left": int(left[0]), "right": int(right[0])}

    def _request_full_state(self, fields: Fields, words: list[str]) -> None:
        self._world.scene_version += 1  # for all monitors

    def _player(self, fields: Fields) -> Player | None:
        number, team = _numbers(fields.get("unum"), 1), fields.get("team", [""])
        side = SIDES.get(team[0] if len(team) == 1 else "", "")
        return self._world.player(side, int(number[0])) if number and side else None


def _commands(payload: bytes) -> Iterator[tuple[str, Fields, list[str]]]:
    """The first word of each list in a frame, the lists in it, and its other words; none of a frame that is broken."""
    try:
        lists = parse(payload.rstrip(b"\0"))
    except SexprError:
        return
    for item in lists[:MAX_LISTS]:
        if isinstance(item, list) and item and isinstance(item[0], str):
            yield item[0], _fields(item), [word for word in item[1:] if isinstance(word, str)]


def _fields(item: Sequence[Node]) -> Fields:
    """The inner lists by their names."""
    fields = {}
    for inner in item[1:]:
        if isinstance(inner, list) and inner and all(isinstance(word, str) for word in inner):
            name, *values = [str(word) for word in inner]
            fields[name] = values
    return fields


def _numbers(words: Sequence[str] | None, count: int) -> list[float]:
    """The words as ``count`` possible numbers; empty if they are not."""
    try:
        values = [float(word) for word in words or ()]
    except ValueError:
        return []
    return values if len(values) == count and all(isfinite(v) and abs(v) < LONGEST for v in values) else []
