# SPDX-License-Identifier: Apache-2.0
"""The stand-in's world: a field, a ball, players, a game. No sockets, no clock: ``step`` advances by 20 ms.

There is little physics: robots that are in one place push each other over, feet push the ball, which goes through
goals.
"""

import random
from dataclasses import dataclass, field
from itertools import combinations
from math import atan2, degrees, hypot, isfinite, pi, radians
from typing import Final

from embodiment_bridge.protocols.simspark.robots import ROBOTS, types_fit
from embodiment_bridge.standins.simspark.ball import Ball
from embodiment_bridge.standins.simspark.field import (
    AGENT_RADIUS,
    BEAM_MODES,
    FIELD_LENGTH,
    FIELD_WIDTH,
    STOPPED_MODES,
)
from embodiment_bridge.standins.simspark.player import Player

CYCLE_S: Final = 0.02
TEAM_SIZE: Final = 11
HALF_TIME_S: Final = 300.0
LOUD_CYCLES: Final = 2  # cycles in which one message of each team is heard
HEARING_RANGE: Final = 50.0  # m
SAY_LIMIT: Final = 20  # characters
NEAR: Final = 0.25  # m between the torsos of robots that push each other
PUSH: Final = 6.0  # m/s2
APART: Final = 0.5  # m/s, with which they part
BEAM_NOISE: Final = (0.05, 10.0)  # m, deg; uniform


@dataclass(slots=True)
class Game:
    """The state of the game, which monitors and agents get."""

    play_mode: str = "BeforeKickOff"
    time: float = 0.0
    half: int = 1
    teams: dict[str, str] = field(default_factory=dict)  # left and right, by side
    scores: dict[str, int] = field(default_factory=lambda: {"left": 0, "right": 0})


