# SPDX-License-Identifier: Apache-2.0
"""The stand-in's world: a field, a ball that rolls and is pushed, players, a game.

No sockets, no clock: ``step`` advances by 20 ms.

There is little physics: robots that are in one place push each other over, feet push the ball, which goes through
goals.
"""

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from math import atan2, degrees, hypot, isfinite, pi, radians
from typing import Final

from embodiment_bridge.protocols.simspark.robots import ROBOTS, types_fit
from embodiment_bridge.standins.simspark.anatomy import Pose, Vector, add, apply, subtract, transposed
from embodiment_bridge.standins.simspark.player import FEET, GRAVITY, Player

# The ball of the stand-in: it rolls, bounces off the ground, and is pushed by feet.

# Sizes of the field and of what is on it, m, and the names of the play modes.

FIELD_LENGTH: Final = 30.0
FIELD_WIDTH: Final = 20.0
GOAL_WIDTH: Final = 2.1
AGENT_RADIUS: Final = 0.4
BALL_RADIUS: Final = 0.042
BEAM_MODES: Final = ("BeforeKickOff", "Goal_Left", "Goal_Right")
STOPPED_MODES: Final = ("BeforeKickOff", "GameOver")
PLAY_MODES: Final = (
    "BeforeKickOff", "KickOff_Left", "KickOff_Right", "PlayOn", "KickIn_Left", "KickIn_Right", "corner_kick_left",
    "corner_kick_right", "goal_kick_left", "goal_kick_right", "offside_left", "offside_right", "GameOver",
    "Goal_Left", "Goal_Right", "free_kick_left", "free_kick_right", "direct_free_kick_left",
    "direct_free_kick_right", "pass_left", "pass_right",
)  # fmt: skip


FRICTION: Final = 0.4  # 1/s
BOUNCE: Final = 0.6
FOOT: Final = (0.04, 0.08, 0.01)  # m: half of its width, length and height
REACH: Final = 0.6  # m from a torso, within which its feet may touch the ball
FASTEST: Final = 10.0  # m/s: a foot that is faster was put there by a beam or a trainer


@dataclass(slots=True)
class Ball:
    """place: m; speed: m/s."""

    place: Vector = (0.0, 0.0, BALL_RADIUS)
    speed: Vector = (0.0, 0.0, 0.0)
    _feet: dict[tuple[int, str], Pose] = field(default_factory=dict)  # that are near, as they were

    def step(self, players: Iterable[Player], dt: float) -> None:
        """Advance by ``dt`` s among players that have moved for as long."""
        self._push(players, dt)
        (x, y, z), (vx, vy, vz) = self.place, self.speed
        rolls = z <= BALL_RADIUS and abs(vz) < 0.1
        keep = max(1.0 - FRICTION * dt, 0.0) if rolls else 1.0
        vx, vy, vz = vx * keep, vy * keep, 0.0 if rolls else vz - GRAVITY * dt
        x, y, z = x + vx * dt, y + vy * dt, z + vz * dt
        if z < BALL_RADIUS:
            z, vz = BALL_RADIUS, -BOUNCE * vz
        self.place, self.speed = (x, y, z), (vx, vy, vz)

    def _push(self, players: Iterable[Player], dt: float) -> None:
        before, self._feet = self._feet, {}
        for player in players:
            away = subtract(self.place, player.place)
            if hypot(away[0], away[1]) > REACH:
                continue
            parts = player.parts_in_world()
            for name in FEET:
                foot = self._feet[id(player), name] = parts[name]
                self._touch(foot, before.get((id(player), name), foot), dt)

    def _touch(self, foot: Pose, before: Pose, dt: float) -> None:
        """Give way to a foot that was at ``before``, and roll on as fast as it goes in that direction at least."""
        centre = apply(transposed(foot.turn), subtract(self.place, foot.place))
        nearest = tuple(min(max(c, -half), half) for c, half in zip(centre, FOOT, strict=True))
        point = (nearest[0], nearest[1], nearest[2])
        x, y, _ = apply(foot.turn, subtract(centre, point))
        gap = hypot(*subtract(centre, point))
        level = hypot(x, y)
        if gap >= BALL_RADIUS or not level:
            return
        x, y = x / level, y / level
        self.place = add(self.place, ((BALL_RADIUS - gap) * x, (BALL_RADIUS - gap) * y, 0.0))
        if hypot(*subtract(foot.place, before.place)) > FASTEST * dt:  # it was put there
            return
        there = add(foot.place, apply(foot.turn, point))
        was = add(before.place, apply(before.turn, point))
        push = ((there[0] - was[0]) * x + (there[1] - was[1]) * y) / dt
        more = push - (self.speed[0] * x + self.speed[1] * y)
        if more > 0.0:
            self.speed = add(self.speed, (more * x, more * y, 0.0))


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
