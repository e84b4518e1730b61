# SPDX-License-Identifier: Apache-2.0
"""Fouls that the stand-in calls, as rcssserver3d 0.7.3 was recorded to call them, and where it puts who fouls.

A player that lies or does not stand for too long is *incapable*: it is held up for half a second, called in each cycle
of it, and then put beside the field as it is, lying too. Of more than three players of a team in its penalty area, the
last ones to come are moved out, and a third robot that touches two others is moved away from them; one foul each. While
players may be beamed, nothing is a foul and everything is forgotten. Not called: crowding, which this version has
switched off, charging, illegal attack, fouls of a kick-off and self collisions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations
from math import hypot
from random import Random
from typing import Final

from embodiment_bridge.standins.simspark.anatomy import Vector
from embodiment_bridge.standins.simspark.field import (
    AGENT_RADIUS,
    BEAM_MODES,
    FIELD_LENGTH,
    FIELD_WIDTH,
    GOAL_WIDTH,
    PENALTY_LENGTH,
    PENALTY_WIDTH,
    STOPPED_MODES,
)
from embodiment_bridge.standins.simspark.player import Player

ON_GROUND: Final = 0.15  # m: a torso below this lies
STANDS: Final = 0.25  # m: a torso above this stands, or tries to
STOOD_S: Final = 0.5  # s of standing, after which the time without is forgotten
GROUND_S: Final = (30.0, 15.0)  # s that the goalkeeper, another player may lie
NOT_STANDING_S: Final = (60.0, 30.0)  # s likewise that it may not stand
HOLD_S: Final = 0.5  # s for which an incapable player is held up
HELD_AT: Final = 1.0  # m, and rising
RISE: Final = 0.5  # m/s
MOST_IN_AREA: Final = 3
MOST_TOUCHING: Final = 2
TOUCHES: Final = 0.35  # m between the torsos of robots whose arms or feet touch
OUT: Final = 0.001  # m
BESIDE: Final = 0.6  # m between players that were put beside the field; number 7 stands at the middle line


class FoulType(IntEnum):
    """The server's numbers."""

    TOUCHING = 1
    ILLEGAL_DEFENCE = 2
    INCAPABLE = 4


@dataclass(frozen=True, slots=True)
class Foul:
    """What a monitor is told; number and side are those of the player."""

    index: int
    type: FoulType
    side: str
    number: int


@dataclass(slots=True)
class _Record:
    """Of one player: s that it lay, did not stand, stood, is held up; whether it was in its penalty area."""

    ground: float = 0.0
    not_standing: float = 0.0
    standing: float = STOOD_S
    held: float = 0.0
    inside: bool = False
    touching: bool = False


class Referee:
    """Watches the players. fouls: all that were called since the start."""

    def __init__(self, random: Random) -> None:
        self.fouls: list[Foul] = []
        self._random = random
        self._records: dict[Player, _Record] = {}

    def step(self, players: Sequence[Player], mode: str, ball_y: float, dt: float) -> None:
        """Let ``dt`` s of play pass in a play mode. ball_y: m; who is put beside the field goes to the other side."""
        if mode in BEAM_MODES or mode in STOPPED_MODES:
            self._records.clear()
            return
        playing = [player for player in players if player.side]
        self._records = {player: self._records.get(player, _Record()) for player in playing}
        for player, record in self._records.items():
            _watch(record, player.place, dt)
        for side in ("left", "right"):
            self._illegal_defence([player for player in playing if player.side == side])
        self._touching(playing)
        for player in playing:
            self._incapable(player, ball_y, dt)

    def _call(self, foul: FoulType, player: Player) -> None:
        self.fouls.append(Foul(len(self.fouls) + 1, foul, player.side, player.number))

    def _illegal_defence(self, team: Sequence[Player]) -> None:
        records = self._records
        within = [
            player for player in team if in_area(player.place, player.side) and not records[player].held
        ]
        came = [player for player in within if not records[player].inside and player.number != 1]
        keeper_came = any(player.number == 1 and not records[player].inside for player in within)
        others = [player for player in within if player.number != 1 and player not in came]
        if keeper_came:  # who is farthest from the goal makes room
            came = [*sorted(others, key=lambda player: -_to_goal(player))[:1], *came]
        for player in team:
            records[player].inside = player in within
        surplus = len(within) - MOST_IN_AREA
        if surplus <= 0 or not came:
            return
        for player in self._random.sample(came, min(surplus, len(came))):
            self._call(FoulType.ILLEGAL_DEFENCE, player)
            player.carry(out_of_area(player.place, player.side), player.yaw)
            records[player] = _Record()

    def _touching(self, playing: Sequence[Player]) -> None:
        groups = _groups(playing)
        for player in playing:
            record, group = self._records[player], groups[player]
            came, record.touching = not record.touching, len(group) > 1
            if len(group) <= MOST_TOUCHING or not came or player.number == 1 or record.held:
                continue
            self._call(FoulType.TOUCHING, player)
            middle_x = sum(other.place[0] for other in group) / len(group)
            middle_y = sum(other.place[1] for other in group) / len(group)
            x, y, z = player.place
            away = hypot(x - middle_x, y - middle_y) or 1.0
            player.carry(
                (
                    x + AGENT_RADIUS * (x - middle_x) / away,
                    y + AGENT_RADIUS * (y - middle_y) / away,
                    z,
                ),
                player.yaw,
            )
            for other in group:
                groups[other] = group - {player}

    def _incapable(self, player: Player, ball_y: float, dt: float) -> None:
        record, keeper = self._records[player], player.number == 1
        limits = GROUND_S[not keeper], NOT_STANDING_S[not keeper]
        if not record.held and record.ground <= limits[0] and record.not_standing <= limits[1]:
            return
        self._call(FoulType.INCAPABLE, player)
        record.held += dt
        if record.held <= HOLD_S + 1e-6:
            x, y, _ = player.place
            player.carry((x, y, HELD_AT + RISE * record.held), player.yaw)
        else:
            x, y = beside_field(player.side, player.number, ball_y)
            player.carry((x, y, AGENT_RADIUS), player.yaw)
            self._records[player] = _Record()


