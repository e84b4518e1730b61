# SPDX-License-Identifier: Apache-2.0
"""The driven joints of a compiled model.

What it says of their actuators, and gains and limits where it says nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite, pi, sqrt
from typing import Final

import numpy as np

from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.urdf import Robot

HINGE, SLIDE = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE)
BALL: Final = int(mujoco.mjtJoint.mjJNT_BALL)
FIXED_GAIN: Final = int(mujoco.mjtGain.mjGAIN_FIXED)
INTEGRATOR: Final = int(mujoco.mjtDyn.mjDYN_INTEGRATOR)
BY_JOINT: Final = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
BY_TENDON: Final = int(mujoco.mjtTrn.mjTRN_TENDON)
WRAPS_JOINT: Final = int(mujoco.mjtWrap.mjWRAP_JOINT)
COUPLES_JOINTS: Final = int(mujoco.mjtEq.mjEQ_JOINT)


@dataclass(frozen=True, slots=True)
class DrivenJoint:
    """Represents a joint with a motor. Angles rad (m for a sliding joint); missing limits are infinite.

    velocity: rad/s; effort: Nm; kp: Nm/rad, kd: Nm s/rad, both 0 where the model does not say.
    """

    name: str
    lower: float
    upper: float
    velocity: float
    effort: float
    kp: float = 0.0
    kd: float = 0.0


@dataclass(slots=True)
class Motors:
    """Holds the motors that were found in a model.

    replaced: numbers of the model's own actuators, whose joints this package drives. left: what is left alone.
    still: names of ball joints, which neither have a motor nor one position for /tf.
    """

    root: int
    joints: list[DrivenJoint] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    still: list[str] = field(default_factory=list)


def find_motors(model: mujoco.MjModel, robot: Robot | None) -> Motors:
    """Return the robot in a model and the joints that can be driven.

    The robot is the tree with most actuators, or else with most joints. Driven are the joints that actuators of the
    model move, directly or by a fixed tendon; in a model without actuators all hinges and slides. A joint that is
    coupled to another one follows it.
    """
    by_actuator = _joints_of_actuators(model)
    moved = {joint for joints in by_actuator.values() for joint in joints}
    followers = {int(model.eq_obj1id[e]) for e in range(model.neq) if _couples(model, e)}
    everything = [j for j in range(model.njnt) if model.jnt_type[j] in (HINGE, SLIDE)]
    chosen = [j for j in everything if (j in moved or not moved) and j not in followers]
    root = _root_of(model, chosen)
    motors = Motors(root)
    for j in chosen:
        if int(model.body_rootid[model.jnt_bodyid[j]]) == root:
            own = [a for a, joints in by_actuator.items() if joints == [j] and a not in motors.replaced]
            motors.joints.append(_driven(model, j, own, robot))
    names = {joint.name for joint in motors.joints}
    for a in range(model.nu):
        if a in by_actuator and any(model.joint(j).name in names for j in by_actuator[a]):
            motors.replaced.append(a)
        else:
            motors.left.append(f"actuator {model.actuator(a).name or a}{_elsewhere(model, a, root)}")
    motors.still += [
        model.joint(j).name
        for j in range(model.njnt)
        if model.jnt_type[j] == BALL and int(model.body_rootid[model.jnt_bodyid[j]]) == root
    ]
    motors.left += [
        f"joint {model.joint(j).name or j}"
        for j in everything
        if j not in chosen and j not in followers and int(model.body_rootid[model.jnt_bodyid[j]]) == root
    ]
    return motors


def _elsewhere(model: mujoco.MjModel, actuator: int, root: int) -> str:
    """Return where an actuator is that moves a joint of another robot in the model."""
    for joint in _joints_of_actuators(model).get(actuator, ()):
        other = int(model.body_rootid[model.jnt_bodyid[joint]])
        if other != root:
            return f" of {model.body(other).name!r}, another robot than {model.body(root).name!r},"
    return ""


def _joints_of_actuators(model: mujoco.MjModel) -> dict[int, list[int]]:
    """Return the numbers of the joints on which each actuator acts, by actuator."""
    found = {}
    for a in range(model.nu):
        target, kind = int(model.actuator_trnid[a, 0]), int(model.actuator_trntype[a])
        if kind in BY_JOINT and model.jnt_type[target] in (HINGE, SLIDE):
            found[a] = [target]
        elif kind == BY_TENDON:
            joints = list(_wrapped(model, target))
            if joints:
                found[a] = joints
    return found


def _wrapped(model: mujoco.MjModel, tendon: int) -> Iterator[int]:
    """Yield the joints of a fixed tendon; none for one that runs over sites."""
    first, number = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    for w in range(first, first + number):
        if model.wrap_type[w] == WRAPS_JOINT:
            yield int(model.wrap_objid[w])


def _couples(model: mujoco.MjModel, equality: int) -> bool:
    return bool(
        model.eq_type[equality] == COUPLES_JOINTS
        and model.eq_active0[equality]
        and model.eq_obj2id[equality] >= 0
    )


def _root_of(model: mujoco.MjModel, joints: list[int]) -> int:
    roots = [int(model.body_rootid[model.jnt_bodyid[j]]) for j in joints]
    if not roots:
        first = np.flatnonzero(np.asarray(model.body_parentid[1:]) == 0)
        return int(first[0]) + 1 if len(first) else 0
    return max(dict.fromkeys(roots), key=roots.count)


def _driven(model: mujoco.MjModel, joint: int, actuators: list[int], robot: Robot | None) -> DrivenJoint:
    name = model.joint(joint).name
    limit = robot.joints[name].limit if robot is not None and name in robot.joints else None
    limited = bool(model.jnt_limited[joint])
    lower, upper = map(float, model.jnt_range[joint]) if limited else (-inf, inf)
    effort = float(model.jnt_actfrcrange[joint, 1]) if model.jnt_actfrclimited[joint] else inf
    kp = kd = 0.0
    if len(actuators) == 1 and int(model.actuator_gaintype[actuators[0]]) == FIXED_GAIN:
        (a,) = actuators
        gear, bias = float(model.actuator_gear[a, 0]), model.actuator_biasprm[a]
        kp, kd = max(-float(bias[1]), 0.0) * gear * gear, max(-float(bias[2]), 0.0) * gear * gear
        effort = min(effort, abs(gear) * _strength(model, a, is_motor=not (kp or kd)))
        if kp:
            lower, upper = _reach(model, a, lower, upper)
    return DrivenJoint(name, lower, upper, limit.velocity if limit else inf, effort, kp, kd)


def _reach(model: mujoco.MjModel, actuator: int, lower: float, upper: float) -> tuple[float, float]:
    """Return the part of a joint's range to which its position actuator goes, or all of it where there is none."""
    ends, is_limited = model.actuator_ctrlrange[actuator], model.actuator_ctrllimited[actuator]
    if int(model.actuator_dyntype[actuator]) == INTEGRATOR:  # its control is a speed
        ends, is_limited = model.actuator_actrange[actuator], model.actuator_actlimited[actuator]
    if not is_limited:
        return lower, upper
    gain, bias = float(model.actuator_gainprm[actuator, 0]), model.actuator_biasprm[actuator]
    scale = -float(bias[1]) * float(model.actuator_gear[actuator, 0])
    least, most = sorted((gain * float(end) + float(bias[0])) / scale for end in ends)
    least, most = max(lower, least), min(upper, most)
    return (least, most) if least < most else (lower, upper)


