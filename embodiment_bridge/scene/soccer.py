# SPDX-License-Identifier: Apache-2.0
"""Entities from a picture of a soccer game: the ball, the other players, the landmarks of the field."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.scene.entities import LANDMARK, Known, Sighting
from embodiment_bridge.scene.sight import Agent, Point, Pose, Sight

BALL: Final = "B"  # the name of the ball in the RoboCup simulators
LAST_DIGIT: Final = 0.01  # m, of a distance on the wire
FARTHEST: Final = 100.0  # m
# m; smaller than any robot, so that a player seen by one part has a size
LEAST_PLAYER: Final = (0.3, 0.3, 0.1)


NameOf: TypeAlias = Callable[[Point, Vector], str]


@dataclass(frozen=True, slots=True)
class Player:
    """The player that sees the picture: name of its team and its number."""

    team: str
    number: int


def sightings(
    sight: Sight,
    camera: Pose,
    me: Player,
    ball_diameter: float,
    name_of: NameOf = lambda point, _: point.name,
    noise: float = 0.0,
) -> Iterator[Sighting]:
    """The things in a picture: ``ball``, ``player_TEAM_NUMBER`` except the own one, ``landmark_NAME``.

    They are in the frame of the camera's pose. ball_diameter: m. name_of: the name of a landmark, by what the picture
    shows and its place. What has no name, or no finite place because it is too far away, is left out. noise: one sigma
    of a place along an axis, as a share of the distance.

    A player's size is the box (along the axes of that frame) around the parts in view and the ground below them;
    its position is the centre of that box.
    """
    for point in sight.points:
        place = camera.place(point.position)
        if not math.isfinite(sum(place)):
            continue
        if point.name == BALL:
            yield Sighting("ball", "ball", place, (ball_diameter,) * 3, spread=_spread(noise, point))
        elif name := name_of(point, place):
            spread = _spread(noise, point)
            yield Sighting(f"landmark_{name}", LANDMARK, place, properties=(("name", name),), spread=spread)
    for agent in sight.agents:
        if (agent.team, agent.number) != (me.team, me.number):
            spread = min((_spread(noise, part) for part in agent.parts), default=0.0)
            yield from _player(agent, [camera.place(part.position) for part in agent.parts], spread)


def _spread(noise: float, point: Point) -> float:
    """m; not less than the last digit, and not so much that numbers end."""
    return min(max(noise * point.distance, LAST_DIGIT), FARTHEST) if noise else 0.0


def goals(known: Mapping[str, Known], posts: Mapping[str, tuple[str, str]]) -> Iterator[Known]:
    """The goals of which both posts are known; ``posts`` has the names of their landmarks by the id of the goal.

    Its position is the middle of the mouth, its size that of the mouth. It is visible while both posts are.
    """
    for id_, names in posts.items():
        one, other = (known.get(f"landmark_{name}") for name in names)
        if one is not None and other is not None:
            yield _goal(id_, one, other)


def _goal(id_: str, one: Known, other: Known) -> Known:
    (x1, y1, z1), (x2, y2, z2) = one.position, other.position
    high = max(z1, z2, 0.0)
    place = (0.5 * (x1 + x2), 0.5 * (y1 + y2), 0.5 * high)
    older = min(one, other, key=lambda post: post.seen_s)
    size = (abs(x1 - x2), abs(y1 - y2), high)
    return Known(Sighting(id_, "goal", place, size), older.seen_s, older.stamp, one.visible and other.visible)


def _player(agent: Agent, parts: Iterable[Vector], spread: float) -> Iterator[Sighting]:
    corners = [part for part in parts if math.isfinite(sum(part))]
    if not corners:
        return
    xs, ys, zs = zip(*corners, strict=True)
    low, high = (min(xs), min(ys), 0.0), (max(xs), max(ys), max(zs))
    x, y, z = (max(b - a, least) for a, b, least in zip(low, high, LEAST_PLAYER, strict=True))
    middle = (0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * z)
    number = str(agent.number)
    properties = (("team", agent.team), ("number", number))
    yield Sighting(f"player_{agent.team}_{number}", "player", middle, (x, y, z), properties, spread)
