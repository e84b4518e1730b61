# SPDX-License-Identifier: Apache-2.0
"""Acts on bodies from outside of the simulation: places them, and pushes them with forces for a time."""

from dataclasses import dataclass
from math import isfinite
from typing import Final

import numpy as np

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import Quaternion, Vector
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.shapes import MESH, PLANE, SPHERE

# Forces from outside on links of the robot, each for a time.

FOREVER: Final = 1_000_000_000  # steps
LONGEST: Final = 3600.0  # s


@dataclass(slots=True)
class Push:
    """Represents a force (N) and a torque (Nm) on a body, in ``map``, for so many more steps."""

    body: int
    force: Vector
    torque: Vector
    steps: int


class Pushes:
    """Holds the pushes on the robot whose base is the body ``root``."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, root: int) -> None:
        self._model, self._data = model, data
        self._links = {
            model.body(b).name: b for b in range(1, model.nbody) if int(model.body_rootid[b]) == root
        }
        self._base = root
        self._pushes: list[Push] = []

    @property
    def steps_left(self) -> int:
        """Steps until the next push ends."""
        return min((push.steps for push in self._pushes), default=FOREVER)

    def add(self, link: str, force: Vector, torque: Vector, seconds: float) -> None:
        """Push a link at its centre of mass; an empty name is the base. N, Nm in ``map``, s.

        Raises:
            CommandError: the link is unknown, or a value is not finite, or the time not above 0.
        """
        if link and link not in self._links:
            raise CommandError(unknown("link", link, self._links))
        if not all(map(isfinite, (*force, *torque))):
            raise CommandError(f"force {force} N, torque {torque} Nm is not finite")
        if not 0.0 < seconds <= LONGEST:
            raise CommandError(f"duration is {seconds} s; it must be above 0 and at most {LONGEST:g} s")
        steps = max(round(seconds / float(self._model.opt.timestep)), 1)
        self._pushes.append(Push(self._links.get(link, self._base), force, torque, steps))

    def apply(self) -> None:
        """Hand the forces to MuJoCo for the next steps."""
        if self._pushes:
            self._data.xfrc_applied[:] = 0.0
            for push in self._pushes:
                self._data.xfrc_applied[push.body] += (*push.force, *push.torque)

    def passed(self, steps: int) -> None:
        """Count the steps that have passed."""
        if self._pushes:
            for push in self._pushes:
                push.steps -= steps
            self._pushes = [push for push in self._pushes if push.steps > 0]
            if not self._pushes:
                self._data.xfrc_applied[:] = 0.0

    def clear(self) -> None:
        """End all pushes."""
        self._pushes.clear()
        mujoco.mju_zero(self._data.xfrc_applied.reshape(-1))


FREE: Final = int(mujoco.mjtJoint.mjJNT_FREE)
SKY: Final = 100.0  # m: from where it is looked down for the ground
CAPSULE: Final = int(mujoco.mjtGeom.mjGEOM_CAPSULE)
CYLINDER: Final = int(mujoco.mjtGeom.mjGEOM_CYLINDER)
ELLIPSOID: Final = int(mujoco.mjtGeom.mjGEOM_ELLIPSOID)


def drop_height(model: mujoco.MjModel, data: mujoco.MjData, root: int, x: float, y: float) -> float:
    """Return the height at which the base of the robot stands on what is at x, y (m).

    Its pose is that of ``data``.
    """
    return ground(model, data, root, x, y) + float(data.xpos[root][2]) - lowest(model, data, root)


def lowest(model: mujoco.MjModel, data: mujoco.MjData, root: int) -> float:
    """Return the height of the lowest point of the robot that can touch something, or else of any; m."""
    own = [
        g
        for g in range(model.ngeom)
        if int(model.body_rootid[model.geom_bodyid[g]]) == root and model.geom_type[g] != PLANE
    ]
    touching = [g for g in own if model.geom_contype[g] or model.geom_conaffinity[g]]
    return min((_lowest(model, data, g) for g in touching or own), default=0.0)


def ground(model: mujoco.MjModel, data: mujoco.MjData, root: int, x: float, y: float) -> float:
    """Return the height of what is at x, y apart from the robot, m; 0 where there is nothing."""
    height, hit = SKY, np.array([-1], dtype=np.int32)
    for _ in range(model.nbody):  # through the robot, link by link
        skipped = int(model.geom_bodyid[hit[0]]) if hit[0] >= 0 else root
        way = mujoco.mj_ray(
            model, data, np.array([x, y, height]), np.array([0.0, 0.0, -1.0]), None, 1, skipped, hit
        )
        if way < 0.0:
            return 0.0
        height -= float(way)
        if int(model.body_rootid[model.geom_bodyid[hit[0]]]) != root:
            return height
    return 0.0


def place_body(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    root: int,
    name: str,
    position: Vector,
    turn: Quaternion | None,
    velocity: Vector,
) -> None:
    """Place a body; see ``Simulation.place``."""
    movable = {
        model.body(b).name: b
        for b in range(1, model.nbody)
        if b != root and model.body_jntnum[b] == 1 and model.jnt_type[model.body_jntadr[b]] == FREE
    }
    if name not in movable:
        raise CommandError(unknown("thing that can be put somewhere", name, movable))
    if not np.isfinite([*position, *velocity, *(turn or ())]).all():
        raise CommandError(
            f"{name}: position {position} m, orientation {turn}, velocity {velocity} m/s is not finite"
        )
    joint = int(model.body_jntadr[movable[name]])
    at, dof = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    data.qpos[at : at + 3] = position
    if turn is not None:
        x, y, z, w = turn
        norm = float(np.linalg.norm(turn))
        if norm < 1e-6:
            raise CommandError(f"{name}: orientation {turn} is not a rotation")
        data.qpos[at + 3 : at + 7] = np.array([w, x, y, z]) / norm
    data.qvel[dof : dof + 6] = [*velocity, 0.0, 0.0, 0.0]
    mujoco.mj_forward(model, data)


def _lowest(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> float:
    """Return the lowest point of a geom, of a height field the lowest of the box around it; m."""
    up, middle = data.geom_xmat[geom].reshape(3, 3)[2], float(data.geom_xpos[geom][2])
    size, kind = model.geom_size[geom], int(model.geom_type[geom])
    if kind in (SPHERE, CAPSULE):
        return middle - float(size[0] + (abs(up[2]) * size[1] if kind == CAPSULE else 0.0))
    if kind == CYLINDER:
        return middle - float(size[0] * np.hypot(up[0], up[1]) + size[1] * abs(up[2]))
    if kind == ELLIPSOID:
        return middle - float(np.linalg.norm(up * size))
    if kind == MESH:
        mesh = int(model.geom_dataid[geom])
        first = int(model.mesh_vertadr[mesh])
        return middle + float((model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])] @ up).min())
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    return middle + float(up @ centre - np.abs(up) @ half)
