# SPDX-License-Identifier: Apache-2.0
"""The sight of a simulated robot: things in the field of view of its camera that nothing hides."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import radians, tan
from typing import Final

import numpy as np
import numpy.typing as npt

from embodiment_bridge.core.rotation import Vector
from embodiment_bridge.physics.assembly import EYE
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.simulation import Simulation
from embodiment_bridge.scene.entities import Sighting
from embodiment_bridge.scene.sight import FieldOfView, Pose

NEAR: Final = 1e-4  # m: so far behind the shell of a head the ray goes on
DEEPEST: Final = 16  # shells round the eye
NO_BODY: Final = -1
FIXED: Final = int(mujoco.mjtCamLight.mjCAMLIGHT_FIXED)
Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Thing:
    """Represents a thing of the world.

    Body: its number. low, high: corners of the box around its shapes in its frame, m.
    """

    name: str
    body: int
    low: Array
    high: Array


class Sight:
    """Sees as a simulated robot does: by the camera at ``camera_link``, or the first one of the model on the robot.

    A robot without either sees everything; ``camera`` is empty then.

    Args:
        simulation: with the robot in its world.
        width, height: field of view, rad.
    """

    def __init__(self, simulation: Simulation, width: float, height: float) -> None:
        self._simulation = simulation
        self._view = FieldOfView(width, height)
        self._slopes = tan(0.5 * min(width, radians(179.0))), tan(0.5 * min(height, radians(179.0)))
        self._number = _eye(simulation)
        self.camera = simulation.model.camera(self._number).name if self._number >= 0 else ""
        self._carrier = int(simulation.model.cam_bodyid[self._number]) if self._number >= 0 else -1
        self.things = list(_things(simulation))

    def picture(self) -> Iterator[Sighting]:
        """Return the things in view, in ``map``."""
        data = self._simulation.data
        for thing in self.things:
            turn, place = data.xmat[thing.body].reshape(3, 3), data.xpos[thing.body]
            if self._number < 0 or self._in_view(thing, place, turn):
                centre = (place + turn @ (0.5 * (thing.low + thing.high))).tolist()
                size = (thing.high - thing.low).tolist()
                kind = thing.name.rstrip("0123456789").rstrip("_") or thing.name
                yield Sighting(thing.name, kind, _three(centre), _three(size))

    def surely_shows(self, place: Vector) -> bool:
        """Return whether a thing whose centre is at ``place`` (m in ``map``) would be in the picture, not hidden."""
        if self._number < 0:
            return True
        eye, axes = self.pose()
        turn = np.zeros(4)
        mujoco.mju_mat2Quat(turn, np.ascontiguousarray(axes).ravel())
        w, x, y, z = turn.tolist()
        seen = self._view.surely_shows(Pose(_three(eye.tolist()), (x, y, z, w)), place)
        return seen and self._reaches(eye, np.array(place), NO_BODY)

    def pose(self) -> tuple[Array, Array]:
        """Place (m) and axes (columns: forward, left, up) of the eye in ``map``."""
        data = self._simulation.data
        axes = data.cam_xmat[self._number].reshape(3, 3)  # right, up, back
        return data.cam_xpos[self._number], np.column_stack([-axes[:, 2], -axes[:, 0], axes[:, 1]])

    def _in_view(self, thing: Thing, place: Array, turn: Array) -> bool:
        """Return whether the centre of a thing, or a point half way to a face, is in view and not hidden."""
        eye, axes = self.pose()
        middle, half = 0.5 * (thing.low + thing.high), 0.5 * (thing.high - thing.low)
        offsets = np.vstack([np.zeros(3), np.diag(0.5 * half), -np.diag(0.5 * half)])
        for offset in offsets:
            point = place + turn @ (middle + offset)
            ahead, left, up = axes.T @ (point - eye)
            inside = (
                ahead > 0.0 and abs(left) <= ahead * self._slopes[0] and abs(up) <= ahead * self._slopes[1]
            )
            if inside and self._reaches(eye, point, thing.body):
                return True
        return False

    def _reaches(self, eye: Array, point: Array, body: int) -> bool:
        """Return whether only the thing itself, and what carries the eye, is on the way from the eye to a point."""
        model, data = self._simulation.model, self._simulation.data
        hit = np.array([-1], dtype=np.int32)
        length = float(np.linalg.norm(point - eye))
        ahead = (point - eye) / length
        gone = 0.0
        for _ in range(DEEPEST):
            way = float(mujoco.mj_ray(model, data, eye + gone * ahead, ahead, None, 1, self._carrier, hit))
            if way < 0.0 or gone + way > length:
                return True
            struck = int(model.geom_bodyid[hit[0]])
            if int(model.body_weldid[struck]) != int(model.body_weldid[self._carrier]):
                return int(model.body_rootid[struck]) == body
            gone += way + NEAR
        return False


def _eye(simulation: Simulation) -> int:
    """Return the number of the camera; -1 if there is none."""
    model = simulation.model
    own = [
        camera
        for camera in range(model.ncam)
        if int(model.body_rootid[model.cam_bodyid[camera]]) == simulation.root
        and model.cam_mode[camera] == FIXED
    ]
    return next((camera for camera in own if model.camera(camera).name == EYE), own[0] if own else -1)


def _things(simulation: Simulation) -> Iterator[Thing]:
    """Return the bodies of the world that are not the robot, with shapes."""
    model = simulation.model
    for body in range(1, model.nbody):
        if int(model.body_parentid[body]) != 0 or body == simulation.root:
            continue
        box = _box(model, body)
        if box is not None:
            yield Thing(model.body(body).name, body, *box)


def _box(model: mujoco.MjModel, body: int) -> tuple[Array, Array] | None:
    corners = []
    for geom in range(model.ngeom):
        if int(model.geom_bodyid[geom]) == body:
            centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
            middle = model.geom_pos[geom] + turn.reshape(3, 3) @ centre
            reach = np.abs(turn.reshape(3, 3)) @ half
            corners += [middle - reach, middle + reach]
    return (np.min(corners, axis=0), np.max(corners, axis=0)) if corners else None


def _three(values: list[float]) -> Vector:
    x, y, z = values
    return x, y, z
