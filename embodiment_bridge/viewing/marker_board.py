# SPDX-License-Identifier: Apache-2.0
"""Draws markers as nodes of the scene: solids, lines, points and texts. Only changed markers are drawn again."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from viser import LabelHandle, SceneApi, SceneNodeHandle
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.viewing.panels import MOST_TEXT
from embodiment_bridge.viewing.robot_shape import opacity_of, rgb

MOST = 1000  # markers of one robot
MOST_POINTS = 20_000  # limit of one marker
THIN = 0.02  # m; lines up to this width are one pixel wide
DELETE, DELETE_ALL = 2, 3  # actions and types of visualization_msgs/Marker
CUBE, SPHERE, CYLINDER, LINE_STRIP, LINE_LIST, CUBE_LIST, SPHERE_LIST, POINTS, TEXT = range(1, 10)
SOLIDS = (CUBE, SPHERE, CYLINDER)
LINES = (LINE_STRIP, LINE_LIST)
CLOUDS = (CUBE_LIST, SPHERE_LIST, POINTS)

FindParent = Callable[[str], str]


class _Look(NamedTuple):
    kind: int
    frame: str
    scale: tuple[float, float, float]  # m
    color: tuple[float, float, float, float]  # r g b a, 0 to 1
    text: str
    points: tuple[float, ...]  # x y z of each, m


@dataclass(slots=True)
class _Drawn:
    slot: int
    look: _Look
    pose: tuple[float, ...]
    node: SceneNodeHandle | LabelHandle
    ends: float  # monotonic time, s; inf: never


class MarkerBoard:
    """Draws the markers of one topic, below the nodes that ``find_parent`` gives for their frames.

    Slots are reused, so that the memory of the server does not grow with changing names.
    """

    def __init__(self, scene: SceneApi, name: str, find_parent: FindParent) -> None:
        self._scene, self._name, self._find_parent = scene, name, find_parent
        self._drawn: dict[tuple[str, int], _Drawn] = {}
        self._free: list[int] = []
        self._slots = 0

    def take(self, markers: MarkerArray, now: float) -> None:
        """Draw the markers; ``now`` is monotonic time, s."""
        for marker in markers.markers:
            key = (marker.ns, marker.id)
            if marker.action == DELETE_ALL:
                self.clear()
            elif marker.action == DELETE:
                self._remove(key)
            else:
                self._show(key, marker, now)

    def expire(self, now: float) -> None:
        """Remove markers whose lifetime is over."""
        for key in [key for key, drawn in self._drawn.items() if drawn.ends < now]:
            self._remove(key)

    def clear(self) -> None:
        """Remove all markers."""
        for key in list(self._drawn):
            self._remove(key)

    def _show(self, key: tuple[str, int], marker: Marker, now: float) -> None:
        look, pose = _look(marker), _pose(marker)
        old = self._drawn.get(key)
        if look is None or not all(map(math.isfinite, pose)) or (old is None and len(self._drawn) >= MOST):
            self._remove(key)
            return
        lifetime = marker.lifetime.sec + 1e-9 * marker.lifetime.nanosec
        ends = now + lifetime if lifetime > 0.0 else math.inf
        if old is not None and old.look == look:
            old.ends = ends
            if old.pose != pose:
                old.pose = pose
                old.node.position, old.node.wxyz = np.array(pose[:3]), np.array(pose[3:])
            return
        slot = self._slot() if old is None else old.slot
        if old is not None and old.look[:2] != look[:2]:  # another type or frame needs another node
            old.node.remove()
        path = f"{self._find_parent(marker.header.frame_id)}/{self._name}{slot}"
        self._drawn[key] = _Drawn(slot, look, pose, self._add(path, look, pose), ends)

    def _add(self, path: str, look: _Look, pose: tuple[float, ...]) -> SceneNodeHandle:
        kind, _, scale, rgba, text, points = look
        at: dict[str, Any] = {"position": pose[:3], "wxyz": pose[3:]}
        color, opacity = rgb(rgba), opacity_of(rgba)
        if kind == CUBE:
            return self._scene.add_box(path, color, scale, opacity=opacity, **at)
        if kind == SPHERE:
            return self._scene.add_icosphere(
                path, 0.5, color, subdivisions=2, scale=scale, opacity=opacity, **at
            )
        if kind == CYLINDER:
            return self._scene.add_cylinder(path, 0.5, 1.0, color, scale=scale, opacity=opacity, **at)
        if kind == TEXT:
            return self._scene.add_label(path, text, anchor="bottom-center", **at)
        array = np.array(points, dtype=np.float32).reshape(-1, 3)
        if kind in CLOUDS:
            return self._scene.add_point_cloud(path, array, color, point_size=max(scale[0], 0.005), **at)
        pairs = np.stack([array[:-1], array[1:]], axis=1) if kind == LINE_STRIP else array.reshape(-1, 2, 3)
        shown = np.array(color) * (1.0 if opacity is None else 0.4 + 0.6 * opacity)
        line: dict[str, Any] = {"thickness": scale[0]}
        if scale[0] <= THIN:  # a thicker line near the camera would hide what is behind it
            line = {"thickness": 1.0, "thickness_units": "screen"}
        return self._scene.add_line_segments(path, pairs, shown.astype(np.uint8), **line, **at)

    def _slot(self) -> int:
        if self._free:
            return self._free.pop()
        self._slots += 1
        return self._slots

    def _remove(self, key: tuple[str, int]) -> None:
        drawn = self._drawn.pop(key, None)
        if drawn is not None:
            drawn.node.remove()
            self._free.append(drawn.slot)


def _look(marker: Marker) -> _Look | None:
    """Describe a marker for the page; None for one that is not drawn (arrow, mesh, bad values)."""
    kind = marker.type
    scale = (marker.scale.x, marker.scale.y, marker.scale.z)
    rgba = (marker.color.r, marker.color.g, marker.color.b, marker.color.a)
    points: tuple[float, ...] = ()
    if kind in LINES or kind in CLOUDS:
        some = list(islice(marker.points, MOST_POINTS))
        if kind == LINE_LIST:
            some = some[: len(some) // 2 * 2]
        points = tuple(v for point in some for v in (point.x, point.y, point.z))
        if len(some) < (1 if kind in CLOUDS else 2) or not math.isfinite(sum(points)):
            return None
    elif kind not in SOLIDS and kind != TEXT:
        return None
    if not math.isfinite(sum(scale)) or (kind in SOLIDS and min(scale) <= 0.0):
        return None
    return _Look(kind, marker.header.frame_id, scale, rgba, marker.text[:MOST_TEXT], points)


def _pose(marker: Marker) -> tuple[float, ...]:
    """Return position (x y z), then w x y z of a unit quaternion; all 0 means no rotation."""
    place, turn = marker.pose.position, marker.pose.orientation
    numbers = (turn.w, turn.x, turn.y, turn.z)
    length = math.hypot(*numbers)
    numbers = tuple(v / length for v in numbers) if length > 0.0 else (1.0, 0.0, 0.0, 0.0)
    return (place.x, place.y, place.z, *numbers)
