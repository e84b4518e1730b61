# SPDX-License-Identifier: Apache-2.0
"""Puts a robot into a world: motors on its joints, a free or a fixed base, an IMU; compiled into one model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Final

import numpy as np

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.physics.engine import mujoco, one_line
from embodiment_bridge.physics.joints import DrivenJoint, fill_in, find_motors, rotor_of
from embodiment_bridge.physics.model_file import (
    ModelFile,
    add_world,
    compile_spec,
    massless,
    read_model,
)
from embodiment_bridge.physics.perturbations import lowest
from embodiment_bridge.physics.prepared_urdf import WORLD_LINK
from embodiment_bridge.physics.shapes import mesh_files

BASES: Final = ("auto", "floating", "fixed")
MOTOR: Final = "motor of "
IMU: Final = "sensed "  # before the names of the sensors that are added
IMU_LINK: Final = "imu_link"
CAMERA_LINK, EYE = "camera_link", "eye"
AHEAD: Final = (0.5, 0.5, -0.5, -0.5)  # w, x, y, z: a camera that looks along +x, with +z up
FREE: Final = mujoco.mjtJoint.mjJNT_FREE
DEEP: Final = -1e-4  # m: parts of a robot that touch more than this at the start are one housing


@dataclass(frozen=True, slots=True)
class Assembly:
    """Represents a compiled model of a robot in a world.

    root: name of the body that is the base of the robot. joints: those that are driven, in the order of their motors.
    keyframes: joint positions by the name of the model's keyframe. floating: whether the base is free.
    meshes: files by the name of the mesh.
    in_stand: whether it was taken hold of, and so may be put where the feet are free.
    """

    name: str
    model: mujoco.MjModel
    root: str
    joints: tuple[DrivenJoint, ...]
    floating: bool
    in_stand: bool = False
    keyframes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    meshes: Mapping[str, Path] = field(default_factory=dict)


def assemble(path: Path, *, base: str = "auto", world: str = "auto", timestep: float = 0.001) -> Assembly:
    """Read a robot and put it into a world.

    base: ``floating`` or ``fixed``; ``auto``: as an MJCF says, and floating for a URDF whose root is not ``world``.
    world: see ``world_file``. timestep: s.

    Raises:
        ConfigError: a file cannot be read or used; one line with file and element.
    """
    if base not in BASES:
        raise ConfigError(f"base is {base!r}; it must be one of {', '.join(BASES)}")
    if not 0.0 < timestep < 1.0:
        raise ConfigError(f"timestep is {timestep} s; it must be above 0 and below 1")
    file = read_model(path)
    spec = file.spec
    _name_all(spec)
    alone = compile_spec(spec, path)
    found = find_motors(alone, file.robot)
    if not found.joints:
        raise ConfigError(f"model {path}: it has no joint that can be driven")
    for joint in found.joints:
        if isnan(joint.lower) or isnan(joint.upper):
            raise ConfigError(f"model {path}: joint {joint.name!r}: range {joint.lower} {joint.upper}")
    joints = fill_in(alone, found.joints, timestep)
    keyframes, meshes = _keyframes(alone), mesh_files(spec)
    warnings = [*file.warnings, *(f"{what} is left alone" for what in found.left)]
    warnings += [f"joint {name} is a ball joint: links behind it stand still on /tf" for name in found.still]
    root = spec.body(alone.body(found.root).name)
    _remove(spec, [alone.actuator(a).name for a in found.replaced])
    try:
        for joint in joints:
            _add_motor(spec, alone, joint)
        own = _own_base(file, root)
        floating = _set_base(spec, root, own if base == "auto" else base, path)
        in_stand = own == "floating" and not floating
        _add_imu(spec, root)
        _add_eye(spec)
        depth = 0.0 if floating or in_stand else _depth(alone, joints, keyframes, found.root)
        warnings += add_world(spec, world, depth)
    except ValueError as error:  # the model or the world has a name that is used already
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"model {path}: {one_line(error)}") from error
    spec.option.timestep = timestep
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model = compile_spec(spec, path)
    pairs = _grown_together(model, int(model.body(root.name).id))
    if pairs:
        for first, second in pairs:
            spec.add_exclude(bodyname1=first, bodyname2=second)
            warnings.append(f"links {first} and {second} overlap at the start: they do not collide")
        model = compile_spec(spec, path)
    if floating and not _touches(model, int(model.body(root.name).id)):
        warnings.append("no link has a collision shape: the robot falls through the ground")
    warnings += [f"link {name!r} moves and has no mass: it gets a tiny one" for name in massless(spec, model)]
    return Assembly(
        spec.modelname or path.stem,
        model,
        root.name,
        tuple(joints),
        floating,
        in_stand,
        keyframes,
        tuple(warnings),
        meshes,
    )


def _name_all(spec: mujoco.MjSpec) -> None:
    """Name the parts without a name, since parts are found by name once the model is compiled anew."""
    for kind, things in (("body", spec.bodies), ("joint", spec.joints), ("actuator", spec.actuators)):
        taken = {thing.name for thing in things}
        for number, thing in enumerate(things):
            if not thing.name:
                thing.name = next(n for n in _names(f"{kind}_{number}") if n not in taken)
                taken.add(thing.name)


def _names(stem: str) -> Iterator[str]:
    yield stem
    yield from (f"{stem}_{number}" for number in range(1, 1_000_000))


def _keyframes(model: mujoco.MjModel) -> dict[str, dict[str, float]]:
    names = [
        (model.joint(j).name, int(model.jnt_qposadr[j]))
        for j in range(model.njnt)
        if model.jnt_type[j] != FREE
    ]
    return {
        model.key(k).name or str(k): {name: float(model.key_qpos[k, at]) for name, at in names}
        for k in range(model.nkey)
    }


def _remove(spec: mujoco.MjSpec, actuators: list[str]) -> None:
    """Take out actuators and what refers to them, and the keyframes, whose sizes would be wrong."""
    gone = set(actuators)
    for sensor in list(spec.sensors):
        if sensor.objtype == mujoco.mjtObj.mjOBJ_ACTUATOR and sensor.objname in gone:
            spec.delete(sensor)
    for actuator in list(spec.actuators):
        if actuator.name in gone:
            spec.delete(actuator)
    for key in list(spec.keys):
        spec.delete(key)


def _add_motor(spec: mujoco.MjSpec, model: mujoco.MjModel, joint: DrivenJoint) -> None:
    """Add a motor whose force is its control - kp * position - kd * velocity, within its effort."""
    number = int(model.joint(joint.name).id)
    if not model.dof_armature[model.jnt_dofadr[number]]:
        spec.joint(joint.name).armature = rotor_of(joint)
    motor = spec.add_actuator(name=MOTOR + joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.gaintype, motor.biastype = mujoco.mjtGain.mjGAIN_FIXED, mujoco.mjtBias.mjBIAS_AFFINE
    motor.gainprm[0] = 1.0
    motor.biasprm[:3] = [0.0, -joint.kp, -joint.kd]
    motor.forcelimited, motor.forcerange = True, [-joint.effort, joint.effort]
    motor.ctrllimited = False


def _own_base(file: ModelFile, root: mujoco.MjsBody) -> str:
    """Return what a model says of its base: a URDF floats, unless its root is the world."""
    if file.robot is not None and file.robot.root != WORLD_LINK:
        return "floating"
    return "floating" if any(joint.type == FREE for joint in root.joints) else "fixed"


def _depth(
    model: mujoco.MjModel,
    joints: Sequence[DrivenJoint],
    keyframes: Mapping[str, Mapping[str, float]],
    root: int,
) -> float:
    """Return the height of the lowest point at the start of a robot that is bolted to the world; 0 if it is higher."""
    data, first = mujoco.MjData(model), next(iter(keyframes.values()), {})
    for joint in joints:
        data.joint(joint.name).qpos[0] = min(max(first.get(joint.name, 0.0), joint.lower), joint.upper)
    mujoco.mj_kinematics(model, data)
    return min(lowest(model, data, root), 0.0)


def _set_base(spec: mujoco.MjSpec, root: mujoco.MjsBody, base: str, path: Path) -> bool:
    """Let the base go, or hold it; returns whether it is free."""
    free = [joint for joint in root.joints if joint.type == FREE]
    if base == "fixed":
        for joint in free:
            spec.delete(joint)
        return False
    if base == "floating" and not free:
        if list(root.joints):
            raise ConfigError(
                f"model {path}: base is 'floating', but body {root.name!r} has joints to the world already"
            )
        root.add_freejoint(name=f"free {root.name}")
        return True
    return bool(free)


def _add_imu(spec: mujoco.MjSpec, root: mujoco.MjsBody) -> None:
    body = spec.body(IMU_LINK) or root
    site = body.add_site(name=IMU + "imu", group=5)
    kinds = {"rates": mujoco.mjtSensor.mjSENS_GYRO, "acceleration": mujoco.mjtSensor.mjSENS_ACCELEROMETER}
    for name, kind in kinds.items():
        spec.add_sensor(name=IMU + name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=site.name)


def _add_eye(spec: mujoco.MjSpec) -> None:
    """Add a camera at the link ``camera_link``, which looks along its x axis; a model may have one of this name."""
    link = spec.body(CAMERA_LINK)
    if link is not None and spec.camera(EYE) is None:
        link.add_camera(name=EYE, quat=AHEAD)


def _touches(model: mujoco.MjModel, root: int) -> bool:
    """Return whether anything of the robot can touch the world."""
    own = np.asarray(model.body_rootid)[model.geom_bodyid] == root
    return bool(np.any(own & ((model.geom_contype != 0) | (model.geom_conaffinity != 0))))


def _grown_together(model: mujoco.MjModel, root: int) -> list[tuple[str, str]]:
    """Return the pairs of bodies of the robot that overlap at zero angles."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    own = np.asarray(model.body_rootid) == root
    pairs = set()
    for contact in data.contact:
        first, second = (int(model.geom_bodyid[g]) for g in contact.geom)
        if own[first] and own[second] and contact.dist < DEEP:
            pairs.add((min(first, second), max(first, second)))
    return [(model.body(a).name, model.body(b).name) for a, b in sorted(pairs)]
