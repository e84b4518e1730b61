# SPDX-License-Identifier: Apache-2.0
"""The service ``place_thing`` of a soccer monitor: the ball or a player is put anywhere, lying too."""

import re
from math import hypot, isfinite
from typing import Final

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import rpy_from_quaternion
from embodiment_bridge.protocols.soccer_monitor import commands as c
from embodiment_bridge.protocols.soccer_monitor import convert
from embodiment_bridge.protocols.soccer_monitor.dialect import SIDES, Dialect
from embodiment_bridge.srv import PlaceThing

LEVEL: Final = 0.02  # rad; less roll and pitch than this is none
_PLAYER: Final = re.compile(r"player_(.+)_([0-9]{1,2})").fullmatch
_NAMES: Final = ("ball", "player_left_N", "player_right_N")


def placed(dialect: Dialect, request: PlaceThing.Request) -> list[c.Single]:
    """The command that puts a thing where it is wanted.

    Raises:
        CommandError: there is no such thing, or the server cannot put it there.
    """
    place, turn, speed = request.pose.position, request.pose.orientation, request.velocity
    at = (place.x, place.y, place.z)
    if request.name == "ball":
        return [c.Ball(at, (speed.x, speed.y, speed.z))]
    player = _PLAYER(request.name)
    if player is None:
        raise CommandError(unknown("thing", request.name[:80], _NAMES))
    if speed.x or speed.y or speed.z:
        raise CommandError(f"velocity: {dialect.server} gives none to a player")
    team, number = player[1], int(player[2])
    if team not in SIDES and not dialect.free_poses:
        raise CommandError(unknown("thing", request.name[:80], _NAMES))
    who = (number, SIDES.get(team, team))
    x, y, z, w = turn.x, turn.y, turn.z, turn.w
    length = hypot(x, y, z, w)
    if length == 0.0:
        if dialect.free_poses:
            raise CommandError(
                f"pose.orientation is 0: {dialect.server} cannot leave it as it is; say what it is to be"
            )
        return [c.Agent(*who, pos=at)]
    if not isfinite(length):
        raise CommandError(f"pose.orientation is {(x, y, z, w)}; it must be a quaternion of finite numbers")
    x, y, z, w = x / length, y / length, z / length, w / length
    if dialect.free_poses:
        return [c.Agent(*who, move3d=(*at, w, x, y, z))]
    roll, pitch, yaw = rpy_from_quaternion((x, y, z, w))
    if abs(roll) > LEVEL or abs(pitch) > LEVEL:
        raise CommandError(
            f"pose.orientation: {dialect.server} turns a player about z alone, it cannot lay it down"
        )
    return [c.Agent(*who, move=(*at, convert.heading_deg(yaw, dialect.yaw_offset_deg)))]
