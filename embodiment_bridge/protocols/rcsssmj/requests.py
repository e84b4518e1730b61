# SPDX-License-Identifier: Apache-2.0
"""Makes commands of ROS requests besides motion.

Those of a player (say, beam) and those of a simulated world (place things, begin the game anew).
"""

import re
from collections import deque
from collections.abc import Callable
from functools import partial
from math import hypot
from typing import Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.rcsssmj import SPEC
from embodiment_bridge.protocols.rcsssmj.codec import CommandWriter
from embodiment_bridge.protocols.rcsssmj.commands import (
    ACTIONS,
    MAX_SAY,
    Action,
    Order,
    PlaceBall,
    PlacePlayer,
    Reset,
    Say,
)
from embodiment_bridge.protocols.rcsssmj.convert import beam
from embodiment_bridge.protocols.rcsssmj.robots import Robot
from embodiment_bridge.protocols.soccer.requests import Requests, makers
from embodiment_bridge.srv import PlaceThing

# Requests to a simulated world that a player may not make: place things, begin the game anew.

PLACE: Final = "place_thing"
RESET: Final = "reset"
SERVICES: Final = (PLACE, RESET)
_PLAYER: Final = re.compile(r"player_(.+)_([0-9]{1,2})").fullmatch


class Orders:
    """Takes requests on any thread; they are carried out after the next percept.

    managed: whether the world is in this process; a server takes none of this from a player.
    """

    def __init__(self, *, managed: bool) -> None:
        self._managed = managed
        self._waiting: deque[Order] = deque()

    def handle(self, name: str, message: object) -> str:
        """As ``Converter.handle_request``."""
        if not self._managed:
            raise CommandError(f"{name}: only with transport managed; on a server soccer_monitor does it")
        self._waiting.append(_placed(message) if isinstance(message, PlaceThing.Request) else Reset())
        return ""

    def take(self) -> list[Order]:
        """What waits."""
        return [self._waiting.popleft() for _ in range(len(self._waiting))]


def _placed(request: PlaceThing.Request) -> PlaceBall | PlacePlayer:
    place, turn, speed = request.pose.position, request.pose.orientation, request.velocity
    at, velocity = (place.x, place.y, place.z), (speed.x, speed.y, speed.z)
    if request.name == "ball":
        return PlaceBall(at, velocity)
    player = _PLAYER(request.name)
    if player is None:
        raise CommandError(unknown("thing", request.name[:80], ("ball", "player_TEAM_N", "player_left_N")))
    if any(velocity):
        raise CommandError("velocity: a player is at rest after it was placed")
    x, y, z, w = turn.x, turn.y, turn.z, turn.w
    length = hypot(x, y, z, w)
    kept = None if length == 0.0 else (x / length, y / length, z / length, w / length)
    return PlacePlayer(player[1], int(player[2]), at, kept)


FULL_VOLUME = 100.0


def requests(robot: Robot, side: Callable[[], str], *, split: bool) -> Requests[Action]:
    """Requests of a robot.

    side: says which the own one is: ``left`` or ``right``, empty while that is not known.
    split: cut a text that is too long into several messages, instead of refusing it.
    """
    return Requests(
        partial(_say, robot, split),
        partial(_beam, side),
        makers(SPEC, ACTIONS),
        CommandWriter(robot).payload,
    )


def _beam(side: Callable[[], str], x: float, y: float, yaw: float) -> Action:
    known = side()
    if not known:
        raise CommandError("beam: the server has not told which side is the own one")
    return beam(known, x, y, yaw)


def _say(robot: Robot, split: bool, text: str) -> list[Action]:
    if robot.speaker is None:
        raise CommandError(f"robot {robot.name} has no speaker")
    parts = _parts(text)
    if len(parts) > 1 and not split:
        size = len(text.encode())
        raise CommandError(
            f"text {text[:40]!r} has {size} bytes; the server carries {MAX_SAY} (parameter say_split cuts it)"
        )
    return [Say(FULL_VOLUME, part) for part in parts]


def _parts(text: str) -> list[bytes]:
    """The text in pieces that the server carries, cut between characters."""
    parts, part = [], b""
    for character in text:
        piece = character.encode("utf-8", "surrogatepass")
        if len(part) + len(piece) > MAX_SAY:
            parts.append(part)
            part = b""
        part += piece
    return [*parts, part]
