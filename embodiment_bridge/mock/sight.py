# SPDX-License-Identifier: Apache-2.0
"""The sight of the mock body: which entities are in the picture of its camera, and its memory of those out of view."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product

from embodiment_bridge.core.rotation import Vector, quaternion_from_rpy
from embodiment_bridge.mock import ball, neighbour
from embodiment_bridge.mock.obstacles import Obstacle
from embodiment_bridge.mock.world import GOAL, GOAL_HALF_WIDTH, GOAL_X, WALL_HEIGHT, WALLS, World
from embodiment_bridge.scene.entities import EntityMemory, Known, Sighting
from embodiment_bridge.scene.sight import BASE_LINK, CAMERA_LINK, Camera, FieldOfView, Pose
from embodiment_bridge.urdf import Robot

# The world as entities, and those of them that are in the picture of a mock body's camera.

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


EYES_HEIGHT = 0.35  # m over base_link


class Sight:
    """The eyes and the memory of one mock body.

    Args:
        robot: its description; without a link ``camera_link`` the eye is above the base and looks ahead.
        joints: names, in the body's order.
        owner: name of the body, for the ball in its hand.
        view: of the camera.
    """

    def __init__(self, robot: Robot, joints: Sequence[str], owner: str, view: FieldOfView) -> None:
        self._camera = Camera(robot, joints) if {BASE_LINK, CAMERA_LINK} <= set(robot.links) else None
        self._owner = owner
        self._view = view
        self._memory = EntityMemory()

    def things(self, world: World) -> Mapping[str, Known]:
        """All things of the world, and which of them were in the latest picture."""
        seen = {id_ for id_, known in self._memory.things.items() if known.visible}
        return {
            thing.id: Known(thing, world.time, None, thing.id in seen)
            for thing in sightings(world, self._owner)
        }

    def look(self, world: World, stamp: object) -> list[Known]:
        """All things that are known now, and those just forgotten.

        Call it regularly, also while nobody asks, so that nothing seen is missed.
        """
        state = world.state
        base = Pose(state.base_position, quaternion_from_rpy(0.0, 0.0, state.yaw))
        eye = self._camera.pose(base, state.position) if self._camera is not None else None
        if eye is None:
            eye = Pose(base.place((0.0, 0.0, EYES_HEIGHT)), base.quaternion)
        things = picture(world, self._owner, eye, self._view)
        known = self._memory.look(things, world.time, stamp, partial(self._view.surely_shows, eye))
        return [*known, *self._memory.forgotten]
