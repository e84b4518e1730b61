# SPDX-License-Identifier: Apache-2.0
"""Requests of ROS to RCSSServerMJ besides motion, as commands."""

from collections.abc import Callable
from functools import partial

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.rcsssmj import SPEC
from embodiment_bridge.protocols.rcsssmj.command_writer import CommandWriter
from embodiment_bridge.protocols.rcsssmj.commands import ACTIONS, MAX_SAY, Action, Say
from embodiment_bridge.protocols.rcsssmj.convert import beam
from embodiment_bridge.protocols.rcsssmj.robots import Robot
from embodiment_bridge.protocols.soccer.plain_commands import makers
from embodiment_bridge.protocols.soccer.requests import Requests

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
