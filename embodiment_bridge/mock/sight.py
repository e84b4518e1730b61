# SPDX-License-Identifier: Apache-2.0
"""The sight of the mock body, by the camera in its head, and its memory of what is out of view."""

from collections.abc import Mapping, Sequence
from functools import partial

from embodiment_bridge.core.rotation import quaternion_from_rpy
from embodiment_bridge.mock.view import picture, sightings
from embodiment_bridge.mock.world import World
from embodiment_bridge.scene.camera import BASE_LINK, CAMERA_LINK, Camera, Pose
from embodiment_bridge.scene.entities import EntityMemory, Known
from embodiment_bridge.scene.field_of_view import FieldOfView
from embodiment_bridge.urdf import Robot

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
