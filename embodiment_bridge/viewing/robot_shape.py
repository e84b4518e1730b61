# SPDX-License-Identifier: Apache-2.0
"""Draws a robot description as nodes of the scene, with its meshes read within limits.

The page computes the kinematics.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import trimesh
from viser import FrameHandle, SceneApi

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.rotation import IDENTITY, Quaternion, Vector, inverse, rotate
from embodiment_bridge.urdf import (
    Box,
    Capsule,
    Cylinder,
    Joint,
    Mesh,
    Robot,
    Sphere,
    Visual,
    link_pose,
    link_transforms,
)
from embodiment_bridge.urdf.meshes import check_asset, find_mesh

KINDS: Final = (".stl", ".obj", ".ply", ".glb")
MOST_CORNERS: Final = 4_000_000  # limit for the faces of an OBJ or GLB file
MOST_MESH_TRIANGLES: Final = 20_000  # limit of a mesh; a finer one is drawn coarser
FINEST: Final = 256  # cells along the longest edge of the box around a mesh that is drawn coarser


@dataclass(frozen=True, slots=True)
class Triangles:
    """Represents a surface. points: n x 3, m. faces: m x 3 numbers of points, counter-clockwise seen from outside."""

    points: npt.NDArray[np.float32]
    faces: npt.NDArray[np.uint32]


def read_mesh(mesh: Mesh) -> Triangles:
    """Return the triangles of a mesh.

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
        if kind == "glb":
            read = _whole(trimesh.load_scene(BytesIO(data), kind, process=False, skip_materials=True))
        else:
            read = trimesh.load_mesh(BytesIO(_shape_of(data) if kind == "obj" else data), kind, process=False)
        return np.asarray(read.vertices, dtype=np.float64), np.asarray(read.faces, dtype=np.int64)
    except Exception as error:  # trimesh raises errors of many kinds for files that are not meshes
        raise ConfigError(f"mesh {str(path)!r} cannot be read: {type(error).__name__}: {error}") from error


def _whole(scene: trimesh.Scene) -> trimesh.Trimesh:
    """Return the meshes of a GLB file, each in its places; a short file may repeat one without end."""
    nodes = [scene.graph[node][1] for node in scene.graph.nodes_geometry]
    triangles = sum(len(getattr(scene.geometry[name], "faces", ())) for name in nodes)
    if 3 * triangles > MOST_CORNERS:
        raise ConfigError(f"its faces have {3 * triangles} corners; {MOST_CORNERS} are the most")
    whole: trimesh.Trimesh = scene.to_mesh()
    return whole


def _shape_of(obj: bytes) -> bytes:
    """Return the points and faces of an OBJ file; trimesh 5.2.0 needs minutes for many materials or groups."""
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
    """Return the mesh with at most MOST_MESH_TRIANGLES: points in the same cell of a grid become one."""
    cells = FINEST
    while len(faces) > MOST_MESH_TRIANGLES:
        low = points.min(axis=0)
        edge = max(float((points.max(axis=0) - low).max()) / cells, 1e-9)
        cell = np.floor((points - low) / edge).astype(np.int64) @ (1, FINEST + 1, (FINEST + 1) ** 2)
        _, first, number = np.unique(cell, return_index=True, return_inverse=True)
        merged = number[faces]
        a, b, c = merged.T
        merged = merged[(a != b) & (b != c) & (c != a)]
        cells //= 2
        if len(merged) <= MOST_MESH_TRIANGLES or cells < 2:
            return points[first], merged[:MOST_MESH_TRIANGLES]
    return points, faces


STILL = 1e-3  # an invisible change of a component of a quaternion (0.1 degrees) or of a position (m)
SIDES = 20  # faces round a cylinder
UNKNOWN: Final = Box((0.04, 0.04, 0.04))  # in place of a mesh of unknown size, m
MOST_VISUALS = 2000  # shapes of one robot
MOST_TRIANGLES = 500_000  # in all meshes of one robot


