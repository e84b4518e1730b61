# SPDX-License-Identifier: Apache-2.0
"""Requests to a simulated world that a player may not make: place things, begin the game anew."""

import re
from collections import deque
from math import hypot
from typing import Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.protocols.rcsssmj.commands import Order, PlaceBall, PlacePlayer, Reset
from embodiment_bridge.srv import PlaceThing

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