class World:
    """The objects on the field, and the game.

    players: in the order of joining, without killed ones. now: s since the start.
    scene_version: changes when an object appears, vanishes or joins a team; monitors then need the whole scene.
    noise: whether beams and vision have noise, as in rcssserver3d.
    """

    def __init__(self, *, noise: bool = True, seed: int = 0) -> None:
        self.now = 0.0
        self.cycle = 0
        self.ball = Ball()
        self.game = Game()
        self.players: list[Player] = []
        self.scene_version = 0
        self.noise = noise
        self.random = random.Random(seed)
        self._heard_at: dict[tuple[int, bool], int] = {}

    # What agents do

    def add(self, scene: str) -> Player | None:
        """Add the robot of a scene; None if there is no such scene."""
        for robot in ROBOTS.values():
            if robot.scene == scene:
                player = Player(robot)
                self.players.append(player)
                self.scene_version += 1
                return player
        return None

    def remove(self, player: Player) -> None:
        """Remove a player that left or was killed."""
        if player in self.players:
            self.players.remove(player)
            self.scene_version += 1

    def kill(self, player: Player) -> None:
        """Remove the robot for a trainer; its agent gets the last percept for ever."""
        player.frozen = True
        self.remove(player)

    def join(self, player: Player, team: str, number: int) -> bool:
        """Put a player into a team. If that is not possible, the robot is moved aside, without a message to it.

        One that is in a team gets another number, and is not told; the types of robots count it twice.
        """
        if not team:
            return False
        side = next((side for side, name in self.game.teams.items() if name == team), "")
        side = side or next((side for side in ("left", "right") if side not in self.game.teams), "")
        others = [other for other in self.players if other.side == side]
        taken = {other.number for other in others}
        number = number or next((n for n in range(1, TEAM_SIZE + 1) if n not in taken), 0)
        allowed = types_fit([player.robot.type, *(other.robot.type for other in others)])
        if not side or number in taken or not 1 <= number <= TEAM_SIZE or not allowed:
            if not player.side:
                player.put((0.0, 0.0, 10.0), player.yaw)
            return False
        self.game.teams[side] = team
        player.team, player.number, player.side = team, number, side
        out = 1.0 if side == "right" else -1.0
        place_y = FIELD_WIDTH / 2 - 2 * AGENT_RADIUS - 3 * AGENT_RADIUS * len(taken)
        player.carry((out * (FIELD_LENGTH / 2 - 2 * AGENT_RADIUS), place_y, 0.4), self.forward(side))
        self.scene_version += 1
        return True

    def player(self, side: str, number: int) -> Player | None:
        """The player of a side (``left``, ``right``) and number."""
        return next((p for p in self.players if (p.side, p.number) == (side, number)), None)

    @staticmethod
    def forward(side: str) -> float:
        """The yaw (rad) from a side towards the opponents' goal."""
        return radians(180.0) if side == "right" else 0.0

    def beam(self, player: Player, x: float, y: float, turn_deg: float) -> bool:
        """Put a player into its own half; ignored while the game goes on."""
        if not player.side or self.game.play_mode not in BEAM_MODES or not isfinite(x + y + turn_deg):
            return False
        if self.noise:
            x += self.random.uniform(-BEAM_NOISE[0], BEAM_NOISE[0])
            y += self.random.uniform(-BEAM_NOISE[0], BEAM_NOISE[0])
            turn_deg += self.random.uniform(-BEAM_NOISE[1], BEAM_NOISE[1])
        x = min(max(x, -FIELD_LENGTH / 2), -AGENT_RADIUS)
        y = min(max(y, -FIELD_WIDTH / 2), FIELD_WIDTH / 2)
        sign = -1.0 if player.side == "right" else 1.0
        player.put((sign * x, sign * y, 0.4), radians(turn_deg) + self.forward(player.side))
        return True

    def say(self, speaker: Player, text: str) -> None:
        """Deliver a message: always to the speaker, to others one message per team and two cycles."""
        good = 0 < len(text) <= SAY_LIMIT and all("!" <= c <= "~" and c not in "()" for c in text)
        if not speaker.side or not good:
            return
        for player in self.players:
            if not player.side:
                continue
            ours = player.side == speaker.side
            if player is speaker:
                player.heard.append(f"(hear {speaker.team} {self.game.time:.2f} self {text})")
                continue
            key = (id(player), ours)
            if self.cycle - self._heard_at.get(key, -LOUD_CYCLES) < LOUD_CYCLES:
                continue
            dx, dy = speaker.place[0] - player.place[0], speaker.place[1] - player.place[1]
            if hypot(dx, dy) <= HEARING_RANGE:
                self._heard_at[key] = self.cycle
                where = _direction(dx, dy, player.side)
                player.heard.append(f"(hear {speaker.team} {self.game.time:.2f} {where:.2f} {text})")

    # Time

    def step(self) -> None:
        """Advance by one cycle."""
        self.cycle += 1
        self.now += CYCLE_S
        if self.game.play_mode not in STOPPED_MODES:
            self.game.time += CYCLE_S
        if self.game.time >= self.game.half * HALF_TIME_S and self.game.play_mode not in STOPPED_MODES:
            self._end_half()
        self._push_apart()
        for player in self.players:
            player.step(CYCLE_S)
        self._step_ball()

    def _push_apart(self) -> None:
        """Robots in one place push each other to the sides."""
        for one, other in combinations(self.players, 2):
            (x, y, z), (there_x, there_y, there_z) = one.place, other.place
            away = hypot(x - there_x, y - there_y)
            if away >= NEAR or abs(z - there_z) >= NEAR:
                continue
            angle = atan2(y - there_y, x - there_x) if away > 0.0 else self.random.uniform(-pi, pi)
            one.shove(angle, PUSH * CYCLE_S, APART * CYCLE_S)
            other.shove(angle + pi, PUSH * CYCLE_S, APART * CYCLE_S)

    def _end_half(self) -> None:
        if self.game.half == 1:
            self.game.half, self.game.play_mode = 2, "BeforeKickOff"
        else:
            self.game.play_mode = "GameOver"

    def _step_ball(self) -> None:
        if self.game.play_mode == "BeforeKickOff" and self.players:
            self.ball = Ball()
            return
        self.ball.step(self.players, CYCLE_S)


def _direction(dx: float, dy: float, side: str) -> float:
    """Direction of a voice, deg, in the axes of the field from the view of the listener's team."""
    sign = -1.0 if side == "right" else 1.0
    return degrees(atan2(sign * dy, sign * dx))
