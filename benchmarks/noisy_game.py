# SPDX-License-Identifier: Apache-2.0
"""A player's pictures of a game by the noise of rcssservermj's master, made up here, and how wrong the entities are.

The numbers are the server's own (docs/rcsssmj.md): 1 % of the distance, 0.5 degrees, 1 % missed, 5 % taken for
something else, 0.1 % five times a picture of things that are not there, two decimals, one letter for a name.
"""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from embodiment_bridge.core.rotation import Vector, inverse, quaternion_from_rpy, rotate
from embodiment_bridge.protocols.rcsssmj.field import SEVEN, FieldFinder
from embodiment_bridge.scene.entities import EntityMemory
from embodiment_bridge.scene.sight import SOCCER, Agent, Point, Pose, Sight, point
from embodiment_bridge.scene.soccer import Player, goals, sightings

PERIOD = 0.04  # s between two pictures
HALF = 60.0  # degrees to each side
NAMES = sorted([*SEVEN, "B"])
POSTS = {"goal": ("g_rlp", "g_rup"), "own_goal": ("g_llp", "g_lup")}
JUMP = 1.0  # m; a ball that is moved further while it is elsewhere has been mistaken


def still(_: float) -> Vector:
    """A ball at rest, 5 m before the player."""
    return -1.0, 0.5, 0.11


def kicked(time: float) -> Vector:
    """A ball that is kicked at 3 m/s every eight seconds, and rolls to rest."""
    rolling = min(time % 8.0, 5.0)
    return -2.0 + 3.0 * rolling - 0.3 * rolling**2, 0.5, 0.11


@dataclass(slots=True)
class Findings:
    """Holds the result of a game: errors (m) of ball and mate while in view, and wrong jumps of the ball."""

    ball: list[float] = field(default_factory=list)
    mate: list[float] = field(default_factory=list)
    jumps: int = 0
    wrong_landmarks: int = 0
    goals: set[str] = field(default_factory=set)


def play(seconds: float, ball: Callable[[float], Vector], noise: float, seed: int = 1) -> Findings:
    """Watch a game; ``noise`` is what ``sightings`` is told, 0 for a body that believes all it sees."""
    chance, finder, found = random.Random(seed), FieldFinder(print), Findings()
    memory = EntityMemory(derived=lambda known: goals(known, POSTS))
    balls: list[tuple[Vector, Vector]] = []
    for number in range(int(seconds / PERIOD)):
        time = number * PERIOD
        around = math.radians(170.0) * math.sin(2.0 * math.pi * time / 20.0)
        eye = Pose((-6.0, 1.0, 1.2), quaternion_from_rpy(0.0, 0.15, around))
        mate = (3.0 + 2.0 * math.sin(0.3 * time), -2.0 + math.cos(0.2 * time), 0.6)
        picture = Sight(tuple(_points(eye, ball(time), chance)), tuple(_agents(eye, mate, chance)))
        name_of = lambda seen, place: finder.name(seen.name, place, seen.distance)  # noqa: E731
        things = sightings(picture, eye, Player("us", 2), 0.22, name_of, noise)
        memory.look(things, time, time, partial(SOCCER.surely_shows, eye))
        known = memory.things
        if "ball" in known:
            balls.append((known["ball"].position, ball(time)))
            if known["ball"].visible:
                found.ball.append(math.dist(*balls[-1]))
        if "player_us_3" in known and known["player_us_3"].visible:
            found.mate.append(math.dist(known["player_us_3"].position[:2], mate[:2]))
        found.goals |= known.keys() & POSTS.keys()
        found.wrong_landmarks += sum(
            math.dist(thing.position, SEVEN[id_.removeprefix("landmark_")]) > 2.0
            for id_, thing in known.items()
            if thing.kind == "landmark"
        )
    found.jumps = sum(
        math.dist(before[0], now[0]) > JUMP and math.dist(*now) > JUMP for before, now in pairwise(balls)
    )
    return found


def _points(eye: Pose, ball: Vector, chance: random.Random) -> Iterator[Point]:
    seen = []
    for true_name, place in (*SEVEN.items(), ("B", ball)):
        at = _polar(eye, place)
        if max(map(abs, at[1:])) > HALF or chance.random() < 0.01:
            continue
        name = (
            chance.choice([one for one in NAMES if one != true_name]) if chance.random() < 0.05 else true_name
        )
        seen.append((name, *_noisy(at, chance)))
    for _ in range(5):
        if chance.random() < 0.001:
            sides = chance.uniform(-HALF, HALF), chance.uniform(-HALF, HALF)
            seen.append((chance.choice(NAMES), chance.uniform(0.5, 15.0), *sides))
    chance.shuffle(seen)
    for name, distance, azimuth, elevation in seen:
        found = point(name[0].upper(), distance, math.radians(azimuth), math.radians(elevation))
        if found is not None:
            yield found


def _agents(eye: Pose, mate: Vector, chance: random.Random) -> Iterator[Agent]:
    at = _polar(eye, mate)
    if max(map(abs, at[1:])) <= HALF:
        distance, azimuth, elevation = _noisy(at, chance)
        head = point("head", distance, math.radians(azimuth), math.radians(elevation))
        if head is not None:
            yield Agent("us", 3, (head,))


def _polar(eye: Pose, place: Vector) -> Vector:
    """m and degrees."""
    x, y, z = rotate(inverse(eye.quaternion), _minus(place, eye.position))
    return (
        math.hypot(x, y, z),
        math.degrees(math.atan2(y, x)),
        math.degrees(math.atan2(z, math.hypot(x, y))),
    )


def _minus(one: Vector, other: Vector) -> Vector:
    return one[0] - other[0], one[1] - other[1], one[2] - other[2]


def _noisy(at: Vector, chance: random.Random) -> Vector:
    noisy = (
        at[0] + chance.gauss(0.0, 0.01 * at[0]),
        at[1] + chance.gauss(0.0, 0.5),
        at[2] + chance.gauss(0.0, 0.5),
    )
    a, b, c = (math.trunc(100.0 * value) / 100.0 for value in noisy)
    return a, b, c