class RobotShape:
    """Draws the shapes of ``robot`` below the node ``path``. left_out: what is a box or not there, and why."""

    def __init__(self, scene: SceneApi, path: str, robot: Robot) -> None:
        self._scene, self._robot = scene, robot
        self._frames: dict[str, FrameHandle] = {}
        self._drawn = self._triangles = 0
        self._bottoms: list[tuple[str, float]] = []  # link, height of a shape's lowest point in it, m
        self.left_out: list[str] = []
        self.paths = {robot.root: path}
        self._last: dict[str, tuple[Vector, Quaternion]] = {}
        self._add_links()

    def move(self, positions: Mapping[str, float]) -> None:
        """Set positions of joints (rad, or m) by name; joints that are missing or not finite do not move."""
        for transform in link_transforms(self._robot, positions):
            place = (transform.xyz, transform.quaternion)
            last = self._last[transform.child]
            if moved((*last[0], *last[1]), (*place[0], *place[1])):
                self._last[transform.child] = place
                frame = self._frames[transform.child]
                frame.wxyz = wxyz(transform.quaternion)
                if transform.xyz != last[0]:
                    frame.position = transform.xyz

    def lowest(self) -> float:
        """Return the height of the lowest shape with all joints at 0, m in the frame of the root link."""
        zero = {joint.name: 0.0 for joint in self._robot.movable}
        heights = []
        for link, bottom in self._bottoms:
            pose = link_pose(self._robot, zero, link)
            if pose is not None:
                heights.append(pose.xyz[2] + bottom)
        return min(heights, default=0.0)

    def _add_links(self) -> None:
        children: dict[str, list[Joint]] = {}
        for joint in self._robot.joints.values():
            children.setdefault(joint.parent, []).append(joint)
        waiting = [self._robot.root]
        while waiting:
            link = waiting.pop()
            self._add_visuals(link)
            for joint in children.get(link, ()):
                self._add(joint)
                waiting.append(joint.child)

    def _add(self, joint: Joint) -> None:
        path = f"{self.paths[joint.parent]}/{len(self.paths)}"
        place = (joint.origin.xyz, joint.origin.quaternion)
        self.paths[joint.child] = path
        self._last[joint.child] = place
        self._frames[joint.child] = self._scene.add_frame(
            path, show_axes=False, position=place[0], wxyz=wxyz(place[1])
        )

    def _add_visuals(self, link: str) -> None:
        for number, visual in enumerate(self._robot.links[link].visuals):
            if self._drawn >= MOST_VISUALS:
                self.left_out.append(f"shapes after the first {MOST_VISUALS}, from link {link!r} on")
                return
            self._drawn += 1
            path = f"{self.paths[link]}/visual{number}"
            if not isinstance(visual.shape, Mesh):
                add_shape(self._scene, path, visual)
                self._bottoms.append((link, _bottom(visual)))
                continue
            try:
                triangles = read_mesh(visual.shape)
            except ConfigError as error:
                self._draw_box(path, replace(visual, shape=UNKNOWN), f"link {link!r}: {error}")
                continue
            self._bottoms.append((link, _bottom_of_mesh(visual, triangles)))
            if self._triangles + len(triangles.faces) > MOST_TRIANGLES:
                self._draw_box(
                    path,
                    _box_around(visual, triangles),
                    f"link {link!r}: more than {MOST_TRIANGLES} triangles",
                )
                continue
            self._triangles += len(triangles.faces)
            add_mesh(self._scene, path, visual, triangles)

    def _draw_box(self, path: str, visual: Visual, why: str) -> None:
        add_shape(self._scene, path, visual)
        told = why.partition(": ")[2]  # a mesh of several links is named once
        if not any(one.endswith(told) for one in self.left_out):
            self.left_out.append(why)


