# SPDX-License-Identifier: Apache-2.0
"""The world as entities: a mock body sees everything."""

from collections.abc import Iterator

from embodiment_bridge.mock import ball, neighbour
from embodiment_bridge.mock.obstacles import Obstacle
from embodiment_bridge.mock.scenery import WALL_HEIGHT, WALLS
from embodiment_bridge.mock.world import World
from embodiment_bridge.scene.entities import Sighting


def sightings(world: World, owner: str) -> Iterator[Sighting]:
    """The ball (with ``owner`` while it is in the hand), the other agent and the walls."""
    held = (("owner", owner),) if world.ball.held else ()
    yield Sighting("ball", "ball", world.ball.place, (2.0 * ball.RADIUS,) * 3, held)
    other = world.neighbour
    wide, high = 2.0 * neighbour.RADIUS, neighbour.HEIGHT
    name = (("name", neighbour.NAME),)
    yield Sighting(neighbour.NAME, "player", (other.x, other.y, 0.5 * high), (wide, wide, high), name)
    for id_, wall in WALLS.items():
        yield _wall(id_, wall)


def _wall(id_: str, wall: Obstacle) -> Sighting:
    size = (2.0 * wall.half_x, 2.0 * wall.half_y, WALL_HEIGHT)
    return Sighting(id_, "wall", (wall.x, wall.y, 0.5 * WALL_HEIGHT), size)
