# SPDX-License-Identifier: Apache-2.0
"""Converts requests to the trainer's services into commands, with a note where a server treats them differently.

Headings in ``map`` change here.
"""

from collections.abc import Callable
from functools import partial
from math import isfinite, pi, remainder
from typing import Any, Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import DEG_PER_RAD, rpy_from_quaternion
from embodiment_bridge.protocols.soccer.requests import Placed
from embodiment_bridge.protocols.soccer_monitor import commands as c
from embodiment_bridge.protocols.soccer_monitor.commands import SIDES, Dialect
from embodiment_bridge.srv import AgentCommand, PlaceThing, SetGame, SetPlayMode, TrainAgent, TrainBall


def heading_deg(yaw: float, offset_deg: float) -> float:
    """Convert a yaw (rad) to -180..180 degrees, then add the server's ``offset_deg``."""
    return (remainder(yaw, 2.0 * pi) if isfinite(yaw) else yaw) * DEG_PER_RAD + offset_deg


# The service ``place_thing`` of a soccer monitor: the ball or a player is put anywhere, lying too.

LEVEL: Final = 0.02  # rad; less roll and pitch than this is none
_NAMES: Final = ("ball", "player_left_N", "player_right_N")


def placed(dialect: Dialect, request: PlaceThing.Request) -> list[c.Single]:
    """The command that puts a thing where it is wanted.

    Raises:
        CommandError: there is no such thing, or the server cannot put it there.
    """
    wanted = Placed.of(request, _NAMES)
    at, turn = wanted.position, wanted.turn
    if wanted.player is None:
        return [c.Ball(at, wanted.velocity)]
    team, number = wanted.player
    if team not in SIDES and not dialect.free_poses:
        raise CommandError(unknown("thing", request.name[:80], _NAMES))
    who = (number, SIDES.get(team, team))
    if turn is None:
        if dialect.free_poses:
            raise CommandError(
                f"pose.orientation is 0: {dialect.server} cannot leave it as it is; say what it is to be"
            )
        return [c.Agent(*who, pos=at)]
    if dialect.free_poses:
        return [c.Agent(*who, move3d=(*at, turn[3], *turn[:3]))]
    roll, pitch, yaw = rpy_from_quaternion(turn)
    if abs(roll) > LEVEL or abs(pitch) > LEVEL:
        raise CommandError(
            f"pose.orientation: {dialect.server} turns a player about z alone, it cannot lay it down"
        )
    return [c.Agent(*who, move=(*at, heading_deg(yaw, dialect.yaw_offset_deg)))]


class Trainer:
    """Makes commands of requests; ``play_modes()`` gives the names that the server has told.

    A request becomes commands and a note for people, or a CommandError.
    """

    def __init__(self, dialect: Dialect, play_modes: Callable[[], tuple[str, ...]]) -> None:
        self._dialect = dialect
        self._play_modes = play_modes
        self._services: dict[str, Callable[[Any], list[c.Single]]] = {
            "train_agent": self._agent,
            "train_ball": self._ball,
            "place_thing": partial(placed, dialect),
            "set_play_mode": self._play_mode,
            "kick_off": lambda request: [c.KickOff(_side(request.side, none="None"))],
            "drop_ball": lambda _: [c.DropBall()],
            "select_agent": self._select,
            "kill_agent": lambda request: [c.Kill(*_player(request))],
            "reposition_agent": lambda request: [c.Repos(*_player(request))],
            "set_game": self._game,
            "request_full_state": lambda _: [c.RequestFullState()],
            "kill_simulator": lambda _: [c.KillSim()],
        }

    def take(self, service: str, request: object) -> tuple[list[c.Single], str]:
        """The commands of a request, and a note for people.

        Raises:
            CommandError: the server would ignore it, or it is not complete; the text says what is allowed.
        """
        dialect = self._dialect
        if service in dialect.ignored:
            raise CommandError(f"{service}: {dialect.server} {dialect.ignored[service]}")
        if service not in self._services:
            raise CommandError(unknown("service", service, self._services))
        return self._services[service](request), dialect.notes.get(service, "")

    def _agent(self, request: TrainAgent.Request) -> list[c.Single]:
        dialect = self._dialect
        if not request.set_position and (request.set_yaw or dialect.needs_position):
            why = (
                "set_yaw needs it"
                if request.set_yaw
                else f"{dialect.server} ignores an agent without a position"
            )
            raise CommandError(f"train_agent: set_position is false; {why}")
        if (request.set_battery or request.set_temperature) and not dialect.can_weaken:
            raise CommandError(f"train_agent: {dialect.server} ignores battery and temperature")
        if request.set_battery and not request.battery >= 0.0:
            raise CommandError(f"train_agent: battery is {request.battery}; it must be 0 or more")
        place = (request.position.x, request.position.y, request.position.z)
        move = None
        if request.set_yaw:
            move = (*place, heading_deg(request.yaw, dialect.yaw_offset_deg))
        return [
            c.Agent(
                _number(request.number),
                self._team(request.side),
                place if request.set_position and not request.set_yaw else None,
                move,
                request.battery if request.set_battery else None,
                request.temperature if request.set_temperature else None,
            )
        ]

    def _team(self, side: str) -> str:
        """Left, Right, or the name of a team where the server takes that."""
        return side if self._dialect.free_poses and side.lower() not in SIDES and side else _side(side)

    def _ball(self, request: TrainBall.Request) -> list[c.Single]:
        if self._dialect.needs_position and not request.set_position:
            raise CommandError(
                f"train_ball: set_position is false; {self._dialect.server} ignores a ball without a position"
            )
        place, speed = request.position, request.velocity
        return [
            c.Ball(
                (place.x, place.y, place.z) if request.set_position else None,
                (speed.x, speed.y, speed.z) if request.set_velocity else None,
            )
        ]

    def _play_mode(self, request: SetPlayMode.Request) -> list[c.Single]:
        names = self._play_modes()
        if not names:
            raise CommandError("set_play_mode: the server has not told its play modes yet")
        if request.play_mode not in names:
            raise CommandError(f"set_play_mode: {unknown('play mode', str(request.play_mode)[:80], names)}")
        return [c.PlayMode(request.play_mode)]

    def _select(self, request: AgentCommand.Request) -> list[c.Single]:
        if request.number == c.NOBODY and not request.side:
            return [c.Select(c.NOBODY)]
        return [c.Select(*_player(request))]

    def _game(self, request: SetGame.Request) -> list[c.Single]:
        commands: list[c.Single] = []
        if request.set_time:
            commands.append(c.Time(request.time))
        if request.set_score:
            commands.append(c.Score(request.score_left, request.score_right))
        if not commands:
            raise CommandError("set_game: neither set_time nor set_score is true")
        return commands


def _player(request: AgentCommand.Request) -> tuple[int | None, str | None]:
    """Number and team; None both for the selected one."""
    if request.number == 0 and not request.side:
        return None, None
    return _number(request.number), _side(request.side)


def _side(side: str, none: str = "") -> str:
    name = str(side).lower()
    if none and name in ("none", ""):
        return none
    if name not in SIDES:
        raise CommandError(
            f"side is {str(side)[:80]!r}; it must be {' or '.join(SIDES)}{' or none' if none else ''}"
        )
    return SIDES[name]


def _number(number: int) -> int:
    if number < 1:
        raise CommandError(f"number is {number}; it must be 1 or more")
    return int(number)
