# SPDX-License-Identifier: Apache-2.0
"""Where bodies are put: a robot onto what is below it, things of the world anywhere."""

from typing import Final

import numpy as np

from embodiment_bridge.core.errors import CommandError, unknown
from embodiment_bridge.core.rotation import Quaternion, Vector
from embodiment_bridge.physics.engine import mujoco

FREE: Final = int(mujoco.mjtJoint.mjJNT_FREE)
SKY: Final = 100.0  # m: from where it is looked down for the ground
PLANE: Final = int(mujoco.mjtGeom.mjGEOM_PLANE)


def drop_height(model: mujoco.MjModel, data: mujoco.MjData, root: int, x: float, y: float) -> float:
    """The height at which the base of the robot stands on what is at x, y (m); its pose is that of ``data``."""
    own = [
        g
        for g in range(model.ngeom)
        if int(model.body_rootid[model.geom_bodyid[g]]) == root and model.geom_type[g] != PLANE
    ]
    touching = [g for g in own if model.geom_contype[g] or model.geom_conaffinity[g]]
    lowest = min((_lowest(model, data, g) for g in touching or own), default=0.0)
    return ground(model, data, root, x, y) + float(data.xpos[root][2]) - lowest


def ground(model: mujoco.MjModel, data: mujoco.MjData, root: int, x: float, y: float) -> float:
    """The height of what is at x, y apart from the robot, m; 0 where there is nothing."""
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
    """See ``Simulation.place``."""
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
    """The lowest point of the box around a geom, or of a sphere or capsule, m."""
    centre, size = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    turn = data.geom_xmat[geom].reshape(3, 3)
    middle = float((data.geom_xpos[geom] + turn @ centre)[2])
    kind = int(model.geom_type[geom])
    if kind == int(mujoco.mjtGeom.mjGEOM_SPHERE):
        return middle - float(size[2])
    if kind == int(mujoco.mjtGeom.mjGEOM_CAPSULE):
        radius, half = model.geom_size[geom, :2]
        return middle - float(radius + abs(turn[2, 2]) * half)
    return middle - float(np.abs(turn[2]) @ size)
