# SPDX-License-Identifier: Apache-2.0
"""Entities from a picture of a soccer game: the ball, the other players, the landmarks of the field."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.scene.camera import Pose
from embodiment_bridge.scene.entities import Sighting
from embodiment_bridge.scene.sight import Agent, Sight

BALL: Final = "B"  # the name of the ball in the RoboCup simulators
LEAST_PLAYER: Final = (
    0.3,
    0.3,
    0.1,
)  # m; smaller than any robot, so that a player seen by one part has a size


@dataclass(frozen=True, slots=True)
class Player:
    """The player that sees the picture: name of its team and its number."""

    team: str
    number: int


def sightings(sight: Sight, camera: Pose, me: Player, ball_diameter: float) -> Iterator[Sighting]:
    """The things in a picture, in ``map``: ``ball``, ``player_TEAM_NUMBER`` except the own one, ``landmark_NAME``.

    camera: pose in ``map``. ball_diameter: m. A thing too far away to have a finite place is left out.

    A player's size is the box (along the axes of ``map``) around the parts in view and the ground below them;
    its position is the centre of that box.
    """
    for point in sight.points:
        place = camera.place(point.position)
        if not math.isfinite(sum(place)):
            continue
        if point.name == BALL:
            yield Sighting("ball", "ball", place, (ball_diameter,) * 3)
        else:
            yield Sighting(f"landmark_{point.name}", "landmark", place, properties=(("name", point.name),))
    for agent in sight.agents:
        if (agent.team, agent.number) != (me.team, me.number):
            yield from _player(agent, [camera.place(part.position) for part in agent.parts])


def _player(agent: Agent, parts: Iterable[Vector]) -> Iterator[Sighting]:
    corners = [part for part in parts if math.isfinite(sum(part))]
    if not corners:
        return
    xs, ys, zs = zip(*corners, strict=True)
    low, high = (min(xs), min(ys), 0.0), (max(xs), max(ys), max(zs))
    x, y, z = (max(b - a, least) for a, b, least in zip(low, high, LEAST_PLAYER, strict=True))
    middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * z)
    number = str(agent.number)
    properties = (("team", agent.team), ("number", number))
    yield Sighting(f"player_{agent.team}_{number}", "player", middle, (x, y, z), properties)
