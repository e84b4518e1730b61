# SPDX-License-Identifier: Apache-2.0
"""Geoms of a model as the visuals of a URDF, and the numbers of both."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from lxml import etree

from embodiment_bridge.core.rotation import Quaternion, Vector, inverse, multiply, rotate, rpy_from_quaternion
from embodiment_bridge.physics.engine import mujoco

PLANE: Final = int(mujoco.mjtGeom.mjGEOM_PLANE)
SPHERE: Final = int(mujoco.mjtGeom.mjGEOM_SPHERE)
MESH: Final = int(mujoco.mjtGeom.mjGEOM_MESH)
ROUND: Final = (int(mujoco.mjtGeom.mjGEOM_CYLINDER), int(mujoco.mjtGeom.mjGEOM_CAPSULE))
OWN_FORMAT: Final = ".msh"  # which no other program reads
HIDDEN_GROUP: Final = 3  # from which on MuJoCo's viewer does not show geoms
UNTURNED: Final = (1.0, 0.0, 0.0, 0.0)  # w first
NO_MESHES: Final[Mapping[str, Path]] = MappingProxyType({})


def mesh_files(spec: mujoco.MjSpec) -> dict[str, Path]:
    """Return the files of the meshes of a model by the name of the mesh.

    Those without a file, in MuJoCo's own format, and whose file MuJoCo moves (``refpos``, ``refquat``) are left out.
    """
    folder = Path(spec.modelfiledir) / spec.meshdir
    files = {
        mesh.name or Path(mesh.file).stem: folder / mesh.file
        for mesh in spec.meshes
        if mesh.file and not any(mesh.refpos) and tuple(mesh.refquat) == UNTURNED
    }
    files = {
        name: path for name, path in files.items() if path.suffix.lower() != OWN_FORMAT and path.is_file()
    }
    return {name: path.resolve() for name, path in files.items()}


def shown(model: mujoco.MjModel, body: int) -> list[int]:
    """Return the geoms of a body that viewers show, or all where none are shown."""
    first = int(model.body_geomadr[body])
    geoms = [
        geom
        for geom in range(first, first + int(model.body_geomnum[body]))
        if int(model.geom_type[geom]) != PLANE
    ]
    return [geom for geom in geoms if int(model.geom_group[geom]) < HIDDEN_GROUP] or geoms


def mesh_of(model: mujoco.MjModel, geom: int, meshes: Mapping[str, Path]) -> Path | None:
    """Return the file of a geom that is a mesh."""
    if int(model.geom_type[geom]) != MESH:
        return None
    return meshes.get(model.mesh(int(model.geom_dataid[geom])).name)


def add_shape(
    link: etree._Element,
    model: mujoco.MjModel,
    geom: int,
    place: Vector,
    turn: Quaternion,
    meshes: Mapping[str, Path],
) -> None:
    """Add a geom to a ``<link>``, at a place (m) in it: a mesh from its file, what URDF does not have as a box."""
    size, kind = model.geom_size[geom].tolist(), int(model.geom_type[geom])
    file = mesh_of(model, geom, meshes)
    visual = etree.SubElement(link, "visual")
    if file is not None:
        mesh = int(model.geom_dataid[geom])
        shape, values = "mesh", {"filename": f"file://{file}", "scale": numbers(model.mesh_scale[mesh])}
        # MuJoCo moves the middle of a mesh to its origin, and its axes to those of inertia.
        turn = multiply(turn, inverse(quaternion(model.mesh_quat[mesh])))
        place = plus(place, rotate(turn, vector(model.mesh_pos[mesh])), -1.0)
    elif kind == SPHERE:
        shape, values = "sphere", {"radius": number(size[0])}
    elif kind in ROUND:
        shape, values = "cylinder", {"radius": number(size[0]), "length": number(2.0 * size[1])}
    else:
        middle, half = vector(model.geom_aabb[geom, :3]), model.geom_aabb[geom, 3:]
        place = plus(place, rotate(turn, middle))
        shape, values = "box", {"size": numbers(2.0 * half)}
    add_origin(visual, place, turn)
    etree.SubElement(etree.SubElement(visual, "geometry"), shape, values)
    material = etree.SubElement(visual, "material", name=f"colour_{geom}")
    rgba = model.mat_rgba[model.geom_matid[geom]] if model.geom_matid[geom] >= 0 else model.geom_rgba[geom]
    etree.SubElement(material, "color", rgba=numbers(rgba))


def add_origin(element: etree._Element, place: Vector, turn: Quaternion) -> None:
    """Add an ``<origin>``; m."""
    etree.SubElement(element, "origin", xyz=numbers(place), rpy=numbers(rpy_from_quaternion(turn)))


def plus(one: Vector, other: Vector, times: float = 1.0) -> Vector:
    """Return ``one + times * other``."""
    return one[0] + times * other[0], one[1] + times * other[1], one[2] + times * other[2]


def quaternion(values: Iterable[float]) -> Quaternion:
    """Return a quaternion of MuJoCo (w first), with w last."""
    w, x, y, z = map(float, values)
    return x, y, z, w


def vector(values: Iterable[float]) -> Vector:
    """Return three numbers of MuJoCo."""
    x, y, z = map(float, values)
    return x, y, z


def numbers(values: Iterable[float]) -> str:
    """Return numbers as an attribute of a URDF."""
    return " ".join(map(number, values))


def number(value: float) -> str:
    """Return a number as an attribute of a URDF."""
    return f"{value:.9g}"
