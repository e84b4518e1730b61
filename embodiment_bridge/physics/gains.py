# SPDX-License-Identifier: Apache-2.0
"""Limits and gains of motors of which a model does not say any."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, pi, sqrt
from typing import Final

import numpy as np

from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.joints import SLIDE, DrivenJoint

USUAL_SPEED: Final = 3.0  # rad/s, m/s
FULL_EFFORT_AT: Final = 0.1  # rad: a servo uses all its torque for a larger error
FULL_FORCE_AT: Final = 0.02  # m, likewise
DAMPING: Final = 0.7  # of the joint with the inertia that it moves while everything else stands still
LEAST_DAMPING_S: Final = 0.02  # kd / kp at least
ROTOR: Final = 1e-4  # kg m2 of a motor with its gear, per Nm, where the model has no armature
STABLE: Final = 0.25  # of the rate of steps: the fastest natural frequency of a joint, rad per step
SAFETY: Final = 3.0  # efforts where none are known: so many times what the weight of all needs


def fill_in(model: mujoco.MjModel, joints: Sequence[DrivenJoint], timestep: float) -> list[DrivenJoint]:
    """The joints with finite limits and gains at which they hold their load; ``model`` has those joints."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    inertia = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, inertia, data.qM)
    return [_filled(model, joint, float(inertia[dof, dof]), timestep) for joint, dof in _dofs(model, joints)]


def rotor_of(joint: DrivenJoint) -> float:
    """The armature of a joint whose model has none, kg m2."""
    return ROTOR * joint.effort


def _dofs(model: mujoco.MjModel, joints: Sequence[DrivenJoint]) -> list[tuple[DrivenJoint, int]]:
    return [(joint, int(model.joint(joint.name).dofadr[0])) for joint in joints]


def _filled(model: mujoco.MjModel, joint: DrivenJoint, inertia: float, timestep: float) -> DrivenJoint:
    number = int(model.joint(joint.name).id)
    effort = joint.effort if isfinite(joint.effort) and joint.effort > 0.0 else _effort(model, number)
    own = float(model.dof_armature[model.jnt_dofadr[number]])
    inertia += 0.0 if own else ROTOR * effort
    kp, kd = joint.kp, joint.kd
    if not kp:
        full = FULL_FORCE_AT if model.jnt_type[number] == SLIDE else FULL_EFFORT_AT
        kp = min(effort / full, inertia * (STABLE / timestep) ** 2)
        kd = max(kd, 2.0 * DAMPING * sqrt(kp * inertia), LEAST_DAMPING_S * kp)
    velocity = joint.velocity if isfinite(joint.velocity) and joint.velocity > 0.0 else USUAL_SPEED
    return replace(joint, effort=effort, kp=kp, kd=kd, velocity=velocity)


def _effort(model: mujoco.MjModel, joint: int) -> float:
    """Enough to lift all that hangs on the joint, from a guess of its length."""
    mass = float(model.body_subtreemass[model.jnt_bodyid[joint]])
    gravity = float(np.linalg.norm(model.opt.gravity)) or 9.81
    arm = 1.0 if model.jnt_type[joint] == SLIDE else max(float(model.stat.extent) / pi, 0.01)
    return SAFETY * mass * gravity * arm
