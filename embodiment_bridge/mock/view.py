# SPDX-License-Identifier: Apache-2.0
"""The world as entities, and those of them that are in the picture of a mock body's camera."""

from collections.abc import Iterator, Mapping
from itertools import product

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.mock import ball, neighbour
from embodiment_bridge.mock.obstacles import Obstacle
from embodiment_bridge.mock.scenery import GOAL, GOAL_HALF_WIDTH, GOAL_X, WALL_HEIGHT, WALLS
from embodiment_bridge.mock.world import World
from embodiment_bridge.scene.camera import Pose
from embodiment_bridge.scene.entities import Sighting
from embodiment_bridge.scene.field_of_view import FieldOfView

PARTS = (-1.0, -0.5, 0.0, 0.5, 1.0)  # shares of half the extent at which a thing is looked for


def things(world: World) -> Mapping[str, Sighting]:
    """All things by id."""
    return {thing.id: thing for thing in sightings(world, "")}


def sightings(world: World, owner: str) -> Iterator[Sighting]:
    """The ball (with ``owner`` while it is in the hand), the other agent, the goal and the walls."""
    held = (("owner", owner),) if world.ball.held else ()
    yield Sighting("ball", "ball", world.ball.place, (2.0 * ball.RADIUS,) * 3, held)
    other = world.neighbour
    wide, high = 2.0 * neighbour.RADIUS, neighbour.HEIGHT
    name = (("name", neighbour.NAME),)
    yield Sighting(neighbour.NAME, "player", (other.x, other.y, 0.5 * high), (wide, wide, high), name)
    mouth = (0.0, 2.0 * GOAL_HALF_WIDTH, WALL_HEIGHT)
    yield Sighting(GOAL, GOAL, (GOAL_X, 0.0, 0.5 * WALL_HEIGHT), mouth)
    for id_, wall in WALLS.items():
        yield _wall(id_, wall)


def picture(world: World, owner: str, eye: Pose, view: FieldOfView) -> Iterator[Sighting]:
    """The things of which the camera at ``eye`` sees a part, and the ball in the hand, which is felt."""
    for thing in sightings(world, owner):
        if (world.ball.held and thing.id == "ball") or any(view.shows(eye, part) for part in _parts(thing)):
            yield thing


def _parts(thing: Sighting) -> Iterator[Vector]:
    (x, y, z), (long, wide, _) = thing.position, thing.size
    yield thing.position
    for a, b in product(PARTS, PARTS):
        yield x + 0.5 * a * long, y + 0.5 * b * wide, z


def _wall(id_: str, wall: Obstacle) -> Sighting:
    size = (2.0 * wall.half_x, 2.0 * wall.half_y, WALL_HEIGHT)
    return Sighting(id_, "wall", (wall.x, wall.y, 0.5 * WALL_HEIGHT), size)
