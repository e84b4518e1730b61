# SPDX-License-Identifier: Apache-2.0
"""Finds the mesh files of a robot description, and checks their size."""

import os
from pathlib import Path
from typing import Final

from lxml import etree

from embodiment_bridge.core.input_file import check_file, is_file
from embodiment_bridge.urdf.source import parse

PACKAGES: Final = ("package://", "model://")  # of ROS, of Gazebo
FILE: Final = "file://"
MOST_BYTES: Final = 64 << 20  # of a mesh or a picture
MOST_OBJ: Final = 16 << 20  # bytes of an OBJ file, a text that readers need seconds and a GB for


def find_mesh(name: str, description: Path | None = None) -> Path | None:
    """The file of a mesh, or None where there is none.

    name: a path, ``file://``, ``package://`` or ``model://``. description: a path may be relative to this file, and a
    package may be a folder beside or above it; without it only absolute paths and the share folders of installed
    packages are known.
    """
    folder = None if description is None else description.resolve().parent
    if name.startswith(PACKAGES):
        package, _, rest = name.partition("://")[2].partition("/")
        prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        places = [Path(prefix) / "share" / package / rest for prefix in prefixes if prefix]
        if folder is not None:
            above = [up / rest for up in (folder, *folder.parents) if up.name == package]
            beside = [up / package / rest for up in (folder, *folder.parents)]
            places = [*above, *beside, *places, folder / rest]
    else:
        path = Path(name.removeprefix(FILE))
        places = [path] if folder is None and path.is_absolute() else []
        if folder is not None:
            places = [folder / path]
    return next((place for place in places if is_file(place)), None)


def check_asset(path: Path, what: str = "mesh") -> int:
    """The bytes of a mesh or a picture that is a file and not too large; ``what`` is the beginning of the error.

    Raises:
        ConfigError: the text names the file and the limit.
    """
    return check_file(path, MOST_OBJ if path.suffix.lower() == ".obj" else MOST_BYTES, what)


def with_found_meshes(text: str, description: Path) -> str:
    """The text of a description in which meshes that only it knows how to find have absolute names.

    The text stays as it is where there are none.
    """
    if "<mesh" not in text:
        return text
    root = parse(text)
    whole = root.getroottree()  # with the comments before and after the root
    changed = False
    for mesh in root.iter("mesh"):
        name = mesh.get("filename", "")
        found = find_mesh(name, description) if find_mesh(name) is None else None
        if found is not None:
            mesh.set("filename", f"{FILE}{found}")
            changed = True
    return etree.tostring(whole, encoding="unicode") if changed else text