def _watch(record: _Record, place: Vector, dt: float) -> None:
    """Count how long a player with its torso at ``place`` has not stood; beside the field that does not matter."""
    _, y, z = place
    on_field = abs(y) < FIELD_WIDTH / 2 + 0.1
    if z >= STANDS:
        record.standing, record.ground = record.standing + dt, 0.0
    elif on_field:
        record.not_standing, record.standing = record.not_standing + dt, 0.0
        record.ground += dt if z < ON_GROUND else 0.0
    if record.standing > STOOD_S:
        record.not_standing = 0.0


def in_area(place: Vector, side: str) -> bool:
    """Whether a place (m) is in the penalty area of a side."""
    out = FIELD_LENGTH / 2 + (place[0] if side == "left" else -place[0])
    return 0.0 <= out <= PENALTY_LENGTH and abs(place[1]) <= PENALTY_WIDTH / 2


def out_of_area(place: Vector, side: str) -> Vector:
    """The place over the nearest border of the penalty area, beside the goal rather than in it."""
    x, y, z = place
    sign = -1.0 if side == "left" else 1.0
    line = FIELD_LENGTH / 2
    depth = line - sign * x
    behind = depth < PENALTY_LENGTH / 2
    new_x = line + AGENT_RADIUS if behind else line - PENALTY_LENGTH - AGENT_RADIUS
    new_y = (PENALTY_WIDTH / 2 + AGENT_RADIUS) * (-1.0 if y < 0.0 else 1.0)
    if abs(new_y - y) < abs(sign * new_x - x):
        return (x, new_y, z)
    post = GOAL_WIDTH / 2 + AGENT_RADIUS + OUT
    if behind and abs(y) < post:
        y = -post if y < 0.0 else post
    return (sign * new_x, y, z)


def beside_field(side: str, number: int, ball_y: float) -> tuple[float, float]:
    """Where a player of a side and number is put beside the field, m: on the side that the ball is not on."""
    y = FIELD_WIDTH / 2 + 0.5
    return BESIDE * (7 - number) * (1.0 if side == "right" else -1.0), -y if ball_y >= 0.0 else y


def _to_goal(player: Player) -> float:
    x, y, _ = player.place
    return hypot(FIELD_LENGTH / 2 - abs(x), y)


def _groups(players: Sequence[Player]) -> dict[Player, frozenset[Player]]:
    """The robots that touch each other, directly or by others, of each player."""
    groups = {player: frozenset({player}) for player in players}
    for one, other in combinations(players, 2):
        (x, y, z), (there_x, there_y, there_z) = one.place, other.place
        if hypot(x - there_x, y - there_y) < TOUCHES and abs(z - there_z) < TOUCHES:
            both = groups[one] | groups[other]
            for player in both:
                groups[player] = both
    return groups