def _strength(model: mujoco.MjModel, actuator: int, *, is_motor: bool) -> float:
    """Return the greatest force of an actuator, before its gear."""
    force = inf
    if model.actuator_forcelimited[actuator]:
        force = float(np.abs(model.actuator_forcerange[actuator]).max())
    if is_motor and model.actuator_ctrllimited[actuator]:
        most = float(np.abs(model.actuator_ctrlrange[actuator]).max())
        force = min(force, most * abs(float(model.actuator_gainprm[actuator, 0])))
    return force


# Limits and gains of motors of which a model does not say any.

USUAL_SPEED: Final = 3.0  # rad/s, m/s
FULL_EFFORT_AT: Final = 0.1  # rad: a servo uses all its torque for a larger error
FULL_FORCE_AT: Final = 0.02  # m, likewise
DAMPING: Final = 0.7  # damping ratio of the joint with the inertia that it moves while all else stands still
LEAST_DAMPING_S: Final = 0.02  # kd / kp at least
ROTOR: Final = 1e-4  # kg m2 of a motor with its gear, per Nm, where the model has no armature
STABLE: Final = 0.25  # fastest natural frequency of a joint, rad per step
SAFETY: Final = 3.0  # efforts where none are known: so many times what the weight of all needs


def fill_in(model: mujoco.MjModel, joints: Sequence[DrivenJoint], timestep: float) -> list[DrivenJoint]:
    """Return the joints with finite limits and gains at which they hold their load; ``model`` has those joints."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    diagonal = data.M[model.M_rowadr + model.M_rownnz - 1]  # the last of each row, from MuJoCo 3.5 on
    return [_filled(model, joint, float(diagonal[dof]), timestep) for joint, dof in _dofs(model, joints)]


def rotor_of(joint: DrivenJoint) -> float:
    """Return the armature of a joint whose model has none, kg m2."""
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
    """Guess an effort that lifts all that hangs on the joint, from a guess of its length."""
    mass = float(model.body_subtreemass[model.jnt_bodyid[joint]])
    gravity = float(np.linalg.norm(model.opt.gravity)) or 9.81
    arm = 1.0 if model.jnt_type[joint] == SLIDE else max(float(model.stat.extent) / pi, 0.01)
    return SAFETY * mass * gravity * arm