def moved(before: Sequence[float], after: Sequence[float]) -> bool:
    """Return whether the difference between two poses (same number of components) is visible."""
    return any(abs(a - b) > STILL for a, b in zip(before, after, strict=True))


def add_shape(scene: SceneApi, path: str, visual: Visual) -> None:
    """Draw a box, cylinder, capsule or sphere of a link."""
    shape, rgba = visual.shape, visual.rgba
    color, opacity = rgb(rgba), opacity_of(rgba)
    position, turn = visual.origin.xyz, wxyz(visual.origin.quaternion)
    if isinstance(shape, Box):
        scene.add_box(path, color, shape.size, opacity=opacity, position=position, wxyz=turn)
    elif isinstance(shape, Cylinder):
        scene.add_cylinder(
            path, shape.radius, shape.length, color,
            radial_segments=SIDES, opacity=opacity, position=position, wxyz=turn,
        )  # fmt: skip
    elif isinstance(shape, Capsule):
        made = trimesh.creation.capsule(shape.length, shape.radius, count=[SIDES, SIDES])
        add_mesh(
            scene, path, visual, Triangles(made.vertices.astype(np.float32), made.faces.astype(np.uint32))
        )
    elif isinstance(shape, Sphere):
        scene.add_icosphere(path, shape.radius, color, opacity=opacity, position=position, wxyz=turn)


def add_mesh(scene: SceneApi, path: str, visual: Visual, triangles: Triangles) -> None:
    """Draw a mesh of a link."""
    scene.add_mesh_simple(
        path, triangles.points, triangles.faces, color=rgb(visual.rgba), opacity=opacity_of(visual.rgba),
        flat_shading=True, side="double", position=visual.origin.xyz, wxyz=wxyz(visual.origin.quaternion),
    )  # fmt: skip


def rgb(rgba: tuple[float, float, float, float]) -> tuple[int, int, int]:
    """Return a colour of 0 to 1 as 0 to 255; values that are not finite become 0."""
    red, green, blue = (round(255 * min(max(v, 0.0), 1.0)) if math.isfinite(v) else 0 for v in rgba[:3])
    return red, green, blue


def opacity_of(rgba: tuple[float, float, float, float]) -> float | None:
    """Return the opacity, 0 to 1; None if it is opaque."""
    alpha = rgba[3]
    return None if not alpha < 1.0 else max(alpha, 0.0)


def wxyz(quaternion: Quaternion) -> tuple[float, float, float, float]:
    """Return a quaternion (x, y, z, w) in viser's order."""
    x, y, z, w = quaternion
    return w, x, y, z


def _box_around(visual: Visual, triangles: Triangles) -> Visual:
    low, high = triangles.points.min(axis=0), triangles.points.max(axis=0)
    x, y, z = map(float, 0.5 * (low + high))
    middle = rotate(visual.origin.quaternion, (x, y, z))
    a, b, c = (at + off for at, off in zip(visual.origin.xyz, middle, strict=True))
    length, width, height = map(float, high - low)
    return replace(visual, shape=Box((length, width, height)), origin=replace(visual.origin, xyz=(a, b, c)))


def _bottom(visual: Visual) -> float:
    shape, z = visual.shape, visual.origin.xyz[2]
    if isinstance(shape, Box):
        return z - 0.5 * shape.size[2]
    if isinstance(shape, Cylinder):
        upright = visual.origin.quaternion == IDENTITY
        return z - (0.5 * shape.length if upright else shape.radius)
    if isinstance(shape, Capsule):
        return (
            z - shape.radius - 0.5 * shape.length * abs(rotate(visual.origin.quaternion, (0.0, 0.0, 1.0))[2])
        )
    return z - shape.radius if isinstance(shape, Sphere) else z


def _bottom_of_mesh(visual: Visual, triangles: Triangles) -> float:
    up = rotate(inverse(visual.origin.quaternion), (0.0, 0.0, 1.0))  # in the frame of the mesh
    return visual.origin.xyz[2] + float((triangles.points @ up).min())
