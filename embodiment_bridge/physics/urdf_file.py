# SPDX-License-Identifier: Apache-2.0
"""A URDF as MuJoCo can read it: links stay as they are named, meshes are found, mimic joints become equalities.

MuJoCo's own reader does the rest. It does not know ``package://``, mimics and speed limits.
"""

from pathlib import Path
from typing import Final

from lxml import etree

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.physics.engine import mujoco
from embodiment_bridge.urdf import Robot
from embodiment_bridge.urdf.meshes import check_asset, find_mesh, parse

SETTINGS: Final = {
    "fusestatic": "false",
    "discardvisual": "false",
    "strippath": "false",
    "balanceinertia": "true",
}
MESHES: Final = (".stl", ".obj", ".msh")  # what MuJoCo reads


def prepare(text: bytes, path: Path) -> tuple[str, list[str]]:
    """The description with the settings that this package needs, and warnings about shapes that are left out.

    Raises:
        ConfigError: a mesh of a collision shape is not there, or a mesh is too large.
    """
    root = parse(text.decode("utf-8"))
    warnings: list[str] = []
    for mesh in list(root.iter("mesh")):
        shape = mesh.getparent().getparent()
        name = mesh.get("filename", "")
        found = find_mesh(name, path)
        if found is not None and found.suffix.lower() in MESHES:
            check_asset(found, f"model {path}: line {mesh.sourceline}: mesh")
            mesh.set("filename", str(found))
            continue
        if shape.tag == "collision" and found is None:
            raise ConfigError(
                f"model {path}: line {mesh.sourceline}: mesh {name!r} of a collision is not there"
            )
        why = "is not there" if found is None else f"is not one of {', '.join(MESHES)}"
        warnings.append(f"line {mesh.sourceline}: mesh {name!r} {why}: this {shape.tag} is left out")
        shape.getparent().remove(shape)
    compiler = _compiler(root)
    for key, value in SETTINGS.items():
        compiler.set(key, value)
    return etree.tostring(root, encoding="unicode"), warnings


def add_mimics(spec: mujoco.MjSpec, robot: Robot) -> None:
    """Couple each mimic joint to the joint that it follows."""
    for joint in robot.movable:
        if joint.mimic is not None:
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
