# SPDX-License-Identifier: Apache-2.0
"""The scene of a soccer server as markers: field, ball and players, for rviz and other viewers."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Point
from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.protocols.converter import Stamp
from embodiment_bridge.protocols.soccer_monitor.messages import Thing
from embodiment_bridge.protocols.soccer_monitor.scene import shapes
from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail
from embodiment_bridge.protocols.soccer_monitor.scene.graph import Objects, SceneGraph, poses
from embodiment_bridge.protocols.soccer_monitor.scene.shapes import (
    FieldValues,
    Line,
    Rgba,
    Solid,
    field_lines,
    goal_lines,
    solid_of,
)

LIFETIME: Final = Duration(sec=3)  # all is drawn anew each second; what is not vanishes soon
GRASS: Final[Rgba] = (0.13, 0.42, 0.16, 1.0)
WHITE: Final[Rgba] = (0.95, 0.95, 0.95, 1.0)
GOALS: Final[tuple[Rgba, Rgba]] = ((0.95, 0.85, 0.2, 1.0), (0.3, 0.7, 0.95, 1.0))
LINE_WIDTH: Final = 0.08  # m; where the server tells none
BORDER: Final = 1.0  # m of grass round the lines
GROUND: Final = -0.01  # m; the grass lies below what stands on it
NAME_HEIGHT: Final = 0.35  # m, of the letters
OVER_HEAD: Final = 0.75  # m from the torso up to the name
LARGEST_SCENERY: Final = 20.0  # m; walls far outside of the field would hide it
MAX_MARKERS: Final = 5000  # a full game has some 1000
Array = Any
_TYPES: Final = {
    shapes.BOX: Marker.CUBE,
    shapes.SPHERE: Marker.SPHERE,
    shapes.CYLINDER: Marker.CYLINDER,
    shapes.MESH: Marker.MESH_RESOURCE,
}


class SceneMarkers:
    """Draws one scene in ``frame``. Meshes are files of ``mesh_folder`` where it has them, else simple solids.

    markers: one for each node that is to be seen, which is filled in again each time. rows: (n, 7) their places, m, and
    unit quaternions; nan for what is nowhere.
    """

    def __init__(self, frame: str, mesh_folder: str = "") -> None:
        self.markers: list[Marker] = []
        self.rows: Array = np.empty((0, 7))
        self._frame = frame
        self._folder = Path(mesh_folder) if mesh_folder else None
        self._nodes: list[int] = []
        self._centers: Array = np.empty((0, 1, 3))
        self._worlds: Array = np.empty((0, 4, 4))

    def build(self, graph: SceneGraph, objects: Objects) -> None:
        """Make the markers of a scene whose structure is new."""
        groups = {
            node: f"player_{p.side or p.team}_{p.number}" for p in objects.players for node in [p.group]
        }
        self.markers, self._nodes = [], []
        centers = []
        for index, detail in sorted(graph.details.items()):
            solid = self._solid(detail)
            if solid is None or max(solid.size) > LARGEST_SCENERY or len(self._nodes) == MAX_MARKERS:
                continue
            above = next((node for node in graph.path(index) if node in groups), None)
            self.markers.append(self._marker(solid, groups[above] if above is not None else "scene", index))
            self._nodes.append(index)
            centers.append(solid.center)
        self._centers = np.array(centers).reshape(-1, 1, 3)
        self.rows = np.full((len(self._nodes), 7), np.nan)
        self._worlds = np.full((len(self._nodes), 4, 4), np.nan)

    def all(self, graph: SceneGraph, stamp: Stamp) -> list[Marker]:
        """The markers of all nodes that are somewhere."""
        self.look(graph)
        return self.messages(np.flatnonzero(np.isfinite(self.rows[:, 0])), stamp)

    def moved(self, graph: SceneGraph, stamp: Stamp) -> list[Marker]:
        """The markers of the nodes that have moved since the last look and are somewhere."""
        return self.messages(self.look(graph), stamp)

    def look(self, graph: SceneGraph) -> Array:
        """Bring ``rows`` up to date; the numbers of those markers that have moved and are somewhere."""
        if not self._nodes:
            return np.empty(0, dtype=np.int64)
        worlds = graph.worlds()[self._nodes]
        chosen = np.flatnonzero((worlds != self._worlds).any(axis=(1, 2)))
        self._worlds = worlds
        some = worlds[chosen]
        _, turns = poses(some)
        with np.errstate(all="ignore"):
            places = some[:, 3, :3] + (self._centers[chosen] @ some[:, :3, :3])[:, 0, :]
        rows = np.hstack([places, turns])
        finite = np.isfinite(rows).all(axis=1) & np.isfinite(some).all(axis=(1, 2))
        rows[~finite] = np.nan
        self.rows[chosen] = rows
        return chosen[finite]

    def messages(self, chosen: Array, stamp: Stamp) -> list[Marker]:
        """The markers with these numbers. They are good until the next call."""
        markers = []
        for index, row in zip(chosen.tolist(), self.rows[chosen].tolist(), strict=True):
            marker = self.markers[index]
            marker.header.stamp = stamp
            place, turn = marker.pose.position, marker.pose.orientation
            place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w = row
            markers.append(marker)
        return markers

    def _solid(self, detail: Detail) -> Solid | None:
        solid = solid_of(detail)
        if solid is None or self._folder is None or (detail.mesh or "").startswith("Std"):
            return solid
        try:
            file = (self._folder / str(detail.mesh)).resolve()
            if not file.is_relative_to(self._folder.resolve()) or not file.is_file():
                return solid  # also for a name that leads out of the folder
        except (OSError, ValueError):  # no file can have such a name
            return solid
        x, y, z = detail.scale or (1.0, 1.0, 1.0)
        return Solid(shapes.MESH, (x, y, z), solid.color, file=file.as_uri())

    def _marker(self, solid: Solid, namespace: str, index: int) -> Marker:
        marker = Marker(ns=namespace, id=index, type=_TYPES[solid.form], lifetime=LIFETIME)
        marker.header.frame_id = self._frame
        marker.scale.x, marker.scale.y, marker.scale.z = (float(extent) for extent in solid.size)
        _paint(marker, solid.color)
        marker.mesh_resource = solid.file
        return marker


def field_markers(field: FieldValues, stamp: Stamp, frame: str) -> list[Marker]:
    """Grass, lines and goals; nothing of what the server does not tell."""
    lines = field_lines(field)
    if not lines:
        return []
    header = Header(stamp=stamp, frame_id=frame)
    grass = Marker(header=header, ns="field", id=0, type=Marker.CUBE, lifetime=LIFETIME)
    grass.scale.x, grass.scale.y = field.get("length") + 2 * BORDER, field.get("width") + 2 * BORDER
    grass.scale.z = shapes.FLAT
    grass.pose.position.z = GROUND - 0.5 * shapes.FLAT
    _paint(grass, GRASS)
    width = min(field.get("border", LINE_WIDTH), 1.0)
    left, right = goal_lines(field)
    rows = [(lines, WHITE, width), (left, GOALS[0], LINE_WIDTH), (right, GOALS[1], LINE_WIDTH)]
    drawn = [_lines(header, index, *row) for index, row in enumerate(rows, start=1) if row[0]]
    return [grass, *drawn]


class NameMarkers:
    """Numbers over the players; each has a marker that is filled in again, good until the next call."""

    def __init__(self, frame: str) -> None:
        self._frame = frame
        self._markers: list[Marker] = []

    def draw(self, things: Iterable[Thing], stamp: Stamp) -> list[Marker]:
        """The names of those things that are players."""
        players = [thing for thing in things if thing.kind == "player"]
        while len(self._markers) < len(players):
            self._markers.append(self._blank(len(self._markers)))
        drawn = self._markers[: len(players)]
        for marker, thing in zip(drawn, players, strict=True):
            marker.header.stamp = stamp
            known = dict(thing.properties)
            marker.text = f"{known['team']} {known['number']}"
            place = marker.pose.position
            place.x, place.y, place.z = thing.position[0], thing.position[1], thing.position[2] + OVER_HEAD
        return drawn

    def _blank(self, index: int) -> Marker:
        marker = Marker(ns="player_name", id=index, type=Marker.TEXT_VIEW_FACING, lifetime=LIFETIME)
        marker.header.frame_id = self._frame
        marker.scale.z = NAME_HEIGHT
        _paint(marker, WHITE)
        return marker


def fresh_start(stamp: Stamp, frame: str) -> MarkerArray:
    """Away with all that was drawn."""
    marker = Marker(action=Marker.DELETEALL, header=Header(stamp=stamp, frame_id=frame))
    return MarkerArray(markers=[marker])


def _lines(header: Header, index: int, lines: list[Line], color: Rgba, width: float) -> Marker:
    marker = Marker(header=header, ns="field", id=index, type=Marker.LINE_LIST, lifetime=LIFETIME)
    marker.scale.x = width
    marker.points = [Point(x=x, y=y, z=z) for line in lines for x, y, z in line]
    _paint(marker, color)
    return marker


def _paint(marker: Marker, color: Rgba) -> None:
    marker.color.r, marker.color.g, marker.color.b, marker.color.a = color
