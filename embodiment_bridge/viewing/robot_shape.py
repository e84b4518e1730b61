# SPDX-License-Identifier: Apache-2.0
"""Draws a robot description as nodes of the scene; the page computes the kinematics from one angle per joint."""

import math
from collections.abc import Mapping, Sequence

from viser import FrameHandle, SceneApi

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.rotation import IDENTITY, Quaternion, Vector, inverse, rotate
from embodiment_bridge.urdf import (
    Box,
    Cylinder,
    Joint,
    Mesh,
    Robot,
    Sphere,
    Visual,
    link_pose,
    link_transforms,
)
from embodiment_bridge.viewing.mesh_file import Triangles, read_mesh

STILL = 1e-3  # an invisible change of a component of a quaternion (0.1 degrees) or of a position (m)
SIDES = 20  # of a cylinder
MOST_VISUALS = 2000  # shapes of one robot
MOST_TRIANGLES = 500_000  # in all meshes of one robot


class RobotShape:
    """The shapes of ``robot`` below the node ``path``. left_out: what is not drawn, and why."""

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
        """Height of the lowest shape with all joints at 0, m in the frame of the root link."""
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
                self._triangles += len(triangles.faces)
                if self._triangles > MOST_TRIANGLES:
                    raise ConfigError(f"more than {MOST_TRIANGLES} triangles")
            except ConfigError as error:
                self.left_out.append(f"link {link!r}: {error}")
            else:
                add_mesh(self._scene, path, visual, triangles)
                self._bottoms.append((link, _bottom_of_mesh(visual, triangles)))


def moved(before: Sequence[float], after: Sequence[float]) -> bool:
    """Whether the difference between two poses (same number of components) is visible."""
    return any(abs(a - b) > STILL for a, b in zip(before, after, strict=True))


def add_shape(scene: SceneApi, path: str, visual: Visual) -> None:
    """Draw a box, cylinder or sphere of a link."""
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
    elif isinstance(shape, Sphere):
        scene.add_icosphere(path, shape.radius, color, opacity=opacity, position=position, wxyz=turn)


def add_mesh(scene: SceneApi, path: str, visual: Visual, triangles: Triangles) -> None:
    """Draw a mesh of a link."""
    scene.add_mesh_simple(
        path, triangles.points, triangles.faces, color=rgb(visual.rgba), opacity=opacity_of(visual.rgba),
        flat_shading=True, side="double", position=visual.origin.xyz, wxyz=wxyz(visual.origin.quaternion),
    )  # fmt: skip


def rgb(rgba: tuple[float, float, float, float]) -> tuple[int, int, int]:
    """A colour of 0 to 1 as 0 to 255; values that are not finite become 0."""
    red, green, blue = (round(255 * min(max(v, 0.0), 1.0)) if math.isfinite(v) else 0 for v in rgba[:3])
    return red, green, blue


def opacity_of(rgba: tuple[float, float, float, float]) -> float | None:
    """The opacity, 0 to 1; None if it is opaque."""
    alpha = rgba[3]
    return None if not alpha < 1.0 else max(alpha, 0.0)


def wxyz(quaternion: Quaternion) -> tuple[float, float, float, float]:
    """A quaternion (x, y, z, w) in viser's order."""
    x, y, z, w = quaternion
    return w, x, y, z


def _bottom(visual: Visual) -> float:
    shape, z = visual.shape, visual.origin.xyz[2]
    if isinstance(shape, Box):
        return z - 0.5 * shape.size[2]
    if isinstance(shape, Cylinder):
        upright = visual.origin.quaternion == IDENTITY
        return z - (0.5 * shape.length if upright else shape.radius)
    return z - shape.radius if isinstance(shape, Sphere) else z


def _bottom_of_mesh(visual: Visual, triangles: Triangles) -> float:
    up = rotate(inverse(visual.origin.quaternion), (0.0, 0.0, 1.0))  # in the frame of the mesh
    return visual.origin.xyz[2] + float((triangles.points @ up).min())
