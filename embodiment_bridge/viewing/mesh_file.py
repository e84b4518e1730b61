# SPDX-License-Identifier: Apache-2.0
"""Reads the mesh files of a robot description, STL and OBJ, within limits: triangles for the page."""

import re
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import trimesh

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.urdf import Mesh
from embodiment_bridge.urdf.meshes import check_asset, find_mesh

KINDS: Final = (".stl", ".obj")
MOST_CORNERS: Final = 4_000_000  # of the faces of an OBJ file
MOST_TRIANGLES: Final = 20_000  # of a mesh; a finer one is drawn coarser
FINEST: Final = 256  # cells along the longest edge of the box around a mesh that is drawn coarser


@dataclass(frozen=True, slots=True)
class Triangles:
    """A surface. points: n x 3, m. faces: m x 3 numbers of points, counter-clockwise seen from outside."""

    points: npt.NDArray[np.float32]
    faces: npt.NDArray[np.uint32]


def read_mesh(mesh: Mesh) -> Triangles:
    """The triangles of a mesh.

    Raises:
        ConfigError: its file is not there, is of another kind or too large, or has no triangles.
    """
    name = mesh.filename
    path = find_mesh(name)
    if path is None:
        raise ConfigError(f"mesh {name!r} is not there")
    if path.suffix.lower() not in KINDS:
        raise ConfigError(f"mesh {name!r} is not one of {', '.join(KINDS)}")
    points, faces = _load(path)
    points = points * np.asarray(mesh.scale)
    used = np.isfinite(points).all(axis=1)[faces].all(axis=1)
    points, faces = _coarser(np.nan_to_num(points, posinf=0.0, neginf=0.0), faces[used])
    if not len(faces):
        raise ConfigError(f"mesh {name!r} has no triangles")
    if np.prod(mesh.scale) < 0.0:  # mirrored: inside out
        faces = faces[:, ::-1]
    return Triangles(points.astype(np.float32), faces.astype(np.uint32))


def _load(path: Path) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    check_asset(path)
    try:
        kind = path.suffix.lower()[1:]
        data = path.read_bytes()
        read = trimesh.load_mesh(BytesIO(_shape_of(data) if kind == "obj" else data), kind, process=False)
        return np.asarray(read.vertices, dtype=np.float64), np.asarray(read.faces, dtype=np.int64)
    except Exception as error:  # trimesh raises errors of many kinds for files that are not meshes
        raise ConfigError(f"mesh {str(path)!r} cannot be read: {type(error).__name__}: {error}") from error


def _shape_of(obj: bytes) -> bytes:
    """The points and faces of an OBJ file; trimesh 5.2.0 needs minutes for many materials or groups."""
    lines = re.sub(rb"/\S*", b"", obj.replace(b"\\\n", b" ")).splitlines()
    points = [line for line in lines if line.startswith((b"v ", b"v\t"))]
    faces = [line for line in lines if line.startswith((b"f ", b"f\t"))]
    corners = sum(len(line.split()) - 1 for line in faces)
    if corners > MOST_CORNERS:
        raise ConfigError(f"its faces have {corners} corners; {MOST_CORNERS} are the most")
    return b"\n".join([*points, *faces, b""])


def _coarser(
    points: npt.NDArray[np.float64], faces: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The mesh with at most MOST_TRIANGLES: points in the same cell of a grid become one."""
    cells = FINEST
    while len(faces) > MOST_TRIANGLES:
        low = points.min(axis=0)
        edge = max(float((points.max(axis=0) - low).max()) / cells, 1e-9)
        cell = np.floor((points - low) / edge).astype(np.int64) @ (1, FINEST + 1, (FINEST + 1) ** 2)
        _, first, number = np.unique(cell, return_index=True, return_inverse=True)
        merged = number[faces]
        a, b, c = merged.T
        merged = merged[(a != b) & (b != c) & (c != a)]
        cells //= 2
        if len(merged) <= MOST_TRIANGLES or cells < 2:
            return points[first], merged[:MOST_TRIANGLES]
    return points, faces
