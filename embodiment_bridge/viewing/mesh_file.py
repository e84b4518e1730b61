# SPDX-License-Identifier: Apache-2.0
"""Reads the mesh files of a robot description, STL and OBJ, within limits: triangles for the page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import trimesh

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.urdf import Mesh
from embodiment_bridge.urdf.meshes import find_mesh

KINDS: Final = (".stl", ".obj")
MOST_BYTES: Final = 64 * 1024 * 1024  # of a file
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
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ConfigError(f"mesh {str(path)!r} has {size} bytes; {MOST_BYTES} are the most")
    try:
        read = trimesh.load_mesh(path, process=False, skip_materials=True)
        return np.asarray(read.vertices, dtype=np.float64), np.asarray(read.faces, dtype=np.int64)
    except Exception as error:  # trimesh raises errors of many kinds for files that are not meshes
        raise ConfigError(f"mesh {str(path)!r} cannot be read: {type(error).__name__}: {error}") from error


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
