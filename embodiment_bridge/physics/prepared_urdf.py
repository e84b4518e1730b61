# SPDX-License-Identifier: Apache-2.0
"""A URDF as MuJoCo can read it.

Links stay as they are named, meshes are found, mimic joints become equalities, joints that cannot move are fixed, and
what MuJoCo would refuse is left out or made right. MuJoCo's own reader does the rest. It does not know ``package://``,
mimics and speed limits.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import numpy as np
from lxml import etree

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.physics.shapes import add_origin, number
from embodiment_bridge.urdf import JointType, Robot, link_transforms
from embodiment_bridge.urdf.looks import mend_shapes
from embodiment_bridge.urdf.meshes import check_asset, find_mesh
from embodiment_bridge.urdf.source import parse, read_description

SETTINGS: Final = {
    "fusestatic": "false",
    "discardvisual": "false",
    "strippath": "false",
    "balanceinertia": "true",
}
WORLD_LINK: Final = "world"  # a root of this name is the world itself, to MuJoCo too
MESHES: Final = (".stl", ".obj", ".msh")  # what MuJoCo reads
MOST_FACES: Final = 200_000  # of an STL file, to MuJoCo
VERTEX: Final = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")
FACE: Final = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("colour", "<u2")])
NO_INERTIA: Final = 1e-12  # kg m2: MuJoCo refuses less about an axis
LEAST_INERTIA: Final = 1e-9  # kg m2


def prepare(path: Path, robot: Robot) -> tuple[str, dict[str, bytes], list[str]]:
    """Return the description as MuJoCo reads it, its meshes that are not files, and warnings about what was changed.

    Raises:
        ConfigError: a mesh of a collision shape is not there, or a mesh is too large.
    """
    root = parse(read_description(path))
    mend_shapes(root)  # the reader of the description has told it
    _trim(root)
    meshes: dict[str, bytes] = {}
    told = [*_hold(root, robot), *_weigh(root), *_leave_out(root, path, meshes)]
    compiler = _compiler(root)
    for key, value in SETTINGS.items():
        compiler.set(key, value)
    return etree.tostring(root, encoding="unicode"), meshes, told


def _trim(root: etree._Element) -> None:
    """Remove blanks around names, as the reader of descriptions does."""
    for element in root.iter("link", "joint", "parent", "child", "mimic"):
        for key in ("name", "link", "joint"):
            if key in element.attrib:
                element.set(key, element.get(key).strip())


def _hold(root: etree._Element, robot: Robot) -> Iterator[str]:
    """Make joints fixed that have one position, or that MuJoCo reads in another way than we do; yield warnings."""
    locked = {transform.child: transform for transform in link_transforms(robot, {})}
    for element in root.iterfind("joint"):
        joint = robot.joints[element.get("name")]
        if joint.child in locked:
            why = "its range has no width"
            for origin in element.findall("origin"):
                element.remove(origin)
            add_origin(element, locked[joint.child].xyz, locked[joint.child].quaternion)
        elif joint.type is JointType.PLANAR or (
            joint.type is JointType.FLOATING and joint.parent != WORLD_LINK
        ):
            why = f"it is {joint.type.value}, and not the base of the robot"
        else:
            continue
        element.set("type", "fixed")
        yield f"joint {joint.name!r} is held still: {why}"


def add_mimics(spec: mujoco.MjSpec, robot: Robot) -> None:
    """Couple each mimic joint to the joint that it follows."""
    for joint in robot.movable:
        if joint.mimic is not None and spec.joint(joint.name) is not None:
            coupling = spec.add_equality(
                type=mujoco.mjtEq.mjEQ_JOINT,
                objtype=mujoco.mjtObj.mjOBJ_JOINT,
                name1=joint.name,
                name2=joint.mimic.joint,
            )
            coupling.data[:5] = [joint.mimic.offset, joint.mimic.multiplier, 0.0, 0.0, 0.0]


def _compiler(root: etree._Element) -> etree._Element:
    extension = root.find("mujoco")
    if extension is None:
        extension = etree.SubElement(root, "mujoco")
    compiler = extension.find("compiler")
    return etree.SubElement(extension, "compiler") if compiler is None else compiler


def _weigh(root: etree._Element) -> Iterator[str]:
    """Give inertias that no body can have the least one about their axes; yield warnings."""
    for inertia in root.iterfind("link/inertial/inertia"):
        xx, xy, xz, yy, yz, zz = (
            float(inertia.get(f"i{axes}", "0")) for axes in ("xx", "xy", "xz", "yy", "yz", "zz")
        )
        values, axes = np.linalg.eigh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if values[0] >= NO_INERTIA:
            continue
        right = (axes * np.maximum(values, LEAST_INERTIA)) @ axes.T
        for row, column in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            inertia.set(f"i{'xyz'[row]}{'xyz'[column]}", number(right[row, column]))
        if np.abs(values).max() > NO_INERTIA:
            link = inertia.getparent().getparent().get("name")
            yield f"link {link!r}: its inertia is that of no body: it gets {LEAST_INERTIA:g} kg m2 where it has none"


def _leave_out(root: etree._Element, path: Path, meshes: dict[str, bytes]) -> Iterator[str]:
    """Leave out the shapes that MuJoCo does not read; yield warnings."""
    for shape in [*root.iterfind("link/visual"), *root.iterfind("link/collision")]:
        for part in shape.findall("geometry/*"):
            where, what = f"line {part.sourceline}", f"{part.tag} {part.get('filename', '')!r}"
            if part.tag == "mesh":
                why = _use_mesh(part, path, shape.tag == "collision", meshes)
            else:
                sizes = " ".join(part.get(key, "") for key in ("size", "radius", "length")).split()
                what, why = part.tag, "" if all(map(float, sizes)) else "has a size of 0"
            if why:
                yield f"{where}: {what} {why}: this {shape.tag} is left out"
                shape.getparent().remove(shape)
                break


def _use_mesh(part: etree._Element, path: Path, is_needed: bool, meshes: dict[str, bytes]) -> str:
    """Name the file of a mesh for MuJoCo, which reads binary STL only; return why it cannot be used."""
    name = part.get("filename", "")
    found = find_mesh(name, path)
    if found is None:
        if is_needed:
            raise ConfigError(
                f"model {path}: line {part.sourceline}: mesh {name!r} of a collision is not there"
            )
        return "is not there"
    if found.suffix.lower() not in MESHES:
        return f"is not one of {', '.join(MESHES)}"
    size = check_asset(found, f"model {path}: line {part.sourceline}: mesh")
    part.set("filename", str(found))
    if found.suffix.lower() != ".stl":
        return ""
    with found.open("rb") as file:
        count = int.from_bytes(file.read(84)[80:], "little")
    if size == 84 + FACE.itemsize * count and 0 < count <= MOST_FACES:
        return ""
    try:
        some = islice(VERTEX.finditer(found.read_bytes()), 3 * MOST_FACES + 3)
        corners = np.array([vertex.groups() for vertex in some], dtype="<f4").reshape(-1, 3, 3)
    except ValueError:
        corners = np.empty((0, 3, 3))
    if not 0 < len(corners) <= MOST_FACES:
        return f"is no STL file of 1 to {MOST_FACES} faces"
    faces = np.zeros(len(corners), FACE)
    faces["corners"] = corners
    own = f"{len(meshes)}_{found.name}"
    meshes[own] = b"\0" * 80 + len(faces).to_bytes(4, "little") + faces.tobytes()
    part.set("filename", own)
    return ""
